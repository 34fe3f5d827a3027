/**
 * The library that reads and writes images, in threads of its own, so that the event loop waits for none. Loaded for the
 * first file: most gateways never see one.
 */
import type { Sharp, SharpInput, SharpOptions } from 'sharp';

export type ReadImage = (file: SharpInput, options?: SharpOptions) => Sharp;

/** Pixels of the largest file that is read, which takes up to 150 MB and about a second. */
export const mostPixels = 4096 * 4096;

export class ImageLibrary {
  #readImage: Promise<ReadImage> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** Work on one file at a time, since the library shares its threads with the database. */
  inTurn<T>(work: (readImage: ReadImage) => Promise<T>): Promise<T> {
    const done = this.#last.then(async () => {
      this.#readImage ??= loadLibrary();
      return work(await this.#readImage);
    });
    this.#last = done.then(nothing, nothing);
    return done;
  }
}

function nothing(): void {}

async function loadLibrary(): Promise<ReadImage> {
  const { default: sharp } = await import('sharp');
  // It would keep what it has read.
  sharp.cache(false);
  return sharp;
}

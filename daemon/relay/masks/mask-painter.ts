/**
 * Masks of edits. OpenAI's are transparent where an image may change; other vendors want black and white. Files are read
 * and written by the image library's own threads, so that the event loop waits for none of them.
 */
import type { Sharp, SharpInput, SharpOptions } from 'sharp';
import { TollgateError } from '../../errors.ts';
import type { MaskShade } from '../canonical/image.ts';
import { inexpressible } from '../formats/fields.ts';
import { mediaTypeOf } from '../formats/media-type.ts';

/** Pixels of the largest mask that is painted, which takes up to 150 MB and about a second. */
export const mostPixels = 4096 * 4096;

/** Files that can be transparent. Everything else stays as it is: its client knows the vendor's words. */
const paintable: ReadonlySet<string> = new Set(['image/png', 'image/webp']);
/** Pixels below this opacity may change. */
const halfOpaque = 128;
const opaque = Buffer.alloc(64 * 1024, 255);

type ReadImage = (file: SharpInput, options?: SharpOptions) => Sharp;

/** A PNG file, the reason why there is none (`convert_request_failed`), or undefined where there is nothing to paint. */
export type PaintedMask = Buffer | TollgateError | undefined;

export class MaskPainter {
  #readImage: Promise<ReadImage> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * The mask in black and white, in three channels; `change`: what may change is painted so. One mask at a time, since
   * the library shares its threads with the database.
   */
  paint(file: Buffer, change: MaskShade): Promise<PaintedMask> {
    const painted = this.#last.then(() => this.#paint(file, change));
    this.#last = painted.then(nothing, nothing);
    return painted;
  }

  async #paint(file: Buffer, change: MaskShade): Promise<PaintedMask> {
    if (!paintable.has(mediaTypeOf({ bytes: file, contentType: '', name: '' }))) return undefined;
    this.#readImage ??= loadLibrary();
    const readImage = await this.#readImage;
    const opacity = await opacityOf(file, readImage);
    if (opacity === undefined || opacity instanceof TollgateError) return opacity;
    const { data, width, height } = opacity;
    const picture = readImage(data, { raw: { width, height, channels: 1 } });
    const shades = change === 'white' ? picture.negate() : picture;
    return shades.threshold(halfOpaque).toColourspace('srgb').png({ compressionLevel: 1 }).toBuffer();
  }
}

function nothing(): void {}

/** Loaded for the first mask: most gateways never see one. */
async function loadLibrary(): Promise<ReadImage> {
  const { default: sharp } = await import('sharp');
  // It would keep what it has read.
  sharp.cache(false);
  return sharp;
}

interface Opacity {
  /** A byte for each pixel, row after row. */
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

/** Undefined where every pixel is opaque. */
async function opacityOf(file: Buffer, readImage: ReadImage): Promise<Opacity | TollgateError | undefined> {
  const seen = await readImage(file, { limitInputPixels: false }).metadata().catch(broken);
  if (seen instanceof TollgateError) return seen;
  const { hasAlpha, width, height } = seen;
  if (!hasAlpha) return undefined;
  if (width * height > mostPixels) return tooLarge(width, height);
  // Never more than was announced is read of a file, and one with less is broken.
  const picture = readImage(file, { limitInputPixels: mostPixels, failOn: 'error' });
  const data = await picture.extractChannel('alpha').toColourspace('b-w').raw().toBuffer().catch(broken);
  if (data instanceof TollgateError) return data;
  return isOpaque(data) ? undefined : { data, width, height };
}

function isOpaque(opacity: Buffer): boolean {
  for (let at = 0; at < opacity.length; at += opaque.length) {
    const piece = opacity.subarray(at, at + opaque.length);
    if (!piece.equals(opaque.subarray(0, piece.length))) return false;
  }
  return true;
}

function broken(cause: unknown): TollgateError {
  const reason = 'mask: the file is broken: save it anew, as a PNG file';
  return new TollgateError('convert_request_failed', { reason }, { field: 'mask', cause });
}

function tooLarge(width: number, height: number): TollgateError {
  const limit = `${width}x${height} is more than the ${mostPixels} pixels (4096x4096) that can be painted for this channel`;
  const remedy = 'send image and mask smaller, or the mask in black and white without transparency';
  return inexpressible('mask', `${limit}: ${remedy}`);
}

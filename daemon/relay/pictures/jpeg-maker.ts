/**
 * Pictures of a session as JPEG files, which is all that those vendors see. What is made fits the stricter of the limits
 * that they name: 1080p and 256 KB of base64. Source: DashScope's client events of Qwen-Omni-Realtime, read 2026-11.
 */
import { TollgateError } from '../../errors.ts';
import { inexpressible } from '../formats/fields.ts';
import { type ImageLibrary, mostPixels, type ReadImage } from './image-library.ts';

const mostBytes = 192 * 1024;
const [longSide, shortSide] = [1920, 1080];
/** Tried in turn until the file is small enough. */
const manners = [
  { quality: 85, side: longSide },
  { quality: 70, side: longSide },
  { quality: 70, side: 1280 },
  { quality: 60, side: 960 },
] as const;
const coarsest = { quality: 50, side: 640 };

/** A JPEG file, or the reason why there is none (`convert_request_failed`). */
export type MadeJpeg = Buffer | TollgateError;

export class JpegMaker {
  readonly #library: ImageLibrary;

  constructor(library: ImageLibrary) {
    this.#library = library;
  }

  /** The picture, upright and on white where it is transparent; the first one of a file that moves. */
  make(file: Buffer): Promise<MadeJpeg> {
    return this.#library.inTurn((readImage) => jpegOf(file, readImage));
  }
}

async function jpegOf(file: Buffer, readImage: ReadImage): Promise<MadeJpeg> {
  const seen = await readImage(file, { limitInputPixels: false }).metadata().catch(broken);
  if (seen instanceof TollgateError) return seen;
  const { width, height } = seen.autoOrient;
  if (width * height > mostPixels) return tooLarge(width, height);
  const box = width < height ? { width: shortSide, height: longSide } : { width: longSide, height: shortSide };
  const picture = readImage(file, { limitInputPixels: mostPixels, failOn: 'error' })
    .autoOrient()
    .flatten({ background: 'white' })
    .resize({ ...box, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb');
  const read = await picture.raw().toBuffer({ resolveWithObject: true }).catch(broken);
  if (read instanceof TollgateError) return read;
  const { data, info } = read;
  const written = ({ quality, side }: { readonly quality: number; readonly side: number }) =>
    readImage(data, { raw: { width: info.width, height: info.height, channels: info.channels } })
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      .jpeg({ quality })
      .toBuffer();
  for (const manner of manners) {
    const made = await written(manner);
    if (made.length <= mostBytes) return made;
  }
  return written(coarsest);
}

function broken(cause: unknown): TollgateError {
  const reason = 'item.content: the file is broken: save it anew, as a JPEG file';
  return new TollgateError('convert_request_failed', { reason }, { field: 'item.content', cause });
}

function tooLarge(width: number, height: number): TollgateError {
  const limit = `${width}x${height} is more than the ${mostPixels} pixels (4096x4096) that this model can be shown`;
  return inexpressible('item.content', `${limit}: send the picture smaller`);
}

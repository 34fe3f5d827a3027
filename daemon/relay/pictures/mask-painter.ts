/** Masks of edits. OpenAI's are transparent where an image may change; other vendors want black and white. */
import { TollgateError } from '../../errors.ts';
import type { MaskShade } from '../canonical/image.ts';
import { inexpressible } from '../formats/fields.ts';
import { mediaTypeOf } from '../formats/media-type.ts';
import { type ImageLibrary, mostPixels, type ReadImage } from './image-library.ts';

/** Files that can be transparent. Everything else stays as it is: its client knows the vendor's words. */
const paintable: ReadonlySet<string> = new Set(['image/png', 'image/webp']);
/** Pixels below this opacity may change. */
const halfOpaque = 128;
const opaque = Buffer.alloc(64 * 1024, 255);

/** A PNG file, the reason why there is none (`convert_request_failed`), or undefined where there is nothing to paint. */
export type PaintedMask = Buffer | TollgateError | undefined;

export class MaskPainter {
  readonly #library: ImageLibrary;

  constructor(library: ImageLibrary) {
    this.#library = library;
  }

  /** The mask in black and white, in three channels; `change`: what may change is painted so. */
  paint(file: Buffer, change: MaskShade): Promise<PaintedMask> {
    const isPaintable = paintable.has(mediaTypeOf({ bytes: file, contentType: '', name: '' }));
    if (!isPaintable) return Promise.resolve(undefined);
    return this.#library.inTurn((readImage) => paintedMask(file, change, readImage));
  }
}

async function paintedMask(file: Buffer, change: MaskShade, readImage: ReadImage): Promise<PaintedMask> {
  const opacity = await opacityOf(file, readImage);
  if (opacity === undefined || opacity instanceof TollgateError) return opacity;
  const { data, width, height } = opacity;
  const picture = readImage(data, { raw: { width, height, channels: 1 } });
  const shades = change === 'white' ? picture.negate() : picture;
  return shades.threshold(halfOpaque).toColourspace('srgb').png({ compressionLevel: 1 }).toBuffer();
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

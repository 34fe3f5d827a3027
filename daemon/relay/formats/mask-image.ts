/**
 * Masks of edits. OpenAI's are transparent where an image may change; other vendors want black and white. Reads what
 * programs write for OpenAI: PNG files with an alpha channel of eight bits, row after row.
 */
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import type { ImageInput } from '../canonical/image.ts';

const signature = Buffer.from('89504e470d0a1a0a', 'hex');
/** Pixels of the largest mask that is painted anew: it is done between two events, and takes a moment. */
const mostPixels = 2048 * 2048;
const opaque = 255;

interface Picture {
  readonly width: number;
  readonly height: number;
  /** Bytes of a pixel, of which the last is its opacity. */
  readonly depth: 2 | 4;
  readonly compressed: Buffer;
}

/**
 * The mask in black and white; `change`: what may change is painted so. A mask without transparency, one that is named
 * by its address, and whatever else this cannot read stays as it is: its client knows the vendor's words.
 */
export function paintedMask(mask: ImageInput, change: 'black' | 'white'): ImageInput {
  const picture = mask.kind === 'inline' ? readPicture(Buffer.from(mask.data, 'base64')) : undefined;
  const opacity = picture && opacityOf(picture);
  if (picture === undefined || opacity === undefined || opacity.every((value) => value === opaque)) return mask;
  const shades = change === 'black' ? { changed: 0, kept: 255 } : { changed: 255, kept: 0 };
  return { kind: 'inline', mediaType: 'image/png', data: paint(picture, opacity, shades).toString('base64') };
}

function readPicture(file: Buffer): Picture | undefined {
  if (!file.subarray(0, signature.length).equals(signature)) return undefined;
  const chunks = [...chunksOf(file)];
  const header = chunks.find(({ type }) => type === 'IHDR')?.data;
  if (header === undefined || header.length < 13) return undefined;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [bits, color, , , interlace] = header.subarray(8);
  const depth = color === 6 ? 4 : color === 4 ? 2 : undefined;
  if (bits !== 8 || interlace !== 0 || depth === undefined) return undefined;
  if (width === 0 || height === 0 || width * height > mostPixels) return undefined;
  const compressed = Buffer.concat(chunks.flatMap(({ type, data }) => (type === 'IDAT' ? [data] : [])));
  return { width, height, depth, compressed };
}

function* chunksOf(file: Buffer): Generator<{ readonly type: string; readonly data: Buffer }> {
  for (let at = signature.length; at + 12 <= file.length; ) {
    const end = at + 8 + file.readUInt32BE(at);
    if (end + 4 > file.length) return;
    yield { type: file.toString('latin1', at + 4, at + 8), data: file.subarray(at + 8, end) };
    at = end + 4;
  }
}

/** The opacity of each pixel; filters mix no channels, so that the others need not be read. */
function opacityOf({ width, height, depth, compressed }: Picture): Uint8Array | undefined {
  const rowBytes = width * depth + 1;
  const rows = inflated(compressed, rowBytes * height);
  if (rows === undefined) return undefined;
  const opacity = new Uint8Array(width * height);
  let above = new Uint8Array(width);
  for (let row = 0; row < height; row += 1) {
    const written = rows.subarray(row * rowBytes, (row + 1) * rowBytes);
    const line = opacity.subarray(row * width, (row + 1) * width);
    if (!readLine(line, above, { written, depth })) return undefined;
    above = line;
  }
  return opacity;
}

/** Exactly so many bytes; undefined for more, fewer and none that can be read. */
function inflated(compressed: Buffer, bytes: number): Buffer | undefined {
  try {
    const found = inflateSync(compressed, { maxOutputLength: bytes });
    return found.length === bytes ? found : undefined;
  } catch {
    return undefined;
  }
}

/** One row, by the five filters of the PNG standard (section 9). False for one that no filter wrote. */
function readLine(line: Uint8Array, above: Uint8Array, row: { written: Uint8Array; depth: number }): boolean {
  const { written, depth } = row;
  const filter = written[0] ?? 0;
  let left = 0;
  let corner = 0;
  for (let column = 0, at = depth; column < line.length; column += 1, at += depth) {
    const up = above[column] ?? 0;
    let expected = 0;
    if (filter === 1) expected = left;
    else if (filter === 2) expected = up;
    else if (filter === 3) expected = (left + up) >> 1;
    else if (filter === 4) expected = nearest(left, up, corner);
    left = ((written[at] ?? 0) + expected) & 0xff;
    line[column] = left;
    corner = up;
  }
  return filter <= 4;
}

/** Of three neighbours the one nearest to what they foretell; of equals the first. */
function nearest(left: number, up: number, corner: number): number {
  const toLeft = Math.abs(up - corner);
  const toUp = Math.abs(left - corner);
  const toCorner = Math.abs(left + up - 2 * corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

/** A PNG file of grey pixels, written in three channels as vendors expect them. */
function paint({ width, height }: Picture, opacity: Uint8Array, shades: { changed: number; kept: number }): Buffer {
  const rowBytes = width * 3 + 1;
  const rows = Buffer.alloc(rowBytes * height, shades.kept);
  for (let row = 0, pixel = 0; row < height; row += 1) {
    let at = row * rowBytes;
    rows[at] = 0;
    for (const end = pixel + width; pixel < end; pixel += 1, at += 3) {
      if ((opacity[pixel] ?? opaque) < 128) rows[at + 1] = rows[at + 2] = rows[at + 3] = shades.changed;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 1 })),
    chunk('IEND'),
  ]);
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(named.length + 8);
  frame.writeUInt32BE(data.length, 0);
  named.copy(frame, 4);
  frame.writeUInt32BE(crc32(named), named.length + 4);
  return frame;
}

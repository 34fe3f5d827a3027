/**
 * Width and height of an image from the first bytes of its file; pixels are never decoded (relay.md 14.3).
 */

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

type Reader = (bytes: Buffer) => ImageSize | undefined;

const readers: readonly Reader[] = [readPng, readJpeg, readGif, readWebp, readBmp, readHeif];

/** Undefined for a file of another kind, or one that is cut before it says. */
export function readImageSize(bytes: Buffer): ImageSize | undefined {
  for (const read of readers) {
    const size = read(bytes);
    if (size !== undefined && size.width > 0 && size.height > 0) return size;
  }
  return undefined;
}

/** Enough of a file to find its size behind embedded previews and colour profiles. */
const HEADER_BYTES = 256 * 1024;

/** Size of an image in a data URL; undefined for other URLs. */
export function sizeOfDataUrl(url: string): ImageSize | undefined {
  if (!url.startsWith('data:')) return undefined;
  const comma = url.indexOf(',');
  if (comma < 0 || !url.slice(0, comma).endsWith('base64')) return undefined;
  const end = comma + 1 + Math.ceil((HEADER_BYTES * 4) / 3);
  return readImageSize(Buffer.from(url.slice(comma + 1, end), 'base64'));
}

function hasText(bytes: Buffer, at: number, text: string): boolean {
  return bytes.length >= at + text.length && bytes.toString('latin1', at, at + text.length) === text;
}

function readPng(bytes: Buffer): ImageSize | undefined {
  if (!hasText(bytes, 1, 'PNG') || !hasText(bytes, 12, 'IHDR') || bytes.length < 24) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function readGif(bytes: Buffer): ImageSize | undefined {
  if (!hasText(bytes, 0, 'GIF8') || bytes.length < 10) return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function readBmp(bytes: Buffer): ImageSize | undefined {
  if (!hasText(bytes, 0, 'BM') || bytes.length < 26) return undefined;
  return { width: bytes.readInt32LE(18), height: Math.abs(bytes.readInt32LE(22)) };
}

/** Walks the segments up to the start of a frame, whatever its coding. */
function readJpeg(bytes: Buffer): ImageSize | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined;
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    const isBare = marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
    at += marker === 0xff ? 1 : isBare ? 2 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function readWebp(bytes: Buffer): ImageSize | undefined {
  if (!hasText(bytes, 0, 'RIFF') || !hasText(bytes, 8, 'WEBP') || bytes.length < 30) return undefined;
  if (hasText(bytes, 12, 'VP8X')) return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (hasText(bytes, 12, 'VP8 ')) {
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  }
  if (!hasText(bytes, 12, 'VP8L')) return undefined;
  const packed = bytes.readUInt32LE(21);
  return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
}

/** AVIF and HEIC: the largest of the sizes that the file's items have. */
function readHeif(bytes: Buffer): ImageSize | undefined {
  if (!hasText(bytes, 4, 'ftyp')) return undefined;
  let largest: ImageSize | undefined;
  for (let at = bytes.indexOf('ispe'); at >= 0 && at + 16 <= bytes.length; at = bytes.indexOf('ispe', at + 4)) {
    const size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
    if (largest === undefined || size.width * size.height > largest.width * largest.height) largest = size;
  }
  return largest;
}

/** Masks as programs write them for OpenAI, and as this gateway paints them for others: small PNG files. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

export interface MaskFile {
  readonly width: number;
  /** Of each pixel, row after row. */
  readonly opacity: readonly number[];
  /** By row; the last one holds for all that follow. Default: none. */
  readonly filters?: readonly number[];
  /** Bytes before the opacity of a pixel: three colours, or one shade. */
  readonly colors?: 1 | 3;
}

/** A PNG file with an alpha channel, each row written by the filter that is asked for. */
export function alphaPng({ width, opacity, filters = [0], colors = 3 }: MaskFile): Buffer {
  const depth = colors + 1;
  const height = opacity.length / width;
  const plain = Buffer.alloc(width * depth * height);
  for (const [pixel, value] of opacity.entries()) {
    for (let color = 0; color < colors; color += 1) plain[pixel * depth + color] = (pixel * 37 + color) & 255;
    plain[pixel * depth + colors] = value;
  }
  const byte = (row: number, at: number) => (row < 0 || at < 0 ? 0 : (plain[row * width * depth + at] ?? 0));
  const rows: number[] = [];
  for (let row = 0; row < height; row += 1) {
    const filter = filters[Math.min(row, filters.length - 1)] ?? 0;
    rows.push(filter);
    for (let at = 0; at < width * depth; at += 1) {
      const [left, up] = [byte(row, at - depth), byte(row - 1, at)];
      const corner = at < depth ? 0 : byte(row - 1, at - depth);
      rows.push((byte(row, at) - expected(filter, left, up, corner)) & 255);
    }
  }
  return png({ width, height, color: colors === 3 ? 6 : 4 }, Buffer.from(rows));
}

/** As section 9 of the standard defines them. */
function expected(filter: number, left: number, up: number, corner: number): number {
  if (filter === 4) {
    const guess = left + up - corner;
    const far = (value: number) => Math.abs(guess - value);
    if (far(left) <= far(up) && far(left) <= far(corner)) return left;
    return far(up) <= far(corner) ? up : corner;
  }
  return [0, left, up, Math.floor((left + up) / 2)][filter] ?? 0;
}

export interface PngHeader {
  readonly width: number;
  readonly height: number;
  /** As the standard numbers them: 0 grey, 2 colours, 3 a palette, 4 and 6 with opacity. */
  readonly color: number;
  /** Of a channel. Default: 8. */
  readonly bits?: 1 | 2 | 4 | 8 | 16;
  /** Pixels come in seven passes. */
  readonly interlaced?: true;
  /** What stands between header and pixels. */
  readonly chunks?: readonly Buffer[];
}

/** A PNG file around rows that are filtered already. */
export function png(header: PngHeader, rows: Buffer): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(header.width, 0);
  head.writeUInt32BE(header.height, 4);
  head.set([header.bits ?? 8, header.color, 0, 0, header.interlaced ? 1 : 0], 8);
  const chunks = [
    chunk('IHDR', head),
    chunk('tEXt', Buffer.from('a\0b')),
    ...(header.chunks ?? []),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND'),
  ];
  return Buffer.concat([signature, ...chunks]);
}

export function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const ends = [Buffer.alloc(4), named, Buffer.alloc(4)] as const;
  ends[0].writeUInt32BE(data.length);
  ends[2].writeUInt32BE(crc32(named));
  return Buffer.concat(ends);
}

/** The shades of a painted mask, row after row; throws for a file that is no such mask. */
export function shadesOf(file: Buffer): number[] {
  if (!file.subarray(0, 8).equals(signature)) throw new Error('no PNG file');
  const parts: Buffer[] = [];
  let width = 0;
  for (let at = 8; at < file.length; ) {
    const end = at + 8 + file.readUInt32BE(at);
    const [type, data] = [file.toString('latin1', at + 4, at + 8), file.subarray(at + 8, end)];
    if (file.readUInt32BE(end) !== crc32(file.subarray(at + 4, end))) throw new Error(`wrong checksum of ${type}`);
    if (type === 'IHDR') {
      width = data.readUInt32BE(0);
      if (data[8] !== 8 || data[9] !== 2) throw new Error('three channels of eight bits are due');
    }
    if (type === 'IDAT') parts.push(data);
    at = end + 4;
  }
  const rows = inflateSync(Buffer.concat(parts));
  const shades: number[] = [];
  for (let at = 0; at < rows.length; at += width * 3 + 1) {
    if (rows[at] !== 0) throw new Error('unfiltered rows are due');
    for (let pixel = 0; pixel < width; pixel += 1) {
      const [red, green, blue] = rows.subarray(at + 1 + pixel * 3, at + 4 + pixel * 3);
      if (red !== green || green !== blue) throw new Error('a colour in a mask');
      shades.push(red ?? -1);
    }
  }
  return shades;
}

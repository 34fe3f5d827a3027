/** Lengths of files whose headers tell: WAV, AIFF, FLAC, Ogg, MP4. */
import { skip, take, type Walk } from './byte-walk.ts';
import type { Length, SampleFormat } from './length.ts';

const MAX_CHUNKS = 10_000;

/** RIFF: the format's bytes a second, and the size of the samples unless it was written before they were. */
export function* walkWav(_: Buffer, length: Length): Walk {
  let position = 12;
  let format: SampleFormat | undefined;
  for (let chunks = 0; chunks < MAX_CHUNKS; chunks += 1) {
    const head = yield* take(8);
    const size = head.readUInt32LE(4);
    position += 8;
    const name = head.toString('latin1', 0, 4);
    if (name === 'data') {
      // Streams write a size of nothing or of everything.
      const bytes = size === 0 || size >= 0xffff_fff0 ? Number.POSITIVE_INFINITY : size;
      if (format !== undefined && format.bytesPerSecond > 0) length.samples = { start: position, bytes, format };
      return;
    }
    let read = 0;
    if (name === 'fmt ' && size >= 16) {
      format = sampleFormat(yield* take(16));
      read = 16;
    }
    yield* skip(size + (size & 1) - read);
    position += size + (size & 1);
  }
}

/** Whole numbers, fractions, A-law, mu-law, and what an extension tells, which is nearly always one of these. */
const UNPACKED = new Set([1, 3, 6, 7, 0xfffe]);

function sampleFormat(chunk: Buffer): SampleFormat {
  const kind = chunk.readUInt16LE(0);
  const channels = chunk.readUInt16LE(2);
  const rate = chunk.readUInt32LE(4);
  const bits = chunk.readUInt16LE(14);
  // Of samples that are not packed the others tell it, and players go by those: the figure may be anything.
  const counted = UNPACKED.has(kind) ? rate * channels * Math.ceil(bits / 8) : 0;
  return { kind, channels, rate, bytesPerSecond: counted || chunk.readUInt32LE(8), bits };
}

export function* walkAiff(_: Buffer, length: Length): Walk {
  for (let chunks = 0; chunks < MAX_CHUNKS; chunks += 1) {
    const head = yield* take(8);
    const size = head.readUInt32BE(4);
    if (head.toString('latin1', 0, 4) === 'COMM' && size >= 18) {
      const common = yield* take(18);
      const rate = extended(common.subarray(8));
      if (rate > 0) length.seconds = common.readUInt32BE(2) / rate;
      return;
    }
    yield* skip(size + (size & 1));
  }
}

/** An 80-bit float, as old as its format. */
function extended(bytes: Buffer): number {
  const exponent = bytes.readUInt16BE(0) & 0x7fff;
  const mantissa = bytes.readUInt32BE(2) * 2 ** 32 + bytes.readUInt32BE(6);
  return mantissa * 2 ** (exponent - 16_383 - 63);
}

/** @param opening the first twelve bytes, of which eight are headers */
export function* walkFlac(opening: Buffer, length: Length): Walk {
  const info = Buffer.concat([opening.subarray(8), yield* take(30)]);
  const rate = info.readUIntBE(10, 3) >>> 4;
  const samples = ((info[13] ?? 0) & 15) * 2 ** 32 + info.readUInt32BE(14);
  if (rate > 0 && samples > 0) length.seconds = samples / rate;
}

interface OggCodec {
  readonly rate: number;
  /** Samples that are decoded and not played. */
  readonly skipped: number;
}

function oggCodec(packet: Buffer): OggCodec | undefined {
  if (packet.toString('latin1', 0, 8) === 'OpusHead' && packet.length >= 12) {
    return { rate: 48_000, skipped: packet.readUInt16LE(10) };
  }
  if (packet.toString('latin1', 1, 7) === 'vorbis' && packet.length >= 16) {
    return { rate: packet.readUInt32LE(12), skipped: 0 };
  }
  if (packet.toString('latin1', 0, 8) === 'Speex   ' && packet.length >= 40) {
    return { rate: packet.readUInt32LE(36), skipped: 0 };
  }
  if (packet.toString('latin1', 1, 5) === 'FLAC' && packet.length >= 30) {
    return { rate: packet.readUIntBE(27, 3) >>> 4, skipped: 0 };
  }
  return undefined;
}

/** Of a page's flags: a stream begins with it. */
const BEGINS = 2;

/** Pages say how many samples there are up to their end: the last one says it all, of each stream that follows another. */
export function* walkOgg(opening: Buffer, length: Length): Walk {
  let codec: OggCodec | undefined;
  /** Of the streams before this one. */
  let before = 0;
  let head: Buffer = Buffer.concat([opening, yield* take(15)]);
  for (;;) {
    if (head.toString('latin1', 0, 4) !== 'OggS') return;
    const granule = head.readBigInt64LE(6);
    const segments = yield* take(head[26] ?? 0);
    const size = segments.reduce((sum, bytes) => sum + bytes, 0);
    if (((head[5] ?? 0) & BEGINS) !== 0 && (length.seconds ?? 0) > before) {
      before = length.seconds ?? 0;
      codec = undefined;
    }
    if (codec === undefined && granule === 0n) {
      codec = oggCodec(yield* take(size));
      if (codec === undefined || codec.rate === 0) return;
    } else yield* skip(size);
    if (codec !== undefined && granule > 0n) {
      length.seconds = before + Math.max(0, Number(granule) - codec.skipped) / codec.rate;
    }
    head = yield* take(27);
  }
}

/** The movie's header stands in a box inside a box; media may lie before it. */
export function* walkMp4(opening: Buffer, length: Length): Walk {
  let head = opening.subarray(0, 8);
  // Four bytes of the first box have been read with its head.
  let ahead = opening.length - 8;
  for (let boxes = 0; boxes < MAX_CHUNKS; boxes += 1) {
    let size = head.readUInt32BE(0);
    let headBytes = 8;
    const name = head.toString('latin1', 4, 8);
    if (size === 1) {
      size = Number((yield* take(8)).readBigUInt64BE(0));
      headBytes = 16;
    }
    if (name === 'mvhd') {
      const isLong = (yield* take(4))[0] === 1;
      const body = yield* take(isLong ? 28 : 16);
      const scale = body.readUInt32BE(isLong ? 16 : 8);
      const duration = isLong ? Number(body.readBigUInt64BE(20)) : body.readUInt32BE(12);
      if (scale > 0 && duration > 0 && duration < 0xffff_ffff) length.seconds = duration / scale;
      return;
    }
    // A size of 0 means up to the end of the file.
    if (size < headBytes) return;
    if (name !== 'moov') yield* skip(size - headBytes - ahead);
    ahead = 0;
    head = yield* take(8);
  }
}

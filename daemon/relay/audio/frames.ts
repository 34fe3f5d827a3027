/** Lengths of files that are rows of frames: MP3, AAC in ADTS, AMR. */
import { skip, takeAny, type Walk } from './byte-walk.ts';
import type { Length } from './length.ts';

const MPEG1_LAYER1 = [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448];
const MPEG1_LAYER2 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384];
const MPEG1_LAYER3 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG2_LAYER1 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256];
const MPEG2_LAYER23 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const MPEG_RATES = [44_100, 48_000, 32_000];
const ADTS_RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350];
const AMR_BYTES = [12, 13, 15, 17, 19, 20, 26, 31, 5, 0, 0, 0, 0, 0, 0, 0];
const AMR_WIDE_BYTES = [17, 23, 32, 36, 40, 46, 50, 58, 60, 5, 0, 0, 0, 0, 0, 0];
const AMR_FRAME_SECONDS = 0.02;

interface MpegFrame {
  readonly bytes: number;
  readonly seconds: number;
}

/** What a frame header of MPEG audio says; undefined for other bytes. */
function mpegFrame(head: Buffer): MpegFrame | undefined {
  const word = head.readUInt32BE(0);
  if (word >>> 21 !== 0x7ff) return undefined;
  const version = (word >>> 19) & 3;
  const layer = 4 - ((word >>> 17) & 3);
  const rateIndex = (word >>> 10) & 3;
  if (version === 1 || layer === 4) return undefined;
  const isFirst = version === 3;
  const kilobits = bitrates(isFirst, layer)[(word >>> 12) & 15];
  const full = MPEG_RATES[rateIndex];
  if (kilobits === undefined || kilobits === 0 || full === undefined) return undefined;
  const rate = isFirst ? full : full / (version === 2 ? 2 : 4);
  const samples = layer === 1 ? 384 : layer === 3 && !isFirst ? 576 : 1152;
  const padding = (word >>> 9) & 1;
  const plain = Math.floor((samples * kilobits * 125) / rate);
  const bytes = layer === 1 ? Math.floor(plain / 4) * 4 + padding * 4 : plain + padding;
  return { bytes, seconds: samples / rate };
}

function bitrates(isFirst: boolean, layer: number): readonly number[] {
  if (isFirst) return layer === 1 ? MPEG1_LAYER1 : layer === 2 ? MPEG1_LAYER2 : MPEG1_LAYER3;
  return layer === 1 ? MPEG2_LAYER1 : MPEG2_LAYER23;
}

/** Every frame begins with it, MP3 or ADTS. */
const SYNC = 0xff;
const NOTHING = Buffer.alloc(0);
/** Behind other bytes a header counts with the one that follows it: a single one may be anything. */
const IN_A_ROW = 2;

/** How frames of one kind begin. */
interface FrameHead {
  readonly size: number;
  readonly read: (head: Buffer) => MpegFrame | undefined;
}

/** Adds up frames from `start` on, over whatever other bytes lie between them, since players pass over those. */
function* frames(start: Buffer, length: Length, { size, read }: FrameHead): Walk {
  let bytes = start;
  let at = 0;
  let row = IN_A_ROW;
  let seconds = 0;
  for (;;) {
    while (at + size <= bytes.length) {
      const frame = read(bytes.subarray(at, at + size));
      if (frame === undefined || frame.bytes <= size) {
        const next = bytes.indexOf(SYNC, at + 1);
        at = next < 0 ? bytes.length : next;
        row = 0;
        seconds = 0;
        continue;
      }
      at += frame.bytes;
      row += 1;
      seconds += frame.seconds;
      if (row < IN_A_ROW) continue;
      length.seconds = (length.seconds ?? 0) + seconds;
      seconds = 0;
    }
    // A copy: the chunk belongs to whoever reads it next.
    const rest = at < bytes.length ? Buffer.from(bytes.subarray(at)) : NOTHING;
    at = Math.max(0, at - bytes.length);
    const more = yield* takeAny();
    bytes = rest.length === 0 ? more : Buffer.concat([rest, more]);
  }
}

/** @param opening the first twelve bytes */
export function* walkMp3(opening: Buffer, length: Length): Walk {
  const head = { size: 4, read: mpegFrame };
  if (opening.toString('latin1', 0, 3) !== 'ID3') return yield* frames(opening, length, head);
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((opening[at] ?? 0) & 127), 0);
  yield* skip(size + 10 - opening.length);
  yield* frames(opening.subarray(size + 10), length, head);
}

/** What a frame header of ADTS says; undefined for other bytes. */
function adtsFrame(head: Buffer): MpegFrame | undefined {
  const [, , third = 0, fourth = 0, fifth = 0, sixth = 0] = head;
  if ((head.readUInt16BE(0) & 0xfff6) !== 0xfff0) return undefined;
  const rate = ADTS_RATES[(third >> 2) & 15];
  if (rate === undefined) return undefined;
  return { bytes: ((fourth & 3) << 11) | (fifth << 3) | (sixth >> 5), seconds: 1024 / rate };
}

/** @param opening the first twelve bytes */
export function* walkAdts(opening: Buffer, length: Length): Walk {
  yield* frames(opening, length, { size: 7, read: adtsFrame });
}

/** @param opening the first twelve bytes */
export function* walkAmr(opening: Buffer, length: Length): Walk {
  const isWide = opening.toString('latin1', 0, 9) === '#!AMR-WB\n';
  const sizes = isWide ? AMR_WIDE_BYTES : AMR_BYTES;
  let frames = 0;
  let bytes = opening.subarray(isWide ? 9 : 6);
  // Where the next frame begins in what has come; a frame of silence is a single byte.
  let at = 0;
  for (;;) {
    for (; at < bytes.length; frames += 1) at += 1 + (sizes[((bytes[at] ?? 0) >> 3) & 15] ?? 0);
    length.seconds = frames * AMR_FRAME_SECONDS;
    at -= bytes.length;
    bytes = yield* takeAny();
  }
}

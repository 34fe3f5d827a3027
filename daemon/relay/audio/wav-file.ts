/** WAV files with samples of 16 bits: their header written, and their samples read at the rate that somebody wants. */
import { ByteWalk, take, type Walk } from './byte-walk.ts';
import { walkWav } from './containers.ts';
import type { Length } from './length.ts';
import { BYTES_PER_SAMPLE } from './samples.ts';

/** What stands for a length that nobody knows yet. */
const ENDLESS = 0xffff_ffff;
const RIFF_BYTES = 12;
/** Plain samples, and samples whose kind an extension tells. */
const PLAIN = new Set([1, 0xfffe]);
/** Nothing that is said can be heard at less; a small file that claims a few a second would become days of sound. */
const LEAST_RATE = 4000;

/** The header of a file with one channel; `bytes` of samples follow, undefined: as many as come. */
export function wavHead(rate: number, bytes?: number): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(bytes === undefined ? ENDLESS : 36 + bytes, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * BYTES_PER_SAMPLE, 28);
  head.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  head.writeUInt16LE(BYTES_PER_SAMPLE * 8, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(bytes ?? ENDLESS, 40);
  return head;
}

/** A second's samples, where their type does not tell. */
const USUAL_RATE = 24_000;

/** Bare samples of one channel, by the type that Gemini gives them, in a file; undefined for sound that is a file already. */
export function fileOfSamples(bytes: Buffer, mediaType: string): Buffer | undefined {
  if (!/^audio\/(?:l16|pcm)/i.test(mediaType)) return undefined;
  const rate = Number(/rate=(\d+)/.exec(mediaType)?.[1] ?? USUAL_RATE);
  return Buffer.concat([wavHead(rate, bytes.length), bytes]);
}

/** Samples of 16 bits, of all channels in turn. */
export interface WavSamples {
  readonly bytes: Buffer;
  readonly channels: number;
  /** Samples a second of each channel. */
  readonly rate: number;
}

/** Samples a second of a WAV file; undefined for any other. */
export function wavRate(file: Buffer): number | undefined {
  return formatOf(file)?.format.rate || undefined;
}

/** Undefined for what is no WAV file, for samples of other kinds than 16 bits, and for too few of them a second. */
export function readWav(file: Buffer): WavSamples | undefined {
  const found = formatOf(file);
  if (found === undefined) return undefined;
  const { format, start, bytes } = found;
  const { channels, rate, bits, kind } = format;
  if (!PLAIN.has(kind) || bits !== BYTES_PER_SAMPLE * 8 || channels === 0 || rate < LEAST_RATE) return undefined;
  return { bytes: file.subarray(start, Math.min(file.length, start + bytes)), channels, rate };
}

function formatOf(file: Buffer) {
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, RIFF_BYTES) !== 'WAVE') return undefined;
  const length: Length = { seconds: undefined };
  new ByteWalk(whole(length)).push(file);
  return length.samples;
}

function* whole(length: Length): Walk {
  yield* walkWav(yield* take(RIFF_BYTES), length);
}

/**
 * The samples of one channel at another rate, in pieces of so many; each is made when it is asked for. Several channels
 * become their mean; of what lies between two samples of a lower rate the mean is taken too.
 */
export function* samplesAt({ bytes, channels, rate: given }: WavSamples, rate: number, atOnce: number) {
  const frames = Math.floor(bytes.length / (channels * BYTES_PER_SAMPLE));
  const step = given / rate;
  const total = Math.floor(frames / step);
  for (let first = 0; first < total; first += atOnce) {
    const piece = Buffer.alloc(Math.min(atOnce, total - first) * BYTES_PER_SAMPLE);
    for (let at = 0; at * BYTES_PER_SAMPLE < piece.length; at += 1) {
      const from = Math.floor((first + at) * step);
      const to = Math.min(frames, Math.max(from + 1, Math.floor((first + at + 1) * step)));
      let sum = 0;
      for (let sample = from * channels; sample < to * channels; sample += 1) {
        sum += bytes.readInt16LE(sample * BYTES_PER_SAMPLE);
      }
      piece.writeInt16LE(Math.round(sum / ((to - from) * channels)), at * BYTES_PER_SAMPLE);
    }
    yield piece;
  }
}

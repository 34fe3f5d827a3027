/** Tells how long a piece of audio plays, from its bytes as they pass (relay.md 5.7, 5.8). */
import { ByteWalk, take, type Walk } from './byte-walk.ts';
import { walkAiff, walkFlac, walkMp4, walkOgg, walkWav } from './containers.ts';
import { walkAdts, walkAmr, walkMp3 } from './frames.ts';
import type { AudioFacts, Length } from './length.ts';
import { walkMatroska } from './matroska.ts';
import { SAMPLE_BYTES_PER_SECOND } from './samples.ts';

/** Where nothing can be read, a file is taken for one of 128 kbit/s. */
const GUESSED_BYTES_PER_SECOND = 16_000;
const OPENING_BYTES = 12;

type Reader = (opening: Buffer, length: Length) => Walk;

function readerOf(opening: Buffer): Reader | undefined {
  const text = opening.toString('latin1');
  if (text.startsWith('RIFF') && text.endsWith('WAVE')) return walkWav;
  if (text.startsWith('FORM') && /AIF[FC]$/.test(text)) return walkAiff;
  if (text.startsWith('fLaC')) return walkFlac;
  if (text.startsWith('OggS')) return walkOgg;
  if (text.startsWith('ftyp', 4)) return walkMp4;
  if (text.startsWith('#!AMR')) return walkAmr;
  if (opening.readUInt32BE(0) === 0x1a45dfa3) return walkMatroska;
  if ((opening.readUInt16BE(0) & 0xfff6) === 0xfff0) return walkAdts;
  return text.startsWith('ID3') || opening.readUInt16BE(0) >>> 5 === 0x7ff ? walkMp3 : undefined;
}

export class AudioMeter {
  readonly #isPcm: boolean;
  readonly #length: Length = { seconds: undefined };
  readonly #walk: ByteWalk;
  #bytes = 0;

  /** @param form `pcm` for samples without a container */
  constructor(form: 'pcm' | 'file') {
    this.#isPcm = form === 'pcm';
    this.#walk = new ByteWalk(walk(this.#length));
  }

  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (!this.#isPcm) this.#walk.push(chunk);
  }

  /** Seconds of what has come so far. */
  facts(): AudioFacts {
    if (this.#isPcm) return { seconds: this.#bytes / SAMPLE_BYTES_PER_SECOND, estimated: false };
    const { seconds, samples } = this.#length;
    if (samples !== undefined) {
      const bytes = Math.max(0, Math.min(samples.bytes, this.#bytes - samples.start));
      return { seconds: bytes / samples.format.bytesPerSecond, estimated: false };
    }
    // A header that claims years is no better than none.
    if (seconds !== undefined && seconds > 0 && seconds < MAX_SECONDS) return { seconds, estimated: false };
    return { seconds: this.#bytes / GUESSED_BYTES_PER_SECOND, estimated: true };
  }
}

const MAX_SECONDS = 7 * 24 * 3600;

function* walk(length: Length): Walk {
  const opening = yield* take(OPENING_BYTES);
  const reader = readerOf(opening);
  if (reader !== undefined) yield* reader(opening, length);
}

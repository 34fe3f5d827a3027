/**
 * How much of a stream's sound costs as much as a token of its words: by the price of what is heard, and by how long
 * what came so far has played. Sound looks like a great many words, and every piece of it would be asked for.
 */
import type { Price } from '../domain/pricing.ts';
import type { CountedOutput } from '../relay/canonical/usage.ts';

/** Of the most tightly packed speech, in base64, before the stream has told more. */
const LEAST_BYTES_PER_HEARD_TOKEN = 256;
/** Of samples of 24 kHz: no speech takes more. */
const MOST_BYTES_PER_HEARD_TOKEN = 4096;
/** Less than two seconds tell little of their size. */
const TELLING_TOKENS = 32;

export class SoundRate {
  /** What a token that is heard costs, in tokens of words. */
  readonly #weight: number;
  #bytesPerHeardToken = LEAST_BYTES_PER_HEARD_TOKEN;
  #fromBytes = 0;
  #fromTokens = 0;

  constructor(price: Price) {
    const { audio, audioCompletion, completion } =
      price.mode === 'token' ? price.rates.ratios : { audio: 1, audioCompletion: 1, completion: 1 };
    this.#weight = completion > 0 ? (audio * audioCompletion) / completion : 1;
  }

  /** Bytes of sound that cost a token of words. */
  get bytesPerToken(): number {
    return this.#bytesPerHeardToken / Math.max(1, this.#weight);
  }

  /** All output in tokens of words. */
  inWords({ completion, completionAudio }: CountedOutput): number {
    return completion + completionAudio * (this.#weight - 1);
  }

  /** Learns from so many bytes so far, of which so many tokens were heard. */
  learn(bytes: number, heardTokens: number): void {
    const heard = heardTokens - this.#fromTokens;
    if (heard < TELLING_TOKENS) return;
    const told = (bytes - this.#fromBytes) / heard;
    // What else came with the sound must not make it look cheaper than it is for longer than caution pays for.
    const most = Math.min(2 * this.#bytesPerHeardToken, MOST_BYTES_PER_HEARD_TOKEN);
    this.#bytesPerHeardToken = Math.min(most, Math.max(told, LEAST_BYTES_PER_HEARD_TOKEN));
    this.#fromBytes = bytes;
    this.#fromTokens = heardTokens;
  }
}

/** Names requests (relay.md 17.1): UTC second, 9 digits of nanoseconds, 8 random characters. */
import { randomFillSync } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const POOL_BYTES = 4096;
const RANDOM_LENGTH = 8;

/** Makes request ids; one per process, so that the random pool and the second's text are shared. */
export class RequestIds {
  readonly #pool = Buffer.alloc(POOL_BYTES);
  #used = POOL_BYTES;
  #second = 0;
  #secondText = '';

  /** A fresh id of 31 characters. */
  next(): string {
    const nowMs = Date.now();
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#secondText = new Date(second * 1000).toISOString().slice(0, 19).replace(/\D/g, '');
    }
    // The wall clock gives milliseconds; the digits below come from the monotonic clock, which only has to differ.
    const below = Number(process.hrtime.bigint() % 1_000_000n);
    const nanoseconds = (nowMs % 1000) * 1_000_000 + below;
    return this.#secondText + String(nanoseconds).padStart(9, '0') + this.#random();
  }

  #random(): string {
    let text = '';
    while (text.length < RANDOM_LENGTH) {
      if (this.#used === POOL_BYTES) {
        randomFillSync(this.#pool);
        this.#used = 0;
      }
      const byte = this.#pool[this.#used] ?? 0;
      this.#used += 1;
      // 248 is the largest multiple of 62 in a byte: above it the letters would not be equally likely.
      if (byte < 248) text += ALPHABET[byte % 62];
    }
    return text;
  }
}

/** A client's own name for its request (`X-Request-Id`), where it is short and printable: logged, never answered. */
export function clientRequestIdOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[\x21-\x7e]{1,128}$/.test(header) ? header : undefined;
}

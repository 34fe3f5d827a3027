/** Short-lived credentials that were traded for a key: fetched once for all who wait, and kept until shortly before they end. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../relay/json.ts';
import { WrongClock } from './index.ts';

/**
 * A small JSON call beside the relay; rejects for anything but a 2xx with an object. What a refusal said is the error's
 * `answer`, its status the error's `status`: 0 where no answer came.
 */
export type TokenCall = (call: {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body?: Buffer;
  /** That of the channel whose key is traded; undefined without one. */
  readonly proxy: string | undefined;
}) => Promise<JsonObject>;

/** A token and how long it may be used. */
export interface FetchedToken {
  readonly token: string;
  readonly ttlMs: number;
}

interface Kept {
  readonly token: string;
  readonly sinceMs: number;
  /** When it is fetched anew. */
  readonly untilMs: number;
  /** When it is no longer valid. */
  readonly endMs: number;
}

const mostKeys = 1000;
/** A token that was revoked early is forgotten after this time at the latest. */
const longestMs = 3_600_000;
/** It is not used for the last of its time: a call must arrive with it. */
const marginMs = 60_000;
/** How long a token that could not be fetched anew is used on before the next try. */
const patienceMs = 30_000;
/** A token that is refused so soon is not stale: its key is wrong. */
const youngMs = 10_000;

export class TokenCache {
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();
  readonly #running = new Map<string, Promise<string>>();
  /** The token that each key had last before its present one, which calls may still be on their way with. */
  readonly #before = new Map<string, string>();

  /** `now` in milliseconds of any epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * The token of a key; at once where one is kept. A failure reaches all who wait and is not kept; one that says nothing
   * of the key is passed over while the token before is valid.
   */
  get(key: string, fetch: () => Promise<FetchedToken>): string | Promise<string> {
    const name = nameOf(key);
    const known = this.#kept.get(name);
    if (known !== undefined && known.untilMs > this.#now()) return known.token;
    const running = this.#running.get(name);
    if (running !== undefined) return running;
    const started = fetch()
      .then(({ token, ttlMs }) => {
        if (this.#kept.size >= mostKeys) this.#kept.clear();
        this.#replaced(name);
        const sinceMs = this.#now();
        const untilMs = sinceMs + Math.min(longestMs, ttlMs / 2);
        this.#kept.set(name, { token, sinceMs, untilMs, endMs: sinceMs + ttlMs - marginMs });
        return token;
      })
      .catch((error: unknown) => {
        // A refused one was forgotten meanwhile.
        const before = this.#kept.get(name);
        if (before === undefined || before.endMs <= this.#now() || saysOfKey(error)) throw error;
        this.#kept.set(name, { ...before, untilMs: Math.min(before.endMs, this.#now() + patienceMs) });
        return before.token;
      })
      .finally(() => this.#running.delete(name));
    this.#running.set(name, started);
    return started;
  }

  /**
   * Drops the token of a key that was refused. True also where a call that was on its way meanwhile carried the one before
   * it; false for one too young to have gone stale, or that was never kept.
   */
  forget(key: string, isUsed: (token: string) => boolean): boolean {
    const name = nameOf(key);
    const known = this.#kept.get(name);
    if (known === undefined || !isUsed(known.token)) {
      const before = this.#before.get(name);
      return before !== undefined && isUsed(before);
    }
    if (this.#now() - known.sinceMs < youngMs) return false;
    this.#replaced(name);
    this.#kept.delete(name);
    return true;
  }

  #replaced(name: string): void {
    const known = this.#kept.get(name);
    if (known === undefined) return;
    if (this.#before.size >= mostKeys) this.#before.clear();
    this.#before.set(name, known.token);
  }
}

/** False where those who trade could not be asked, were busy, or a clock is wrong. */
function saysOfKey(error: unknown): boolean {
  if (error instanceof WrongClock) return false;
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return true;
  const { status } = error;
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** Keys are kept by their hash alone. */
function nameOf(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}

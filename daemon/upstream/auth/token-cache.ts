/** Short-lived credentials that were traded for a key: fetched once for all who wait, and kept until shortly before they end. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../relay/json.ts';

/**
 * A small JSON call beside the relay; rejects for anything but a 2xx with an object. What a refusal said is the error's
 * `answer`.
 */
export type TokenCall = (call: {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body?: Buffer;
}) => Promise<JsonObject>;

/** A token and how long it may be used. */
export interface FetchedToken {
  readonly token: string;
  readonly ttlMs: number;
}

interface Kept {
  readonly token: string;
  readonly sinceMs: number;
  readonly untilMs: number;
}

const mostKeys = 1000;
/** A token that was revoked early is forgotten after this time at the latest. */
const longestMs = 3_600_000;
/** A token that is refused so soon is not stale: its key is wrong. */
const youngMs = 10_000;

export class TokenCache {
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();
  readonly #running = new Map<string, Promise<string>>();

  /** `now` in milliseconds of any epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The token of a key; at once where one is kept. A failure reaches all who wait and is not kept. */
  get(key: string, fetch: () => Promise<FetchedToken>): string | Promise<string> {
    const name = nameOf(key);
    const known = this.#kept.get(name);
    if (known !== undefined && known.untilMs > this.#now()) return known.token;
    const running = this.#running.get(name);
    if (running !== undefined) return running;
    const started = fetch()
      .then(({ token, ttlMs }) => {
        if (this.#kept.size >= mostKeys) this.#kept.clear();
        const sinceMs = this.#now();
        this.#kept.set(name, { token, sinceMs, untilMs: sinceMs + Math.min(longestMs, ttlMs / 2) });
        return token;
      })
      .finally(() => this.#running.delete(name));
    this.#running.set(name, started);
    return started;
  }

  /** Drops the token of a key that was refused. False where there is none, or one too young to have gone stale. */
  forget(key: string): boolean {
    const name = nameOf(key);
    const known = this.#kept.get(name);
    if (known === undefined || this.#now() - known.sinceMs < youngMs) return false;
    this.#kept.delete(name);
    return true;
  }
}

/** Keys are kept by their hash alone. */
function nameOf(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}

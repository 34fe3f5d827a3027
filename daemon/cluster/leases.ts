/** Rights that one holder in the cluster has for a while: jobs, long runs. A holder that dies loses them by their age. */
import type { Redis } from 'ioredis';
import type { RedisLink } from './redis.ts';
import { wholeMs } from './whole-ms.ts';

export interface Lease {
  /** False when the lease was lost in the meantime; true while nobody can tell. */
  renew(ttlMs: number): Promise<boolean>;
  release(): Promise<void>;
}

export interface Leases {
  /** Undefined while somebody else holds the name. */
  acquire(name: string, ttlMs: number): Promise<Lease | undefined>;
  /** Whether somebody holds the name now. */
  isHeld(name: string): Promise<boolean>;
}

/** Leases among the callers of one process. */
export class MemoryLeases implements Leases {
  readonly #now: () => number;
  readonly #held = new Map<string, { until: number }>();

  /** @param now monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  async acquire(name: string, ttlMs: number): Promise<Lease | undefined> {
    const current = this.#held.get(name);
    if (current !== undefined && current.until > this.#now()) return undefined;
    const mine = { until: this.#now() + ttlMs };
    this.#held.set(name, mine);
    return {
      renew: async (longer) => {
        if (this.#held.get(name) !== mine || mine.until <= this.#now()) return false;
        mine.until = this.#now() + longer;
        return true;
      },
      release: async () => {
        if (this.#held.get(name) === mine) this.#held.delete(name);
      },
    };
  }

  async isHeld(name: string): Promise<boolean> {
    return (this.#held.get(name)?.until ?? 0) > this.#now();
  }
}

const renewScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`;
const releaseScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/** Leases of the whole cluster; while Redis cannot answer, those of this process, so that jobs must bear a double run. */
export class RedisLeases implements Leases {
  readonly #link: RedisLink;
  readonly #fallback: Leases;
  readonly #newToken: () => string;

  constructor(deps: { link: RedisLink; fallback: Leases; newToken: () => string }) {
    this.#link = deps.link;
    this.#fallback = deps.fallback;
    this.#newToken = deps.newToken;
  }

  async acquire(name: string, ttlMs: number): Promise<Lease | undefined> {
    const key = this.#link.key(`lease:${name}`);
    const token = this.#newToken();
    const giveBack = (redis: Redis) => redis.eval(releaseScript, 1, key, token);
    const answer = await this.#link.take((redis) => redis.set(key, token, 'PX', wholeMs(ttlMs), 'NX'), giveBack);
    if (answer === undefined) return this.#fallback.acquire(name, ttlMs);
    if (answer.value !== 'OK') return undefined;
    return {
      renew: async (longer) => {
        const renewed = await this.#link.attempt((redis) => redis.eval(renewScript, 1, key, token, wholeMs(longer)));
        // What cannot be asked has not been lost: a long run is not cut short by a moment without Redis.
        return renewed === undefined || renewed.value === 1;
      },
      release: () => this.#link.clear(giveBack),
    };
  }

  async isHeld(name: string): Promise<boolean> {
    const answer = await this.#link.attempt((redis) => redis.exists(this.#link.key(`lease:${name}`)));
    return answer === undefined ? this.#fallback.isHeld(name) : answer.value === 1;
  }
}

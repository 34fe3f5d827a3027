/** What every relay call must pass before anything about it is known: stopping, setup, capacity (relay.md 1.1, 17.9). */
import { TollgateError } from '../errors.ts';
import type { Exchange } from './exchange.ts';

/** Every request may have so much: as many as may run at once never come to much, and large ones cannot keep them out. */
const ALWAYS_HELD_BYTES = 64 * 1024;
const MEBIBYTE = 1024 * 1024;

export interface GatesConfig {
  /** Requests that may run at once on this node. */
  readonly maxConcurrent: number;
  /** Requests of one user that may run at once on this node. */
  readonly maxConcurrentPerUser: number;
  /** Bytes of bodies that may lie in the memory of this node, for all requests together. */
  readonly maxHeldBytes: number;
  /** How many of them may be of one user's large bodies. */
  readonly maxHeldBytesPerUser: number;
}

export class Gates {
  readonly #config: GatesConfig;
  readonly #perUser = new Map<number, number>();
  /** Bytes by user, of requests that have more than any may have: others come and go without a look at it. */
  readonly #largeBytes = new Map<number, number>();
  #running = 0;
  #answered = 0;
  #heldBytes = 0;
  #draining = false;
  #idle: (() => void) | undefined;

  constructor(config: GatesConfig) {
    this.#config = config;
  }

  /** Requests in progress, those included that are answered and not settled yet. */
  get running(): number {
    return this.#running + this.#answered;
  }

  /** Admits a request, or throws `shutting_down`, `setup_required`, `over_capacity`. */
  enter(exchange: Exchange): void {
    if (this.#draining) throw new TollgateError('shutting_down', {}, { retryAfterSeconds: 5 });
    if (!exchange.view.setupDone) throw new TollgateError('setup_required', {}, { retryAfterSeconds: 5 });
    if (this.#running >= this.#config.maxConcurrent) {
      throw new TollgateError('over_capacity', {}, { retryAfterSeconds: 1 });
    }
    this.#running += 1;
  }

  /** Bytes of the bodies of running requests. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Counts bytes of its body that the request keeps until it leaves. What they are refused with where its user, or the
   * node, has no room for them: `rate_limited:held_bodies`, `over_capacity`.
   */
  hold(exchange: Exchange, bytes: number): TollgateError | undefined {
    const refusal = this.refusalOf(exchange, bytes);
    if (refusal !== undefined) return refusal;
    const before = exchange.heldBytes;
    const held = before + bytes;
    exchange.heldBytes = held;
    this.#heldBytes += bytes;
    if (held > ALWAYS_HELD_BYTES) this.#countLarge(exchange.userId, held - largeBytes(before));
    return undefined;
  }

  /** What so many bytes more would be refused with now; undefined where there is room for them. */
  refusalOf({ heldBytes, userId }: Exchange, bytes: number): TollgateError | undefined {
    const held = heldBytes + bytes;
    if (held <= ALWAYS_HELD_BYTES) return undefined;
    const { maxHeldBytes, maxHeldBytesPerUser } = this.#config;
    const ofUser = (this.#largeBytes.get(userId) ?? 0) - largeBytes(heldBytes) + held;
    // The user first: whoever has their part can make room, and need not wait for others to.
    if (ofUser > maxHeldBytesPerUser) {
      const limit = Math.floor(maxHeldBytesPerUser / MEBIBYTE);
      return new TollgateError('rate_limited:held_bodies', { limit }, { retryAfterSeconds: 1 });
    }
    if (this.#heldBytes + bytes <= maxHeldBytes) return undefined;
    return new TollgateError('over_capacity', {}, { retryAfterSeconds: 1 });
  }

  #countLarge(userId: number, bytes: number): void {
    const large = (this.#largeBytes.get(userId) ?? 0) + bytes;
    if (large > 0) this.#largeBytes.set(userId, large);
    else this.#largeBytes.delete(userId);
  }

  #giveBack({ heldBytes, userId }: Exchange): void {
    this.#heldBytes -= heldBytes;
    if (heldBytes > ALWAYS_HELD_BYTES) this.#countLarge(userId, -heldBytes);
  }

  leave(exchange: Exchange): void {
    this.#giveBack(exchange);
    this.#running -= 1;
    if (this.running === 0) this.#idle?.();
  }

  /** Takes a request out that is answered, and waits for its bill: others may come, `drain` still waits for it. */
  answered(): void {
    this.#running -= 1;
    this.#answered += 1;
  }

  /** What an answered request waited for is done. */
  settled(exchange: Exchange): void {
    this.#giveBack(exchange);
    this.#answered -= 1;
    if (this.running === 0) this.#idle?.();
  }

  /** Counts a request for its user, whose its body is from here on, or throws `rate_limited:concurrency`. */
  enterUser(exchange: Exchange, userId: number): void {
    const running = this.#perUser.get(userId) ?? 0;
    const limit = this.#config.maxConcurrentPerUser;
    if (running >= limit) throw new TollgateError('rate_limited:concurrency', { limit }, { retryAfterSeconds: 1 });
    this.#perUser.set(userId, running + 1);
    exchange.userId = userId;
  }

  leaveUser(userId: number): void {
    const running = this.#perUser.get(userId) ?? 0;
    if (running <= 1) this.#perUser.delete(userId);
    else this.#perUser.set(userId, running - 1);
  }

  /** Lets nobody in any more; resolves when the last running request has left and is settled. */
  drain(): Promise<void> {
    this.#draining = true;
    if (this.running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }
}

/** What a request with so many bytes counts for among its user's large ones. */
function largeBytes(held: number): number {
  return held > ALWAYS_HELD_BYTES ? held : 0;
}

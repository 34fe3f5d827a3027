/** Which channel and key hold the state of a stored response, in the database: it survives restarts (relay.md 5.10). */
import type { Database } from '../store/database.ts';
import type { ResponseAffinityRecord } from '../store/response-affinity.ts';
import type { AffinityTarget, ResponseKey, ResponseMemory } from './affinity.ts';
import { WriteBehind } from './write-behind.ts';

export interface StoredResponsesDeps {
  readonly database: Database;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
  /** Told when entries could not be written; they are lost. */
  readonly report: (error: unknown) => void;
}

const writtenAtOnce = 200;
const writtenAfterMs = 500;
/** Entries that may wait while the database is away; the oldest are dropped. */
const mostWaiting = 10_000;
const deletedAtOnce = 1000;

export class StoredResponses implements ResponseMemory {
  readonly #deps: StoredResponsesDeps;
  #waiting: ResponseAffinityRecord[] = [];
  readonly #writer = new WriteBehind(() => this.#write(), writtenAfterMs);

  constructor(deps: StoredResponsesDeps) {
    this.#deps = deps;
  }

  async find({ userId, hash }: ResponseKey): Promise<AffinityTarget | undefined> {
    const { responseAffinity } = this.#deps.database.stores;
    const found = await responseAffinity.find(hash, userId, this.#deps.nowSeconds());
    return found && { channelId: found.channelId, keyHash: found.keyHash };
  }

  keep({ userId, hash }: ResponseKey, target: AffinityTarget, ttlSeconds: number): void {
    const expiresAt = this.#deps.nowSeconds() + ttlSeconds;
    this.#waiting.push({ responseId: hash, userId, ...target, expiresAt });
    if (this.#waiting.length > mostWaiting) this.#waiting = this.#waiting.slice(-mostWaiting);
    if (this.#waiting.length >= writtenAtOnce) void this.flush();
    else this.#writer.plan();
  }

  /** Writes what waits; for shutdown too. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /** Removes what has run out, a batch at a time. */
  async deleteExpired(): Promise<void> {
    const { responseAffinity } = this.#deps.database.stores;
    while ((await responseAffinity.deleteExpired(this.#deps.nowSeconds(), deletedAtOnce)) === deletedAtOnce);
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, writtenAtOnce);
      try {
        await this.#deps.database.stores.responseAffinity.insert(batch);
      } catch (error) {
        this.#deps.report(error);
        return;
      }
    }
  }
}

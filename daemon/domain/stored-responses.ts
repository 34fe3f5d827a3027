/** Which channel and key keep a response and its items, in the database: it survives restarts (relay.md 5.10). */
import { insertChunks } from '../store/chunks.ts';
import type { Database } from '../store/database.ts';
import type { ResponseAffinityRecord } from '../store/response-affinity.ts';
import type { AffinityTarget, KeptId, KeptPlace, ResponseMemory } from './affinity.ts';
import { WriteBehind } from './write-behind.ts';

export interface StoredResponsesDeps {
  readonly database: Database;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
  /** Told when entries could not be written; they are lost. */
  readonly report: (error: unknown) => void;
}

const writtenAtOnce = 200;
/** Soon: behind a balancer the next turn may come to another node, and a program that takes turns does not pause. */
const writtenAfterMs = 10;
/** Entries that may wait while the database is away; the oldest are dropped. */
const mostWaiting = 10_000;
const deletedAtOnce = 1000;

export class StoredResponses implements ResponseMemory {
  readonly #deps: StoredResponsesDeps;
  #waiting: ResponseAffinityRecord[] = [];
  /** What is on its way into the database: no longer waiting, and not to be found there yet. */
  #writing: readonly ResponseAffinityRecord[] = [];
  readonly #writer = new WriteBehind(() => this.#write(), writtenAfterMs);

  constructor(deps: StoredResponsesDeps) {
    this.#deps = deps;
  }

  async find(ids: readonly KeptId[]): Promise<readonly KeptPlace[]> {
    const rows = [...this.#writing, ...this.#waiting];
    for (const chunk of insertChunks(ids)) {
      const names = {
        responseIds: chunk.map(({ hash }) => hash),
        idHashes: chunk.flatMap(({ idHash }) => idHash ?? []),
      };
      rows.push(...(await this.#deps.database.stores.responseAffinity.find(names, this.#deps.nowSeconds())));
    }
    const places = new Map(rows.map(({ responseId, channelId, keyHash }) => [responseId, { channelId, keyHash }]));
    const known = new Set(rows.flatMap(({ idHash }) => idHash ?? []));
    const isAnothers = (idHash: string | null) => idHash !== null && known.has(idHash);
    return ids.map(({ hash, idHash }) => places.get(hash) ?? (isAnothers(idHash) ? 'of-another' : undefined));
  }

  keep({ userId, hash, idHash }: KeptId, target: AffinityTarget, ttlSeconds: number): void {
    const expiresAt = this.#deps.nowSeconds() + ttlSeconds;
    this.#waiting.push({ responseId: hash, idHash, userId, ...target, expiresAt });
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
      this.#writing = this.#waiting.splice(0, writtenAtOnce);
      try {
        await this.#deps.database.stores.responseAffinity.insert(this.#writing);
      } catch (error) {
        this.#deps.report(error);
        return;
      } finally {
        this.#writing = [];
      }
    }
  }
}

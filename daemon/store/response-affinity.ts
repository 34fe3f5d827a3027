/** SQL for the `response_affinity` table: which channel and key keep a response or an item of one (relay.md 5.10). */
import type { Knex } from 'knex';
import { insertChunks } from './chunks.ts';
import { asStored, Table } from './table.ts';

export interface ResponseAffinityRecord {
  /** Names the id and its user. */
  responseId: string;
  /** Names the id alone; null in rows of older programs. */
  idHash: string | null;
  userId: number;
  channelId: number;
  keyHash: string;
  expiresAt: number;
}

const affinities = new Table<ResponseAffinityRecord>(
  'response_affinity',
  {
    responseId: 'response_id',
    idHash: 'id_hash',
    userId: 'user_id',
    channelId: 'channel_id',
    keyHash: 'key_hash',
    expiresAt: 'expires_at',
  },
  asStored,
);

export class ResponseAffinityStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** All that have one of the names of either kind, unless they have expired. */
  async find(
    { responseIds, idHashes }: { responseIds: readonly string[]; idHashes: readonly string[] },
    nowSeconds: number,
  ): Promise<ResponseAffinityRecord[]> {
    return affinities.all(
      this.#db('response_affinity')
        .where('expires_at', '>', nowSeconds)
        .where((named) => named.whereIn('response_id', responseIds).orWhereIn('id_hash', idHashes)),
    );
  }

  /** What is known already keeps its place, for as long again. */
  async insert(added: readonly ResponseAffinityRecord[]): Promise<void> {
    // PostgreSQL updates no row twice in one statement.
    const newest = new Map(added.map((affinity) => [affinity.responseId, affinity]));
    for (const chunk of insertChunks([...newest.values()])) {
      const rows = chunk.map((affinity) => affinities.row(affinity));
      await this.#db('response_affinity').insert(rows).onConflict('response_id').merge(['expires_at']);
    }
  }

  /** Removes at most `limit` that have expired; returns how many. */
  async deleteExpired(nowSeconds: number, limit: number): Promise<number> {
    const expired = this.#db('response_affinity')
      .select('response_id')
      .where('expires_at', '<=', nowSeconds)
      .limit(limit);
    return this.#db('response_affinity').whereIn('response_id', expired).delete();
  }
}

/** SQL for the `response_affinity` table: which channel and key hold the state of a stored response (relay.md 5.10). */
import type { Knex } from 'knex';
import { insertChunks } from './chunks.ts';
import { asStored, Table } from './table.ts';

export interface ResponseAffinityRecord {
  responseId: string;
  userId: number;
  channelId: number;
  keyHash: string;
  expiresAt: number;
}

const affinities = new Table<ResponseAffinityRecord>(
  'response_affinity',
  {
    responseId: 'response_id',
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

  /** That of this user's response, unless it has expired. */
  async find(responseId: string, userId: number, nowSeconds: number): Promise<ResponseAffinityRecord | undefined> {
    return affinities.first(
      this.#db('response_affinity')
        .where({ response_id: responseId, user_id: userId })
        .where('expires_at', '>', nowSeconds),
    );
  }

  /** A response that is known already keeps its place. */
  async insert(added: readonly ResponseAffinityRecord[]): Promise<void> {
    for (const chunk of insertChunks(added)) {
      const rows = chunk.map((affinity) => affinities.row(affinity));
      await this.#db('response_affinity').insert(rows).onConflict('response_id').ignore();
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

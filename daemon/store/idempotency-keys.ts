/** SQL for the `idempotency_keys` table: answers of calls that carried an `Idempotency-Key`. */
import type { Knex } from 'knex';
import { asStored, Table } from './table.ts';

export interface IdempotencyKeyRecord {
  actorId: number;
  key: string;
  /** Hash of method, path and body; a dot and what marks the call that claimed the key may follow. */
  requestHash: string;
  /** JSON text of the answer; null while the call is under way. */
  response: string | null;
  createdAt: number;
}

const keys = new Table<IdempotencyKeyRecord>(
  'idempotency_keys',
  { actorId: 'actor_id', key: 'key', requestHash: 'request_hash', response: 'response', createdAt: 'created_at' },
  asStored,
);

/** Whose key it is. */
export type IdempotencyKey = Pick<IdempotencyKeyRecord, 'actorId' | 'key'>;

export class IdempotencyKeyStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async find({ actorId, key }: IdempotencyKey): Promise<IdempotencyKeyRecord | undefined> {
    return keys.first(this.#db('idempotency_keys').where({ actor_id: actorId, key }));
  }

  /** Claims the key for a call; false when it was used before. */
  async claim(claim: Omit<IdempotencyKeyRecord, 'response'>): Promise<boolean> {
    const inserted = await keys.writtenOne(
      this.#db('idempotency_keys').insert(keys.row(claim)).onConflict(['actor_id', 'key']).ignore(),
    );
    return inserted !== undefined;
  }

  async complete({ actorId, key }: IdempotencyKey, response: string): Promise<void> {
    await this.#db('idempotency_keys').where({ actor_id: actorId, key }).update({ response });
  }

  /** Removes so many keys from before that time at most; returns how many. */
  async deleteBefore(createdAt: number, limit: number): Promise<number> {
    const old = this.#db('idempotency_keys').select('actor_id', 'key').where('created_at', '<', createdAt).limit(limit);
    return this.#db('idempotency_keys').whereIn(['actor_id', 'key'], old).delete();
  }

  /** Removes the key if it is from before that time. */
  async deleteIfBefore({ actorId, key }: IdempotencyKey, createdAt: number): Promise<void> {
    await this.#db('idempotency_keys').where({ actor_id: actorId, key }).where('created_at', '<', createdAt).delete();
  }
}

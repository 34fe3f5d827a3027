/** SQL for the `channel_tests` table: what tests of a channel found, the newest of each model. */
import type { Knex } from 'knex';
import { readFlag } from './dialect.ts';
import { Table } from './table.ts';

export interface ChannelTestRecord {
  id: number;
  channelId: number;
  model: string;
  createdAt: number;
  ok: boolean;
  timeMs: number;
  /** HTTP status of the upstream; 0 when none came. */
  status: number;
  /** Masked. */
  message: string;
  /** 0 = a scheduled run. */
  actorId: number;
}

/** Tests kept for each channel and model. */
const KEPT = 50;

const tests = new Table<ChannelTestRecord>(
  'channel_tests',
  {
    id: 'id',
    channelId: 'channel_id',
    model: 'model',
    createdAt: 'created_at',
    ok: 'ok',
    timeMs: 'time_ms',
    status: 'status',
    message: 'message',
    actorId: 'actor_id',
  },
  (stored) => ({ ...stored, ok: readFlag(stored.ok) }),
);

export class ChannelTestStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Adds a test and drops what is beyond the newest 50 of this channel and model. */
  async append(test: Omit<ChannelTestRecord, 'id'>): Promise<ChannelTestRecord | undefined> {
    const added = await tests.writtenOne(this.#db('channel_tests').insert(tests.foreignRow(test)));
    const kept = this.#db('channel_tests')
      .select('id')
      .where({ channel_id: test.channelId, model: test.model })
      .orderBy('id', 'desc')
      .limit(KEPT);
    await this.#db('channel_tests')
      .where({ channel_id: test.channelId, model: test.model })
      .whereNotIn('id', kept)
      .delete();
    return added;
  }

  /** Newest first; of one model, or of all. */
  async list(search: { channelId: number; model?: string | undefined; limit: number }): Promise<ChannelTestRecord[]> {
    const query = this.#db('channel_tests').where({ channel_id: search.channelId });
    if (search.model !== undefined) query.where({ model: search.model });
    return tests.all(query.orderBy('id', 'desc').limit(search.limit));
  }

  async deleteOfChannels(channelIds: readonly number[]): Promise<void> {
    if (channelIds.length > 0) await this.#db('channel_tests').whereIn('channel_id', channelIds).delete();
  }
}

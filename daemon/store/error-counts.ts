/** SQL for the `error_counts` table: how many calls of each channel failed within a minute, by the process that made them. */
import type { Knex } from 'knex';
import { insertChunks } from './chunks.ts';
import { asStored, Table } from './table.ts';

export interface ErrorCountRecord {
  /** Unix minutes. */
  minute: number;
  /** Names one run of one process. */
  processId: string;
  /** 0 for calls as a whole. */
  channelId: number;
  failed: number;
  total: number;
}

/** Over all processes. */
export type ErrorSum = Pick<ErrorCountRecord, 'channelId' | 'failed' | 'total'>;

const counts = new Table<ErrorCountRecord>(
  'error_counts',
  { minute: 'minute', processId: 'process_id', channelId: 'channel_id', failed: 'failed', total: 'total' },
  asStored,
);

export class ErrorCountStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** What a process has counted so far takes the place of what it said before. */
  async put(added: readonly ErrorCountRecord[]): Promise<void> {
    for (const chunk of insertChunks(added)) {
      const rows = chunk.map((count) => counts.row(count));
      await this.#db('error_counts').insert(rows).onConflict(['minute', 'process_id', 'channel_id']).merge();
    }
  }

  /** Sums of all processes since that minute, by channel. */
  async sumsSince(minute: number): Promise<ErrorSum[]> {
    const sum = (column: string) => this.#db.raw('cast(sum(??) as bigint)', [column]);
    return this.#db('error_counts')
      .where('minute', '>=', minute)
      .groupBy('channel_id')
      .orderBy('channel_id')
      .select({ channelId: 'channel_id', failed: sum('failed'), total: sum('total') });
  }

  async deleteBefore(minute: number): Promise<void> {
    await this.#db('error_counts').where('minute', '<', minute).delete();
  }
}

/** SQL for the `log_bodies` table: prompt and answer texts of a call, kept apart from its row and for a shorter time. */
import type { Knex } from 'knex';
import { insertChunks } from './chunks.ts';
import { asStored, Table } from './table.ts';

export interface LogBodyRecord {
  requestId: string;
  userId: number;
  createdAt: number;
  systemPrompt: string | null;
  /** JSON text: list of {role, content}. */
  context: string | null;
  inputContent: string | null;
  outputContent: string | null;
}

const bodies = new Table<LogBodyRecord>(
  'log_bodies',
  {
    requestId: 'request_id',
    userId: 'user_id',
    createdAt: 'created_at',
    systemPrompt: 'system_prompt',
    context: 'context',
    inputContent: 'input_content',
    outputContent: 'output_content',
  },
  asStored,
);

export class LogBodyStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** A body whose request has one already is left out. */
  async insert(added: readonly LogBodyRecord[]): Promise<void> {
    for (const chunk of insertChunks(added)) {
      const rows = chunk.map((body) => bodies.row(body));
      await this.#db('log_bodies').insert(rows).onConflict('request_id').ignore();
    }
  }

  async findMany(requestIds: readonly string[]): Promise<LogBodyRecord[]> {
    if (requestIds.length === 0) return [];
    return bodies.all(this.#db('log_bodies').whereIn('request_id', requestIds));
  }

  /** Removes at most `limit` bodies older than that; returns how many. */
  async deleteBefore(createdAt: number, limit: number): Promise<number> {
    const old = this.#db('log_bodies').select('request_id').where('created_at', '<', createdAt).limit(limit);
    return this.#db('log_bodies').whereIn('request_id', old).delete();
  }
}

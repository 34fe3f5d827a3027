/** SQL for the `option_changes` table: who changed an option last, also where it stands at its default again. */
import type { Knex } from 'knex';
import { asStored, Table } from './table.ts';

export interface OptionChangeRecord {
  key: string;
  /** Unix seconds. */
  updatedAt: number;
  actorId: number;
  actorName: string;
}

const changes = new Table<OptionChangeRecord>(
  'option_changes',
  { key: 'key', updatedAt: 'updated_at', actorId: 'actor_id', actorName: 'actor_name' },
  asStored,
);

export class OptionChangeStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async all(): Promise<OptionChangeRecord[]> {
    return changes.all(this.#db('option_changes'));
  }

  async find(key: string): Promise<OptionChangeRecord | undefined> {
    return changes.first(this.#db('option_changes').where({ key }));
  }

  async set(change: OptionChangeRecord): Promise<void> {
    await this.#db('option_changes').insert(changes.row(change)).onConflict('key').merge();
  }
}

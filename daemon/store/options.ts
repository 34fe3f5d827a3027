/** SQL for the `options` table: values that differ from their defaults. */
import type { Knex } from 'knex';
import { asStored, Table } from './table.ts';

export interface OptionRecord {
  key: string;
  /** As published; sealed for secret keys. */
  value: string;
}

const options = new Table<OptionRecord>('options', { key: 'key', value: 'value' }, asStored);

export class OptionStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async all(): Promise<OptionRecord[]> {
    return options.all(this.#db('options').orderBy('key'));
  }

  async find(key: string): Promise<OptionRecord | undefined> {
    return options.first(this.#db('options').where({ key }));
  }

  async set(key: string, value: string): Promise<void> {
    await this.#db('options').insert({ key, value }).onConflict('key').merge();
  }

  /** Back to the default. */
  async delete(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await this.#db('options').whereIn('key', keys).delete();
  }
}

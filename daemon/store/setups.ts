/** SQL for the `setups` table: at most one row, which says that the first run is done. */
import type { Knex } from 'knex';
import { asStored, Table } from './table.ts';

export interface SetupRecord {
  /** Version of the program that ran the setup. */
  version: string;
  initializedAt: number;
}

const setups = new Table<SetupRecord>('setups', { version: 'version', initializedAt: 'initialized_at' }, asStored);

export class SetupStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async find(): Promise<SetupRecord | undefined> {
    return setups.first(this.#db('setups').where({ id: 1 }));
  }

  /** False when the row exists: somebody else was first. */
  async insert(setup: SetupRecord): Promise<boolean> {
    const row = { id: 1, ...setups.row(setup) };
    return (await setups.writtenOne(this.#db('setups').insert(row).onConflict('id').ignore())) !== undefined;
  }
}

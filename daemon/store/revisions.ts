/** SQL for the `revisions` table: a number for each topic that rises with every change of it. */
import type { Knex } from 'knex';
import { asStored, Table } from './table.ts';

export interface RevisionRecord {
  topic: string;
  revision: number;
}

const revisions = new Table<RevisionRecord>('revisions', { topic: 'topic', revision: 'revision' }, asStored);

export class RevisionStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Every topic that was ever changed, with its number. */
  async byTopic(): Promise<ReadonlyMap<string, number>> {
    const rows = await revisions.all(this.#db('revisions').orderBy('topic'));
    return new Map(rows.map(({ topic, revision }) => [topic, revision]));
  }

  /** Raises the topic's number by one and returns it; the first is 1. In the transaction of the change. */
  async bump(topic: string): Promise<number> {
    const query = this.#db('revisions')
      .insert({ topic, revision: 1 })
      .onConflict('topic')
      .merge({ revision: this.#db.raw('?? + 1', ['revisions.revision']) });
    const bumped = await revisions.writtenOne(query);
    return bumped?.revision ?? 1;
  }
}

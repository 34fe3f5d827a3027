/** SQL for the `revisions` table: a number for each topic that rises with every change of it. */
import type { Knex } from 'knex';
import { type Engine, type RawResult, rowsOf } from './dialect.ts';
import { asStored, Table } from './table.ts';

export interface RevisionRecord {
  topic: string;
  revision: number;
}

const revisions = new Table<RevisionRecord>('revisions', { topic: 'topic', revision: 'revision' }, asStored);

/** Tells these locks from others; any number, as long as every version of the program uses the same. */
const LINES = 765_503;

const raise = `ON CONFLICT (topic) DO UPDATE SET revision = revisions.revision + 1 RETURNING revision`;

/** Who waits for a row of PostgreSQL may be overtaken until the statement is broken off; in line for a lock nobody is. */
const bumps: Readonly<Record<Engine, string>> = {
  sqlite: `INSERT INTO revisions (topic, revision) VALUES (:topic, 1) ${raise}`,
  postgres: `
    INSERT INTO revisions (topic, revision)
    SELECT :topic, 1 FROM pg_advisory_xact_lock(:lines, hashtext(:topic)) AS line ${raise}`,
};

export class RevisionStore {
  readonly #db: Knex;
  readonly #engine: Engine;

  constructor(db: Knex, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
  }

  /** Every topic that was ever changed, with its number. */
  async byTopic(): Promise<ReadonlyMap<string, number>> {
    const rows = await revisions.all(this.#db('revisions').orderBy('topic'));
    return new Map(rows.map(({ topic, revision }) => [topic, revision]));
  }

  /**
   * Raises the topic's number by one and returns it; the first is 1. In the transaction of the change, as its first
   * statement: until its end all others who change the topic wait, in the order in which they came.
   */
  async bump(topic: string): Promise<number> {
    const bumped: RawResult<{ revision: number }> = await this.#db.raw(bumps[this.#engine], { topic, lines: LINES });
    return rowsOf(bumped)[0]?.revision ?? 1;
  }
}

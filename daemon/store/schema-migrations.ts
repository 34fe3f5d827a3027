/** SQL for the list of migrations that a database has seen, and for the lock under which they run. */
import type { Knex } from 'knex';
import type { Engine } from './dialect.ts';

/** One change of the schema; see `migrations/index.ts`. */
export interface Migration {
  /** Number and subject, such as `0001-initial`; the order of the list is the order of the numbers. */
  readonly name: string;
  up(db: Knex, engine: Engine): Promise<void>;
}

export interface MigrationRecord {
  name: string;
  /** Unix seconds. */
  appliedAt: number;
}

/** Any number, as long as every version of the program uses the same. */
const LOCK = 7_655_034_783;

export class SchemaMigrationStore {
  readonly #db: Knex;
  readonly #engine: Engine;

  constructor(db: Knex, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
  }

  /** Keeps every other migrating process out until the transaction ends; it waits for that long. */
  async lock(): Promise<void> {
    // On SQLite a transaction holds the write lock from its start.
    if (this.#engine === 'sqlite') return;
    await this.#db.raw('select pg_advisory_xact_lock(?)', [LOCK]);
  }

  /** In the order of application; undefined when the database has never been migrated. */
  async applied(): Promise<MigrationRecord[] | undefined> {
    if (!(await this.#exists())) return undefined;
    return this.#db('schema_migrations').select({ name: 'name', appliedAt: 'applied_at' }).orderBy('name');
  }

  /** Changes the schema and notes it, both in this transaction. */
  async apply(migration: Migration, appliedAt: number): Promise<void> {
    if (!(await this.#exists())) {
      await this.#db.schema.createTable('schema_migrations', (table) => {
        table.text('name').notNullable().primary();
        table.bigInteger('applied_at').notNullable();
      });
    }
    await migration.up(this.#db, this.#engine);
    await this.#db('schema_migrations').insert({ name: migration.name, applied_at: appliedAt });
  }

  async #exists(): Promise<boolean> {
    if (this.#engine === 'sqlite') {
      const query = this.#db('sqlite_master').where({ type: 'table', name: 'schema_migrations' });
      return (await query.first('name')) !== undefined;
    }
    const { rows } = await this.#db.raw<{ rows: { found: boolean }[] }>(
      "select to_regclass('schema_migrations') is not null as found",
    );
    return rows[0]?.found === true;
  }
}

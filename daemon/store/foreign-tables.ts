/** Tables of a database that another program made: which columns they have, and their rows as they are. Reads only. */
import type { Knex } from 'knex';
import { type Engine, type RawResult, rowsOf } from './dialect.ts';

/** Engines that are read; this program keeps nothing in MySQL. */
export type ForeignEngine = Engine | 'mysql';

/** Cells by column, as the driver hands them over. */
export type ForeignRow = Readonly<Record<string, unknown>>;

/** Which rows are read. */
export interface ForeignSelection {
  /** The column that orders them, which no two share. */
  readonly key: string;
  readonly columns: readonly string[];
  /** Columns that the database itself writes out as text: a driver would round large numbers, or take JSON apart. */
  readonly exact: ReadonlySet<string>;
}

export interface ForeignTables {
  /** Names of all columns; none where there is no such table. */
  columns(table: string): Promise<readonly string[]>;
  /** All rows in the order of the key, in portions that fit in memory; each call begins anew. */
  portions(table: string, selection: ForeignSelection): AsyncGenerator<readonly ForeignRow[]>;
}

/** Rows that are read at once; those of such tables are small. */
const PORTION = 500;

/** Tables of the schema that the connection comes to. */
const inOwnSchema = { postgres: 'table_schema = current_schema()', mysql: 'table_schema = database()' } as const;
const asText = {
  sqlite: 'cast(?? as text) as ??',
  postgres: 'cast(?? as text) as ??',
  mysql: 'cast(?? as char) as ??',
};

export class ForeignTableStore implements ForeignTables {
  readonly #db: Knex;
  readonly #engine: ForeignEngine;

  constructor(db: Knex, engine: ForeignEngine) {
    this.#db = db;
    this.#engine = engine;
  }

  async columns(table: string): Promise<string[]> {
    if (this.#engine === 'sqlite') {
      const result: RawResult<{ name: string }> = await this.#db.raw(
        'select name from pragma_table_info(?) order by cid',
        [table],
      );
      return rowsOf(result).map(({ name }) => name);
    }
    const found: { place: string; name: string }[] = await this.#db('information_schema.columns')
      .select({ place: 'table_name', name: 'column_name' })
      .where({ table_name: table })
      .whereRaw(inOwnSchema[this.#engine])
      .orderBy('ordinal_position');
    // MySQL compares names without regard to case here, and with it where rows are read.
    return found.filter(({ place }) => place === table).map(({ name }) => name);
  }

  async *portions(table: string, { key, columns, exact }: ForeignSelection): AsyncGenerator<ForeignRow[]> {
    const selection = columns.map((column) =>
      exact.has(column) ? this.#db.raw(asText[this.#engine], [column, column]) : column,
    );
    let last: unknown;
    for (;;) {
      const query: Knex.QueryBuilder = this.#db(table).select(selection).orderBy(key).limit(PORTION);
      if (last !== undefined) query.where(key, '>', typeof last === 'number' ? last : String(last));
      const rows: ForeignRow[] = await query;
      if (rows.length > 0) yield rows;
      if (rows.length < PORTION) return;
      last = rows.at(-1)?.[key];
    }
  }
}

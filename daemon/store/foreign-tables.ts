/** Tables of a database that another program made: which columns they have, and their rows as they are. Reads only. */
import type { Knex } from 'knex';
import { type Engine, type RawResult, rowsOf } from './dialect.ts';

/** Cells by column, as the driver hands them over. */
export type ForeignRow = Readonly<Record<string, unknown>>;

/** Rows that are read at once; those of such tables are small. */
const PORTION = 500;

export class ForeignTableStore {
  readonly #db: Knex;
  readonly #engine: Engine;

  constructor(db: Knex, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
  }

  /** Names of all columns; none where there is no such table. */
  async columns(table: string): Promise<string[]> {
    const result: RawResult<{ name: string }> =
      this.#engine === 'sqlite'
        ? await this.#db.raw('select name from pragma_table_info(?) order by cid', [table])
        : await this.#db.raw(
            `select column_name as name from information_schema.columns
             where table_schema = current_schema() and table_name = ? order by ordinal_position`,
            [table],
          );
    return rowsOf(result).map(({ name }) => name);
  }

  /**
   * All rows in the order of `key`, which no two of them share, with these columns.
   *
   * @param exact columns that the database itself writes out as text: a driver would round large numbers
   */
  async all(
    table: string,
    { key, columns, exact }: { key: string; columns: readonly string[]; exact: ReadonlySet<string> },
  ): Promise<ForeignRow[]> {
    const found: ForeignRow[] = [];
    const selection = columns.map((column) =>
      exact.has(column) ? this.#db.raw('cast(?? as text) as ??', [column, column]) : column,
    );
    for (;;) {
      const query: Knex.QueryBuilder = this.#db(table).select(selection).orderBy(key).limit(PORTION);
      const last = found.at(-1)?.[key];
      if (last !== undefined) query.where(key, '>', typeof last === 'number' ? last : String(last));
      const rows: ForeignRow[] = await query;
      found.push(...rows);
      if (rows.length < PORTION) return found;
    }
  }
}

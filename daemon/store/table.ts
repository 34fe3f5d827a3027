/** How a table's columns become the fields of a record: selected under the record's names, so rows never leave SQL. */
import type { Knex } from 'knex';
import { type RawResult, rowsOf, type Stored } from './dialect.ts';

/** The column of each field. */
export type Columns<Rec> = { readonly [Field in keyof Rec]-?: string };

/** Values to write, by field; absent and undefined fields are left alone. */
export type Values<Rec> = { readonly [Field in keyof Rec]?: Rec[Field] | undefined };

const NUL = '\u0000';

export class Table<Rec extends object> {
  readonly name: string;
  /** Field to column, for `select`. */
  readonly columns: Columns<Rec>;
  /** `column as field`, for `returning`. */
  readonly returning: readonly string[];
  readonly #toRecord: (stored: Stored<Rec>) => Rec;
  readonly #fields: ReadonlyMap<string, string>;

  /** @param toRecord converts flags and dates; a table without any leaves it out. */
  constructor(name: string, columns: Columns<Rec>, toRecord: (stored: Stored<Rec>) => Rec) {
    this.name = name;
    this.columns = columns;
    this.#toRecord = toRecord;
    this.#fields = new Map(Object.entries<string>(columns));
    this.returning = [...this.#fields].map(([field, column]) => `${column} as ${field}`);
  }

  /** All records that the query finds. */
  async all(query: Knex.QueryBuilder): Promise<Rec[]> {
    const selection: Knex.QueryBuilder = query.select(this.columns);
    const rows: Stored<Rec>[] = await selection;
    return rows.map(this.#toRecord);
  }

  /** The first record that the query finds. */
  async first(query: Knex.QueryBuilder): Promise<Rec | undefined> {
    const selection: Knex.QueryBuilder = query.first(this.columns);
    const row: Stored<Rec> | undefined = await selection;
    return row && this.#toRecord(row);
  }

  /** Ends an insert, update or delete by returning what it wrote. */
  async written(query: Knex.QueryBuilder): Promise<Rec[]> {
    const writing: Knex.QueryBuilder = query.returning(this.returning);
    const rows: Stored<Rec>[] = await writing;
    return rows.map(this.#toRecord);
  }

  /** As `written`, for a statement that writes one row at most. */
  async writtenOne(query: Knex.QueryBuilder): Promise<Rec | undefined> {
    return (await this.written(query))[0];
  }

  /** Deletes what the query finds and returns it. */
  async deleted(db: Knex, query: Knex.QueryBuilder): Promise<Rec[]> {
    // Knex leaves `returning` out of SQLite's deletes.
    const aliases = this.returning.map(() => '??').join(', ');
    const writing: Knex.Raw = db.raw(`? returning ${aliases}`, [query.delete(), ...this.returning]);
    const result: RawResult<Stored<Rec>> = await writing;
    return rowsOf(result).map(this.#toRecord);
  }

  /** As `row`, of texts that clients and upstreams wrote: without what would cost the whole row. */
  foreignRow(values: Values<Rec>): Record<string, unknown> {
    const row = this.row(values);
    for (const [column, value] of Object.entries(row)) {
      if (typeof value === 'string') row[column] = withoutNul(value);
    }
    return row;
  }

  /** Values by column. */
  row(values: Values<Rec>): Record<string, unknown> {
    const row: Record<string, unknown> = {};
    for (const [field, value] of Object.entries(values)) {
      const column = this.#fields.get(field);
      if (column !== undefined && value !== undefined) row[column] = value;
    }
    return row;
  }
}

/**
 * The ids of these rows, for a write of several: PostgreSQL locks them in their order, as settlements do, so that the two
 * never wait for each other in a circle.
 */
export function lockedInOrder(rows: Knex.QueryBuilder): Knex.QueryBuilder {
  return rows.select('id').orderBy('id').forUpdate();
}

/** The text without the one character that PostgreSQL cannot store. */
export function withoutNul(text: string): string {
  return text.replaceAll(NUL, '');
}

/** False for an id that no foreign row can have. */
export function isStoredId(id: string): boolean {
  return id !== '' && !id.includes(NUL);
}

/** Records of tables without flags and dates are what the driver returns. */
export function asStored<Rec>(stored: Rec): Rec {
  return stored;
}

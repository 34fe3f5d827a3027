/**
 * SQL over whole tables, whichever they are: how they are shaped, their rows in the order of their keys, and how they
 * are filled. Values leave in one form for both engines, so that what one wrote the other can take.
 */
import type { Knex } from 'knex';
import { insertChunks } from './chunks.ts';
import { type Engine, type RawResult, readDate, readFlag, rowsOf } from './dialect.ts';
import { withoutNul } from './table.ts';

/** What a column holds: times are unix milliseconds, decimals are text. */
export type ColumnKind = 'integer' | 'number' | 'decimal' | 'flag' | 'time' | 'text';

export interface ColumnShape {
  readonly name: string;
  readonly kind: ColumnKind;
}

export interface TableShape {
  readonly name: string;
  readonly columns: readonly ColumnShape[];
  /** Columns of the primary key, in its order. */
  readonly key: readonly string[];
}

export type CellValue = string | number | boolean | null;

/** Cells by column. */
export type TableRow = Readonly<Record<string, CellValue>>;

export interface TableTotals {
  readonly rows: number;
  /** Sum of each column that holds an amount, as a decimal text: it may be too large for a number. */
  readonly sums: Readonly<Record<string, string>>;
}

/** How much text is read at once; a row that has more is read alone. */
const PORTION_CHARACTERS = 1_000_000;
const LARGEST_PORTION = 1000;
/** The first portion of a table of unknown rows. */
const FIRST_PORTION = 20;

/** As the driver hands them over. */
type Cells = Record<string, CellValue | Date>;

/** Columns whose sum must be the same on both sides: whole numbers that count money. */
export function amountColumns({ columns }: Pick<TableShape, 'columns'>): string[] {
  return columns
    .filter(({ kind, name }) => kind === 'integer' && /quota|amount|charged|cost|_history$/.test(name))
    .map(({ name }) => name);
}

export class WholeTableStore {
  readonly #db: Knex;
  readonly #engine: Engine;

  constructor(db: Knex, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
  }

  /** Every table of this database by name, but those that others refer to before them. */
  async shapes(): Promise<TableShape[]> {
    const names = await this.#names();
    const parents = new Map<string, string[]>();
    for (const name of names) parents.set(name, await this.#parents(name));
    const shapes: TableShape[] = [];
    for (const name of parentsFirst(names, parents)) {
      shapes.push({ name, columns: await this.#columns(name), key: await this.#key(name) });
    }
    return shapes;
  }

  /** All rows in the order of the key, in portions that fit in memory. */
  async *portions({ name, columns, key }: TableShape): AsyncGenerator<TableRow[]> {
    const keys = key.map(() => '??').join(', ');
    const selection = columns.map(() => '??').join(', ');
    const names = columns.map((column) => column.name);
    const bound = key.map(() => '?').join(', ');
    let limit = FIRST_PORTION;
    let after: (CellValue | Date)[] | undefined;
    for (;;) {
      const result: RawResult<Cells> =
        after === undefined
          ? await this.#db.raw(`select ${selection} from ?? order by ${keys} limit ?`, [...names, name, ...key, limit])
          : await this.#db.raw(`select ${selection} from ?? where (${keys}) > (${bound}) order by ${keys} limit ?`, [
              ...names,
              name,
              ...key,
              ...after,
              ...key,
              limit,
            ]);
      const found = rowsOf(result);
      const last = found.at(-1);
      if (last === undefined) return;
      after = key.map((column) => last[column] ?? null);
      yield found.map((cells) => toRow(columns, cells));
      if (found.length < limit) return;
      limit = nextPortion(found);
    }
  }

  /** Counts and adds up in the database. */
  async totals(shape: TableShape): Promise<TableTotals> {
    const amounts = amountColumns(shape);
    const sums = amounts.map(() => ', cast(coalesce(sum(??), 0) as text) as ??').join('');
    const result: RawResult<Cells> = await this.#db.raw(`select cast(count(*) as text) as row_count${sums} from ??`, [
      ...amounts.flatMap((column) => [column, column]),
      shape.name,
    ]);
    const [found = {}] = rowsOf(result);
    return {
      rows: Number(found.row_count),
      sums: Object.fromEntries(amounts.map((column) => [column, String(found[column])])),
    };
  }

  /** What a column of these rows adds up to. */
  async sumOf(table: string, column: string, ids: readonly number[]): Promise<bigint> {
    let sum = 0n;
    for (const chunk of insertChunks(ids)) {
      const marks = chunk.map(() => '?').join(', ');
      const result: RawResult<Cells> = await this.#db.raw(
        `select cast(coalesce(sum(??), 0) as text) as total from ?? where id in (${marks})`,
        [column, table, ...chunk],
      );
      sum += BigInt(String(rowsOf(result)[0]?.total));
    }
    return sum;
  }

  /**
   * Tells PostgreSQL how large a table has become in this transaction: nobody else can before it ends, and after one that
   * was rolled back the table counts as empty, so that statements would go through all of its rows for each of theirs.
   */
  async measure(table: string): Promise<void> {
    if (this.#engine === 'postgres') await this.#db.raw('analyze ??', [table]);
  }

  async isEmpty(table: string): Promise<boolean> {
    const result: RawResult<Cells> = await this.#db.raw('select 1 from ?? limit 1', [table]);
    return rowsOf(result).length === 0;
  }

  async clear(table: string): Promise<void> {
    await this.#db(table).delete();
  }

  async drop(table: string): Promise<void> {
    await this.#db.schema.dropTable(table);
  }

  /** Adds rows that have just the columns of the shape. */
  async insert({ name, columns }: TableShape, rows: readonly TableRow[]): Promise<void> {
    const names = columns.map((column) => column.name);
    const list = names.map(() => '??').join(', ');
    if (this.#engine === 'sqlite') {
      // One statement for all portions, however many rows they have.
      const cells = names.map(() => 'value ->> ?').join(', ');
      const lines = rows.map((row) => names.map((column) => row[column]));
      await this.#db.raw(`insert into ?? (${list}) select ${cells} from jsonb_each(?)`, [
        name,
        ...names,
        ...names.keys(),
        JSON.stringify(lines),
      ]);
      return;
    }
    const times = columns.filter(({ kind }) => kind === 'time').map((column) => column.name);
    const lines = times.length === 0 ? rows : rows.map((row) => withDates(row, times));
    await this.#db.raw(`insert into ?? (${list}) select ${list} from json_populate_recordset(null::??, ?::json)`, [
      name,
      ...names,
      ...names,
      name,
      // SQLite has kept texts that this engine refuses.
      JSON.stringify(lines, (_, cell) => (typeof cell === 'string' ? withoutNul(cell) : cell)),
    ]);
  }

  /** The last number that the table has given out by itself; undefined where it numbers nothing, or has not yet. */
  async lastNumber(shape: TableShape): Promise<number | undefined> {
    if (!numbersItself(shape)) return undefined;
    const result: RawResult<{ last: number | null }> =
      this.#engine === 'sqlite'
        ? await this.#db.raw('select seq as last from sqlite_sequence where name = ?', [shape.name])
        : await this.#db.raw(`select pg_sequence_last_value(${sequenceOf}) as last`, [shape.name]);
    return rowsOf(result)[0]?.last ?? undefined;
  }

  /** Lets the table go on after this number. */
  async setLastNumber(shape: TableShape, last: number): Promise<void> {
    if (!numbersItself(shape)) return;
    if (this.#engine === 'sqlite') {
      await this.#db('sqlite_sequence').where({ name: shape.name }).delete();
      await this.#db('sqlite_sequence').insert({ name: shape.name, seq: last });
      return;
    }
    await this.#db.raw(`select setval(s, ?) from (select ${sequenceOf} as s) as found where s is not null`, [
      last,
      shape.name,
    ]);
  }

  async #names(): Promise<string[]> {
    const result: RawResult<{ name: string }> =
      this.#engine === 'sqlite'
        ? await this.#db.raw(
            "select name from sqlite_master where type = 'table' and name not like 'sqlite@_%' escape '@'",
          )
        : await this.#db.raw('select tablename as name from pg_tables where schemaname = current_schema()');
    return rowsOf(result)
      .map(({ name }) => name)
      .sort();
  }

  async #columns(table: string): Promise<ColumnShape[]> {
    const result: RawResult<{ name: string; type: string }> =
      this.#engine === 'sqlite'
        ? await this.#db.raw('select name, type from pragma_table_info(?) order by cid', [table])
        : await this.#db.raw(
            `select column_name as name, data_type as type from information_schema.columns
             where table_schema = current_schema() and table_name = ? order by ordinal_position`,
            [table],
          );
    return rowsOf(result).map(({ name, type }) => ({ name, kind: kindOf(type, `${table}.${name}`) }));
  }

  /** Tables that this one refers to. */
  async #parents(table: string): Promise<string[]> {
    const result: RawResult<{ name: string }> =
      this.#engine === 'sqlite'
        ? await this.#db.raw('select distinct "table" as name from pragma_foreign_key_list(?)', [table])
        : await this.#db.raw(
            `select distinct p.relname as name from pg_constraint c join pg_class p on p.oid = c.confrelid
             where c.contype = 'f' and c.conrelid = quote_ident(?)::regclass`,
            [table],
          );
    return rowsOf(result).map(({ name }) => name);
  }

  async #key(table: string): Promise<string[]> {
    const result: RawResult<{ name: string }> =
      this.#engine === 'sqlite'
        ? await this.#db.raw('select name from pragma_table_info(?) where pk > 0 order by pk', [table])
        : await this.#db.raw(
            `select a.attname as name from pg_index i
             cross join lateral unnest(i.indkey) with ordinality as k(number, place)
             join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
             where i.indisprimary and i.indrelid = quote_ident(?)::regclass order by k.place`,
            [table],
          );
    return rowsOf(result).map(({ name }) => name);
  }
}

/** The sequence behind the column `id` of a table of PostgreSQL; null where there is none. */
const sequenceOf = `pg_get_serial_sequence(quote_ident(?), 'id')::regclass`;

function parentsFirst(names: readonly string[], parents: ReadonlyMap<string, readonly string[]>): Set<string> {
  const ordered = new Set<string>();
  const place = (name: string): void => {
    if (ordered.has(name)) return;
    for (const parent of parents.get(name) ?? []) if (parent !== name) place(parent);
    ordered.add(name);
  };
  names.forEach(place);
  return ordered;
}

function numbersItself({ key, columns }: TableShape): boolean {
  return key.length === 1 && key[0] === 'id' && columns.some(({ name, kind }) => name === 'id' && kind === 'integer');
}

/** Kinds by the words of both engines. */
const kinds: Readonly<Record<string, ColumnKind>> = {
  integer: 'integer',
  bigint: 'integer',
  smallint: 'integer',
  float: 'number',
  'double precision': 'number',
  numeric: 'decimal',
  boolean: 'flag',
  datetime: 'time',
  'timestamp with time zone': 'time',
  text: 'text',
  varchar: 'text',
  'character varying': 'text',
};

function kindOf(type: string, place: string): ColumnKind {
  const kind = kinds[type.toLowerCase().replace(/\(.*$/, '')];
  if (kind === undefined) throw new Error(`${place} is of type ${type}, which nobody knows how to copy`);
  return kind;
}

function toRow(columns: readonly ColumnShape[], cells: Cells): TableRow {
  const row: Record<string, CellValue> = {};
  for (const { name, kind } of columns) row[name] = toCell(kind, cells[name]);
  return row;
}

function toCell(kind: ColumnKind, value: CellValue | Date | undefined): CellValue {
  if (value === null || value === undefined) return null;
  if (kind === 'flag') return readFlag(value === true || Number(value));
  if (kind === 'time') return readDate(value instanceof Date ? value : Number(value)).getTime();
  if (kind === 'integer' || kind === 'number') return Number(value);
  return String(value);
}

function withDates(row: TableRow, times: readonly string[]): TableRow {
  const dated: Record<string, CellValue> = { ...row };
  for (const name of times) {
    const at = row[name];
    if (typeof at === 'number') dated[name] = new Date(at).toISOString();
  }
  return dated;
}

/** As many rows as fit when they are like those before, and never many more than were read at once so far. */
function nextPortion(rows: readonly Cells[]): number {
  let characters = 0;
  for (const row of rows) {
    for (const cell of Object.values(row)) characters += typeof cell === 'string' ? cell.length : 8;
  }
  const fitting = Math.floor((PORTION_CHARACTERS * rows.length) / Math.max(1, characters));
  return Math.max(1, Math.min(fitting, rows.length * 4, LARGEST_PORTION));
}

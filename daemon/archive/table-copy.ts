/** A database on its way to somewhere else, whatever it came from: a head, then table after table, portion by portion. */
import { TollgateError } from '../errors.ts';
import { amountColumns, type TableRow, type TableShape, type TableTotals } from '../store/whole-tables.ts';

/** What `--exclude` leaves out. */
export type Exclusion = 'logs' | 'bodies';

export interface CopyHead {
  /** Unix seconds at which the data stood as they are carried. */
  readonly createdAt: number;
  /** Version of the program that made the copy. */
  readonly program: string;
  readonly engine: 'sqlite' | 'postgres';
  /** Names of the migrations that the database had seen, in their order. */
  readonly migrations: readonly string[];
  readonly excluded: readonly Exclusion[];
  /** The secret under which values are sealed and hashed; undefined where secrets were left out. */
  readonly rootSecret: string | undefined;
}

export interface TableCopy {
  readonly name: string;
  readonly columns: TableShape['columns'];
  /** The last number that the table gave out by itself. */
  readonly lastNumber: number | undefined;
  /** To be read to the end before the next table. Throws when what comes is not what was promised. */
  portions(): AsyncIterable<readonly TableRow[]>;
}

export interface CopySource {
  readonly head: CopyHead;
  /** Once, in an order in which no row comes before one that it refers to. */
  tables(): AsyncIterable<TableCopy>;
}

/** Tables that are this installation's own at this moment and would be wrong anywhere else. */
const stayBehind = new Set([
  // Named in the head: whoever takes the copy migrates by itself.
  'schema_migrations',
  // Who is alive here, what they have just told each other, and what failed within the last minutes.
  'nodes',
  'node_messages',
  'error_counts',
]);

const logTables = ['logs', 'log_hours', 'log_days', 'log_sum_state', 'log_outbox', 'log_bodies'];
const excludedTables: Readonly<Record<Exclusion, readonly string[]>> = { logs: logTables, bodies: ['log_bodies'] };

/** Whether a copy carries a table: all are carried that are not left out by name, later ones included. */
export function isCarried(table: string, excluded: readonly Exclusion[] = []): boolean {
  return !stayBehind.has(table) && !excluded.some((part) => excludedTables[part].includes(table));
}

/** Counts rows and adds up amounts as they pass. */
export class Tally {
  #rows = 0;
  readonly #sums: Map<string, bigint>;

  constructor(columns: TableShape['columns']) {
    this.#sums = new Map(amountColumns({ columns }).map((column) => [column, 0n]));
  }

  add(rows: readonly TableRow[]): void {
    this.#rows += rows.length;
    for (const [column, sum] of this.#sums) {
      let total = sum;
      for (const row of rows) total += BigInt(Number(row[column]));
      this.#sums.set(column, total);
    }
  }

  get totals(): TableTotals {
    return { rows: this.#rows, sums: Object.fromEntries([...this.#sums].map(([name, sum]) => [name, String(sum)])) };
  }
}

/** Throws `copy_differs` unless both say the same. */
export function expectSameTotals(table: string, found: TableTotals, expected: TableTotals): void {
  if (found.rows !== expected.rows) throw differs(table, `${found.rows} rows, not ${expected.rows}`);
  for (const [column, sum] of Object.entries(expected.sums)) {
    if (found.sums[column] !== sum) throw differs(`${table}.${column}`, `${found.sums[column]}, not ${sum}`);
  }
}

function differs(place: string, reason: string): TollgateError {
  return new TollgateError('copy_differs', { place, reason });
}

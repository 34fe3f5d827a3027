/** Fills an empty database from a copy: all of it or nothing, counted and added up before it is kept. */
import type { Keyring } from '../config/secrets.ts';
import { otherColumns, unknownTable } from '../contract/backup-reasons.ts';
import { TollgateError } from '../errors.ts';
import type { Database, Stores } from '../store/database.ts';
import { refuseNewer } from '../store/migrate.ts';
import type { Migration } from '../store/schema-migrations.ts';
import type { TableRow, TableShape, TableTotals } from '../store/whole-tables.ts';
import { damaged } from './archive-lines.ts';
import { expectNobodyAtWork, expectNobodyHeard, type Watch } from './at-work.ts';
import { underOtherSecret } from './secret-tables.ts';
import { type CopySource, expectSameTotals, isCarried, type TableCopy, Tally } from './table-copy.ts';

/** What a target may hold. */
export interface Room {
  readonly migrations: readonly Migration[];
  /** All that these migrations make; others may share the database. */
  readonly ownTables: ReadonlySet<string>;
  /** Removes what is there. Without it a database that is in use already is refused. */
  readonly replace: boolean;
  readonly nowSeconds: number;
}

export interface Filling extends Room, Watch {
  /** Both where the target has another root secret than the copy was made under. */
  readonly keyrings: { readonly from: Keyring; readonly to: Keyring } | undefined;
  readonly onRows: (count: number) => void;
  /** Runs last in the same transaction. */
  readonly finish: (stores: Stores) => Promise<void>;
}

/** Loading and indexing takes as long as it takes. */
const FILLING_TIMEOUT_MS = 24 * 3600 * 1000;

/** What the migrations, and a start of the daemon that waits for its setup, write into a database that nobody has used. */
const written = new Set(['audit_head', 'log_sum_state', 'revisions', 'verification_codes']);

/**
 * Copies everything; resolves after the commit with what was written. Throws `database_not_empty`, `database_in_use`,
 * `schema_newer`, `copy_differs`, and what the source throws.
 * @param open begins the copy from its start; more than once where the database makes the transaction run again
 */
export async function fillDatabase(
  database: Database,
  open: () => Promise<CopySource>,
  filling: Filling,
): Promise<Record<string, TableTotals>> {
  // Before the transaction: it keeps the nodes of a file from saying that they are alive.
  await expectNobodyAtWork(database.stores, filling);
  return database.transaction(
    async (stores) => {
      await stores.schemaMigrations.lock();
      await makeRoom(stores, filling);
      const source = await open();
      return load(stores, source, filling);
    },
    { timeoutMs: FILLING_TIMEOUT_MS },
  );
}

/** Throws `database_not_empty`, `database_in_use` and `schema_newer` for a database that may not be filled. */
export async function expectRoom(stores: Stores, { migrations, ownTables, replace, nowSeconds }: Room): Promise<void> {
  const { schemaMigrations, wholeTables } = stores;
  const own = (await wholeTables.shapes()).map(({ name }) => name).filter((name) => ownTables.has(name));
  const applied = await schemaMigrations.applied();
  if (applied === undefined) {
    // Tables of these names that are not ours: nothing says that they may go.
    const [stranger] = own;
    if (stranger !== undefined) throw new TollgateError('database_not_empty', { table: stranger });
    return;
  }
  await expectNobodyHeard(stores, nowSeconds);
  refuseUnknown(
    applied.map(({ name }) => name),
    migrations,
  );
  if (replace) return;
  for (const name of own) {
    const isCounted = isCarried(name) && !written.has(name);
    if (isCounted && !(await wholeTables.isEmpty(name))) throw new TollgateError('database_not_empty', { table: name });
  }
}

async function makeRoom(stores: Stores, room: Room): Promise<void> {
  await expectRoom(stores, room);
  const shapes = await stores.wholeTables.shapes();
  for (const { name } of shapes.reverse()) {
    if (room.ownTables.has(name)) await stores.wholeTables.drop(name);
  }
}

/** Throws `schema_newer` for names of migrations that this program does not have. */
export function refuseUnknown(names: readonly string[], migrations: readonly Migration[]): void {
  const unknown = names.filter((name) => !migrations.some((migration) => migration.name === name));
  refuseNewer({ applied: [], pending: [], unknown });
}

async function load(stores: Stores, source: CopySource, filling: Filling): Promise<Record<string, TableTotals>> {
  const { migrations, nowSeconds } = filling;
  const seen = new Set(source.head.migrations);
  refuseUnknown(source.head.migrations, migrations);
  // The rows are as those migrations left them; later ones then change them, as they would have where they came from.
  for (const migration of migrations) {
    if (seen.has(migration.name)) await stores.schemaMigrations.apply(migration, nowSeconds);
  }
  const shapes = new Map((await stores.wholeTables.shapes()).map((shape) => [shape.name, shape]));
  const totals: Record<string, TableTotals> = {};
  for await (const table of source.tables()) {
    const shape = shapes.get(table.name);
    if (shape === undefined || !isCarried(table.name)) throw damaged(unknownTable(table.name));
    totals[table.name] = await loadTable(stores, { table, shape }, filling);
  }
  for (const migration of migrations) {
    if (!seen.has(migration.name)) await stores.schemaMigrations.apply(migration, nowSeconds);
  }
  await filling.finish(stores);
  return totals;
}

async function loadTable(
  { wholeTables }: Stores,
  { table, shape }: { table: TableCopy; shape: TableShape },
  { keyrings, onRows, signal }: Filling,
): Promise<TableTotals> {
  expectSameColumns(table, shape);
  const renew = keyrings && underOtherSecret(table.name, keyrings.from, keyrings.to);
  const tally = new Tally(shape.columns);
  await wholeTables.clear(table.name);
  for await (const portion of table.portions()) {
    const rows = renew === undefined ? portion : portion.map(renew).filter((row): row is TableRow => row !== undefined);
    if (rows.length > 0) await wholeTables.insert(shape, rows);
    tally.add(rows);
    onRows(portion.length);
    signal.throwIfAborted();
  }
  if (table.lastNumber !== undefined) await wholeTables.setLastNumber(shape, table.lastNumber);
  expectSameTotals(table.name, await wholeTables.totals(shape), tally.totals);
  return tally.totals;
}

/** Kinds may differ: one of the engines keeps decimals as text. */
function expectSameColumns(table: TableCopy, shape: TableShape): void {
  const carried = new Set(table.columns.map(({ name }) => name));
  const isSame = carried.size === shape.columns.length && shape.columns.every(({ name }) => carried.has(name));
  if (!isSame) throw damaged(otherColumns(table.name));
}

/** Brings a database to the schema of this program, one transaction a migration, under a lock that all nodes respect. */
import { TollgateError } from '../errors.ts';
import type { Database } from './database.ts';
import type { Migration, MigrationRecord } from './schema-migrations.ts';
import type { Stores } from './stores.ts';

export type { Migration, MigrationRecord } from './schema-migrations.ts';

export interface MigrationStatus {
  readonly applied: readonly MigrationRecord[];
  /** Names of migrations still to run, in order. */
  readonly pending: readonly string[];
  /** Names in the database that this program does not know: it was used by a newer one. */
  readonly unknown: readonly string[];
}

/** A migration may rewrite large tables. */
const MIGRATION_TIMEOUT_MS = 6 * 3600 * 1000;

/** How often a process waits for another that migrates the same SQLite file, ten seconds each time. */
const LOCK_ATTEMPTS = 60;

/** A step that takes longer than this is told, so that nobody takes it for hanging. */
const LONG_MS = 5000;

export interface MigrationHow {
  readonly nowSeconds?: () => number;
  /** Told once of each step that takes long, while it runs. */
  readonly onLong?: (name: string) => void;
  readonly longMs?: number;
}

/** What has run and what would run; changes nothing. */
export async function migrationStatus(database: Database, migrations: readonly Migration[]): Promise<MigrationStatus> {
  return statusOf(await database.stores.schemaMigrations.applied(), migrations);
}

/**
 * Runs what is pending; returns the names that ran here. Processes that start at once take turns, and each migration
 * runs once. Throws `schema_newer` when a newer program has changed the database.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  how: MigrationHow = {},
): Promise<string[]> {
  const ran: string[] = [];
  for (;;) {
    const name = await patiently(() =>
      database.transaction((stores) => runNext(stores, migrations, how), {
        timeoutMs: MIGRATION_TIMEOUT_MS,
      }),
    );
    if (name === undefined) return ran;
    ran.push(name);
  }
}

/** Throws `schema_newer` when the database knows migrations that this program does not. */
export function refuseNewer(status: MigrationStatus): void {
  if (status.unknown.length === 0) return;
  throw new TollgateError('schema_newer', { migrations: status.unknown.join(', ') });
}

async function runNext(
  { schemaMigrations }: Stores,
  migrations: readonly Migration[],
  { nowSeconds = () => Math.floor(Date.now() / 1000), onLong, longMs = LONG_MS }: MigrationHow,
): Promise<string | undefined> {
  await schemaMigrations.lock();
  const status = statusOf(await schemaMigrations.applied(), migrations);
  refuseNewer(status);
  const next = migrations.find((migration) => migration.name === status.pending[0]);
  if (!next) return undefined;
  const timer = setTimeout(() => onLong?.(next.name), longMs);
  try {
    await schemaMigrations.apply(next, nowSeconds());
  } finally {
    clearTimeout(timer);
  }
  return next.name;
}

function statusOf(applied: readonly MigrationRecord[] | undefined, migrations: readonly Migration[]): MigrationStatus {
  const done = new Set(applied?.map((record) => record.name));
  const known = new Set(migrations.map((migration) => migration.name));
  return {
    applied: applied ?? [],
    pending: migrations.filter((migration) => !done.has(migration.name)).map((migration) => migration.name),
    unknown: [...done].filter((name) => !known.has(name)),
  };
}

/** A file that another process is migrating is busy for longer than any other transaction waits. */
async function patiently<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= LOCK_ATTEMPTS || !isBusy(error)) throw error;
    }
  }
}

function isBusy(error: unknown): boolean {
  const cause = error instanceof TollgateError && error.code === 'db_unavailable' ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'SQLITE_BUSY';
}

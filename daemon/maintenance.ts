/** What runs beside the daemon, without serving: checking the configuration and bringing the schema up to date. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { migrations } from '../migrations/index.ts';
import { makeFolder } from './config/data-folder.ts';
import { type Environment, loadConfig, readConfig } from './config/load.ts';
import { openDatabase } from './store/database.ts';
import { migrate, migrationStatus, refuseNewer } from './store/migrate.ts';

export interface ConfigCheck {
  problems: { path: string; message: string; environment: string | undefined }[];
  /** What is set and changes nothing. */
  idle: { path: string; message: string; environment: string | undefined }[];
  /** Variables that nothing reads, with the name that comes nearest. */
  unknown: { path: string; message: string; environment: string | undefined }[];
  entries: { path: string; value: string; source: string; environment: string | undefined }[];
}

/** Reads the configuration and tells every problem and every value, secrets masked. */
export async function checkConfig(options: { config?: string }, environment: Environment): Promise<ConfigCheck> {
  const { problems, idle, unknown, entries } = readConfig({ file: options.config, env: environment });
  return { problems: [...problems], idle: [...idle], unknown: [...unknown], entries: [...entries] };
}

export interface MigrationSteps {
  /** In order; `applied` is an RFC 3339 time, undefined for a step still to be run. */
  steps: { version: number; name: string; applied: string | undefined }[];
}

/** Runs the migrations under their lock, or only lists them. Throws `schema_newer`, `db_unavailable`. */
export async function migrateDatabase(
  options: { config?: string; dryRun?: boolean; status?: boolean; onLong?: (name: string) => void },
  environment: Environment,
): Promise<MigrationSteps> {
  const config = loadConfig({ file: options.config, env: environment });
  const { url } = config.database;
  const isLook = options.dryRun === true || options.status === true;
  const file = url.startsWith('sqlite:') && url !== 'sqlite::memory:' ? url.slice('sqlite:'.length) : undefined;
  if (file !== undefined) {
    // Looking makes no database: where there is none, every step is still to be run.
    if (isLook && !existsSync(file)) {
      return { steps: migrations.map(({ name }, index) => ({ version: index + 1, name, applied: undefined })) };
    }
    makeFolder(dirname(file));
  }
  const database = await openDatabase({ url, poolSize: config.database.pool_size });
  try {
    if (!isLook) await migrate(database, migrations, options);
    const status = await migrationStatus(database, migrations);
    refuseNewer(status);
    const steps = [
      ...status.applied.map(({ name, appliedAt }) => ({ name, applied: new Date(appliedAt * 1000).toISOString() })),
      ...status.pending.map((name) => ({ name, applied: undefined })),
    ];
    return { steps: steps.map((step, index) => ({ version: index + 1, ...step })) };
  } finally {
    await database.close();
  }
}

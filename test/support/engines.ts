/**
 * Both database engines and Redis, for suites that run on all of them by themselves (`test/store`, `test/cluster`);
 * the runner runs such files once. Servers come from the runner, from `TEST_POSTGRES_URL` and `TEST_REDIS_URL`, or are
 * started for this process when a file is run by hand.
 */
import { migrateAt, migratedFileIn } from './migrated.ts';
import { type PostgresServer, postgresAt, startPostgres } from './postgres-server.ts';
import { startRedis } from './redis-server.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

export interface TestDatabase {
  /** As `TOLLGATE_DATABASE_URL` takes it. */
  readonly url: string;
  /** Removes the database, also while connections are open. */
  drop(): Promise<void>;
}

export interface TestEngine {
  readonly name: 'sqlite' | 'postgres';
  /** A new database without any table. */
  empty(): Promise<TestDatabase>;
  /** A new database with the schema of this program: a copy of one that was migrated once. */
  migrated(): Promise<TestDatabase>;
}

/** Runs the work once for the whole process. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}

function sqliteEngine(): TestEngine {
  const create = async (addressIn: (workspace: Workspace) => Promise<string> | string): Promise<TestDatabase> => {
    const workspace = createWorkspace();
    return { url: await addressIn(workspace), drop: async () => workspace.remove() };
  };
  return {
    name: 'sqlite',
    empty: () => create((workspace) => `sqlite:${workspace.path('test.db')}`),
    migrated: () => create(migratedFileIn),
  };
}

function postgresEngine(): TestEngine {
  const server = once(async (): Promise<PostgresServer> => {
    const url = process.env.TEST_POSTGRES_URL;
    return url ? postgresAt(url) : startPostgres();
  });
  const template = once(async () => {
    const url = await (await server()).createDatabase();
    await migrateAt(url);
    return url;
  });
  const create = async (from: string | undefined): Promise<TestDatabase> => {
    const { createDatabase, dropDatabase } = await server();
    const url = await createDatabase(from);
    return { url, drop: () => dropDatabase(url) };
  };
  return {
    name: 'postgres',
    empty: () => create(undefined),
    migrated: async () => create(await template()),
  };
}

export const testEngines = { sqlite: sqliteEngine(), postgres: postgresEngine() } as const;

/** A Redis, whatever the pass; shared with other tests, so keys need a prefix of the test's own. */
export const sharedRedisUrl = once(async () => process.env.TEST_REDIS_URL || (await startRedis()).url);

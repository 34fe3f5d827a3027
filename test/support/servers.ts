/**
 * Where a test finds its database and its Redis. The runner (`test/run.ts`) repeats every file that can reach this one
 * in two passes: SQLite without Redis, and PostgreSQL with Redis. A file run by hand gets SQLite without Redis unless
 * `TEST_ENGINE=postgres` is set. Suites that need both engines at once use `engines.ts`.
 */
import { type TestDatabase, testEngines } from './engines.ts';

export { startPostgres } from './postgres-server.ts';
export { type RedisServer, startRedis } from './redis-server.ts';
export type { TestDatabase };

/** The engine of this pass. */
export function testEngine(): 'sqlite' | 'postgres' {
  return process.env.TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite';
}

/** A new database with the schema of this program, for the caller alone. */
export function testDatabaseUrl(): Promise<TestDatabase> {
  return testEngines[testEngine()].migrated();
}

/** A new database without any table. */
export function emptyDatabaseUrl(): Promise<TestDatabase> {
  return testEngines[testEngine()].empty();
}

/** The Redis of this pass; undefined in the pass without. Keys of earlier tests may still be there. */
export function testRedisUrl(): string | undefined {
  return testEngine() === 'postgres' ? process.env.TEST_REDIS_URL : undefined;
}

/**
 * Everything that is kept. This room knows SQL and nothing of rules: a store never refuses, it reports what it found or
 * changed. Reads return a record or undefined, conditional writes return what they changed.
 */
import { databaseUnavailable, type Engine } from './dialect.ts';
import type { PoolUse } from './knex-connection.ts';
import type { Stores } from './stores.ts';

export type { Engine } from './dialect.ts';
export type { Stores } from './stores.ts';

export interface Database {
  readonly engine: Engine;
  readonly pool: PoolUse;
  /** For single statements, each a transaction of its own. */
  readonly stores: Stores;
  /**
   * Runs the work as one transaction and resolves after its commit. The work may run several times (deadlock,
   * serialization failure, lost connection), so it does nothing but use the stores it is given, and never waits for
   * anything else, least of all for another transaction. Throws what the work throws, or `db_unavailable`; after that
   * code the outcome is unknown only if the connection broke during the commit itself.
   */
  transaction<T>(work: (stores: Stores) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs the work on the data as they stand at this moment, for as long as it takes, while others go on writing. The
   * work runs once and only reads. Throws what the work throws, or `db_unavailable`.
   */
  snapshot<T>(work: (stores: Stores) => Promise<T>): Promise<T>;
  /** Resolves when the database answers; throws `db_unavailable` otherwise. */
  ping(): Promise<void>;
  /** Lets what is under way end, then closes. */
  close(): Promise<void>;
}

export interface TransactionOptions {
  /**
   * How long the work may take in all; 30 s by default. Long migrations need more; with more, no limit holds for a
   * statement of it.
   */
  readonly timeoutMs?: number;
}

export interface DatabaseConfig {
  /** `sqlite:PATH`, `sqlite::memory:`, or `postgres://…`. */
  readonly url: string;
  /** Connections to PostgreSQL; 10 by default. */
  readonly poolSize?: number;
}

/**
 * Opens a database without touching its schema; the driver of the other engine is not loaded, to keep the start short.
 * Throws `db_unavailable` when it cannot be reached.
 */
export async function openDatabase({ url, poolSize }: DatabaseConfig): Promise<Database> {
  if (url.startsWith('sqlite:')) {
    const { SqliteDatabase } = await import('./sqlite.ts');
    return SqliteDatabase.open({ path: url.slice('sqlite:'.length) });
  }
  if (!/^postgres(ql)?:\/\//.test(url)) {
    throw databaseUnavailable(new Error('a database address starts with sqlite: or postgres://'));
  }
  const { PostgresDatabase } = await import('./postgres.ts');
  return PostgresDatabase.open({ url, ...(poolSize === undefined ? {} : { poolSize }) });
}

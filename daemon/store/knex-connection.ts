/** The connections and pools that Knex is given instead of its own, so that engines are queued and retried here. */
import knexModule, { type Knex } from 'knex';
import { databaseUnavailable } from './dialect.ts';

/** Connections in use, and how many wait for one. */
export interface PoolUse {
  readonly used: number;
  readonly waiting: number;
}

/** A pool in the shape that Knex takes for one of its own kind. */
export interface KnexPool<Connection> {
  acquire(): { promise: Promise<Connection> };
  release(connection: Connection): boolean;
  destroy(): Promise<void>;
  numFree(): number;
  numUsed(): number;
  numPendingAcquires(): number;
}

/** A pool without bookkeeping: the given functions decide who waits. */
export function knexPool<Connection>(
  acquire: () => Promise<Connection>,
  release: (connection: Connection) => void,
): KnexPool<Connection> {
  return {
    acquire: () => ({ promise: acquire() }),
    release: (connection) => {
      release(connection);
      return true;
    },
    destroy: () => Promise.resolve(),
    numFree: () => 0,
    numUsed: () => 0,
    numPendingAcquires: () => 0,
  };
}

/** A Knex over such a pool. Error texts never repeat bound values: they may be secrets. */
export function knexOver<Connection>(client: 'sqlite3' | 'pg' | 'mysql2', pool: KnexPool<Connection>): Knex {
  return knexModule({
    client,
    connectionPool: pool,
    compileSqlOnError: false,
    // What Knex would print is thrown as well.
    log: { warn: silent, error: silent, debug: silent, deprecate: silent },
    useNullAsDefault: client === 'sqlite3',
  });
}

function silent(): void {}

/**
 * Runs a transaction, and takes it back where its work goes on for too long. Throws `db_unavailable` then, whatever the
 * work makes of it: its next statement finds the transaction gone, which would read as a bug.
 */
export async function transactionWithin<T>(
  timeoutMs: number,
  work: (transaction: Knex.Transaction) => Promise<T>,
  { knex, ...config }: { knex: Knex } & Knex.TransactionConfig,
): Promise<T> {
  const late: Error[] = [];
  try {
    return await knex.transaction(async (transaction) => {
      const timer = setTimeout(() => {
        late.push(new Error(`a transaction did not end within ${timeoutMs} ms`));
        transaction.rollback(late[0]).catch(() => undefined);
      }, timeoutMs);
      try {
        return await work(transaction);
      } finally {
        clearTimeout(timer);
      }
    }, config);
  } catch (error) {
    throw late.length > 0 ? databaseUnavailable(late[0]) : error;
  }
}

/** The connections and pools that Knex is given instead of its own, so that engines are queued and retried here. */
import knexModule, { type Knex } from 'knex';

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

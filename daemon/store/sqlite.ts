/**
 * SQLite: one connection that writes, a few that only read. Whatever writes goes through one queue, a transaction or a
 * lone statement at a time, so `database is locked` cannot come from within; readers never wait for the writer (WAL).
 */
import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Knex } from 'knex';
import { databaseUnavailable, sqliteFailure } from './dialect.ts';
import { knexOver, knexPool, type PoolUse, transactionWithin } from './knex-connection.ts';
import {
  SqliteConnection,
  type SqliteConnectionOptions,
  type SqliteResult,
  type SqlValue,
} from './sqlite-connection.ts';
import { createStores, type Stores } from './stores.ts';
import { Turnstile } from './turnstile.ts';

export interface SqliteOptions {
  /** File name, or `:memory:` for a database that lives as long as this object. */
  readonly path: string;
  readonly readers?: number;
}

/** How many may wait for the writer or a reader before the rest is refused. */
const QUEUE_LIMIT = 10_000;
/** A read that takes longer is interrupted. */
const READ_TIMEOUT_MS = 5000;
/** Work that has not ended by then is rolled back: it most likely waits for the writer that it holds itself. */
const TRANSACTION_TIMEOUT_MS = 30_000;

const pragmas = [
  'journal_mode = wal',
  'synchronous = normal',
  // Other processes (backup, the command line) may hold the file for a moment.
  'busy_timeout = 10000',
  'foreign_keys = on',
  'temp_store = memory',
  'cache_size = -32000',
  // A checkpoint then leaves no huge file behind after a burst.
  'journal_size_limit = 67108864',
];

export class SqliteDatabase {
  readonly engine = 'sqlite';
  readonly stores: Stores;
  readonly #connections: readonly SqliteConnection[];
  readonly #writer: Turnstile<SqliteConnection>;
  readonly #readers: Turnstile<SqliteConnection>;
  readonly #transactions: Knex;
  readonly #path: string;

  static async open(options: SqliteOptions): Promise<SqliteDatabase> {
    try {
      if (options.path === ':memory:') {
        return new SqliteDatabase(await SqliteConnection.open({ path: ':memory:', pragmas }), [], options);
      }
      await mkdir(dirname(options.path), { recursive: true });
      makePrivately(options.path);
      const writer = await SqliteConnection.open({ path: options.path, pragmas });
      const readers: SqliteConnection[] = [];
      for (let count = options.readers ?? 3; count > 0; count--) {
        readers.push(
          await SqliteConnection.open({
            path: options.path,
            pragmas: [...pragmas, 'query_only = on'],
            statementTimeoutMs: READ_TIMEOUT_MS,
          }),
        );
      }
      return new SqliteDatabase(writer, readers, options);
    } catch (error) {
      throw translated(error);
    }
  }

  constructor(writer: SqliteConnection, readers: readonly SqliteConnection[], options: SqliteOptions) {
    const queue = { limit: QUEUE_LIMIT, full: () => databaseUnavailable(new Error('too many wait for the database')) };
    this.#connections = [writer, ...readers];
    this.#writer = new Turnstile([writer], queue);
    this.#readers = readers.length > 0 ? new Turnstile(readers, queue) : this.#writer;
    this.#path = options.path;
    const router = new StatementRouter(this.#writer, this.#readers);
    this.stores = createStores(
      knexOver(
        'sqlite3',
        knexPool(
          () => Promise.resolve(router),
          () => undefined,
        ),
      ),
      'sqlite',
    );
    this.#transactions = knexOver(
      'sqlite3',
      knexPool(
        async () => new WriterSession(await this.#writer.acquire()),
        (session) => this.#writer.release(session.connection),
      ),
    );
  }

  get pool(): PoolUse {
    const turnstiles = [...new Set([this.#writer, this.#readers])];
    const sum = (of: (one: Turnstile<SqliteConnection>) => number) => turnstiles.reduce((all, one) => all + of(one), 0);
    return { used: sum(({ used }) => used), waiting: sum(({ waiting }) => waiting) };
  }

  /** Runs the work alone among all writers. Throws `db_unavailable`, or whatever the work throws, after a rollback. */
  async transaction<T>(
    work: (stores: Stores) => Promise<T>,
    { timeoutMs = TRANSACTION_TIMEOUT_MS }: { timeoutMs?: number } = {},
  ): Promise<T> {
    return transactionWithin(timeoutMs, (transaction) => work(createStores(transaction, 'sqlite')), {
      knex: this.#transactions,
    });
  }

  /** See `Database.snapshot`: a connection of its own, since those of the readers serve everybody. */
  async snapshot<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
    // What lives in memory has one connection, which the transaction holds.
    if (this.#path === ':memory:') return this.transaction(work, { timeoutMs: 2 ** 31 - 1 });
    return reading({ path: this.#path, pragmas: [...pragmas, 'query_only = on'] }, work);
  }

  /** See `readForeign`: the file keeps the journal that its own program chose. */
  static lookInto<T>(path: string, tables: readonly string[], work: (stores: Stores) => Promise<T>): Promise<T> {
    return reading({ path, readOnly: true, pragmas: ['busy_timeout = 10000'] }, work, (connection) =>
      copyTables(connection, tables),
    );
  }

  /** Resolves when the database answers; else throws `db_unavailable`. */
  async ping(): Promise<void> {
    const connection = await this.#readers.acquire();
    try {
      await connection.execute('select 1 from sqlite_master limit 1', []);
    } catch (error) {
      throw translated(error);
    } finally {
      this.#readers.release(connection);
    }
  }

  /** Waits for transactions and reads that are under way or in line, then closes the file. */
  async close(): Promise<void> {
    const [writer] = await Promise.all(
      this.#connections.map((_, index) =>
        (index === 0 ? this.#writer : this.#readers).acquire().catch(() => undefined),
      ),
    );
    const closed = () => databaseUnavailable(new Error('the database is closed'));
    this.#writer.close(closed);
    this.#readers.close(closed);
    if (!writer) return;
    // Readers go first: the last connection to close folds the write-ahead log into the file.
    for (const connection of [...this.#connections].reverse()) await connection.close();
  }
}

/** Runs the work over a connection of its own, on the data as they stand at this moment. */
async function reading<T>(
  options: SqliteConnectionOptions,
  work: (stores: Stores) => Promise<T>,
  begun: (connection: SqliteConnection) => Promise<void> = () => Promise.resolve(),
): Promise<T> {
  const connection = await SqliteConnection.open(options).catch((error: unknown) => Promise.reject(translated(error)));
  try {
    const session = new WriterSession(connection);
    const reader = knexOver(
      'sqlite3',
      knexPool(
        () => Promise.resolve(session),
        () => undefined,
      ),
    );
    await connection.execute('begin', []);
    // The view of the data begins with the first read.
    await connection.execute('select 1 from sqlite_master limit 1', []);
    await begun(connection);
    return await work(createStores(reader, 'sqlite'));
  } catch (error) {
    throw translated(error);
  } finally {
    await connection.close();
  }
}

/**
 * Copies tables beside the file, into one without a name that goes with the connection, and lets go of the file: a
 * program whose journal is no write-ahead log cannot write while somebody reads. The copies stand before the tables.
 */
async function copyTables(connection: SqliteConnection, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const { rows } = await connection.execute("select name from pragma_table_info(?, 'main') order by pk desc", [
      table,
    ]);
    const [key] = rows.filter(isNamed);
    if (key === undefined) continue;
    await connection.execute(`create temp table ${table} as select * from main.${table}`, []);
    await connection.execute(`create index temp.key_of_${table} on ${table} ("${key.name.replaceAll('"', '""')}")`, []);
  }
  await connection.execute('commit', []);
}

function isNamed(row: unknown): row is { readonly name: string } {
  return typeof row === 'object' && row !== null && 'name' in row && typeof row.name === 'string';
}

/**
 * Makes the file of a database where there is none, for the eyes of its owner alone; SQLite gives its log and the index
 * of that the same mode. A file that is there keeps the mode that its operator gave it, such as one for a group that
 * makes backups. Nothing but a new file may be opened here: closing it would take back SQLite's locks of this process.
 */
function makePrivately(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch {
    // It is there, or it cannot be made, which SQLite is about to say in its own words.
  }
}

/** What Knex calls on a connection: results by callback, counts on `this`. */
type KnexCallback = (this: { changes: number; lastID: number }, error: unknown, rows?: readonly unknown[]) => void;

function answer(result: Promise<SqliteResult>, callback: KnexCallback): void {
  result.then(
    ({ rows, changes, lastID }) => callback.call({ changes, lastID }, null, rows),
    (error: unknown) => callback.call({ changes: 0, lastID: 0 }, translated(error)),
  );
}

/** The connection of everything outside a transaction: each statement goes to a reader or waits for the writer. */
class StatementRouter {
  readonly #writer: Turnstile<SqliteConnection>;
  readonly #readers: Turnstile<SqliteConnection>;

  constructor(writer: Turnstile<SqliteConnection>, readers: Turnstile<SqliteConnection>) {
    this.#writer = writer;
    this.#readers = readers;
  }

  all(sql: string, bindings: readonly SqlValue[], callback: KnexCallback): void {
    answer(this.#execute(sql, bindings), callback);
  }

  run(sql: string, bindings: readonly SqlValue[], callback: KnexCallback): void {
    answer(this.#execute(sql, bindings), callback);
  }

  async #execute(sql: string, bindings: readonly SqlValue[]): Promise<SqliteResult> {
    if (startsTransaction.test(sql)) throw new Error('transactions are opened by Database.transaction');
    const turnstile = isRead(sql) ? this.#readers : this.#writer;
    const connection = await turnstile.acquire();
    try {
      return await connection.execute(sql, bindings);
    } finally {
      turnstile.release(connection);
    }
  }
}

/** The connection of one transaction, which has it alone for as long as it lasts. */
class WriterSession {
  readonly connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.connection = connection;
  }

  all(sql: string, bindings: readonly SqlValue[] | undefined, callback: KnexCallback): void {
    answer(this.#execute(sql, bindings ?? []), callback);
  }

  run(sql: string, bindings: readonly SqlValue[], callback: KnexCallback): void {
    answer(this.#execute(sql, bindings), callback);
  }

  #execute(sql: string, bindings: readonly SqlValue[]): Promise<SqliteResult> {
    if (sql === 'BEGIN;') return this.#begin();
    if (sql === 'ROLLBACK') return this.#rollback();
    return this.connection.execute(sql, bindings);
  }

  /** The write lock is taken at once: a transaction that reads first could otherwise fail when it comes to write. */
  async #begin(): Promise<SqliteResult> {
    try {
      return await this.connection.execute('begin immediate', []);
    } catch (error) {
      if (sqliteFailure(error) === 'unavailable') throw error;
      // A rollback that failed has left its transaction open.
      await this.connection.execute('rollback', []);
      return this.connection.execute('begin immediate', []);
    }
  }

  /** SQLite ends a transaction by itself after some failures; that there is none left to roll back is no failure. */
  async #rollback(): Promise<SqliteResult> {
    try {
      return await this.connection.execute('rollback', []);
    } catch {
      return { rows: [], changes: 0, lastID: 0 };
    }
  }
}

const startsTransaction = /^\s*(begin|savepoint)\b/i;
const read = /^\s*(select|explain)\b/i;
const readWith = /^\s*with\b(?![\s\S]*\b(insert|update|delete)\b)/i;

function isRead(sql: string): boolean {
  return read.test(sql) || readWith.test(sql);
}

function translated(error: unknown): unknown {
  return sqliteFailure(error) === 'unavailable' ? databaseUnavailable(error) : error;
}

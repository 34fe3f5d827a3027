/**
 * PostgreSQL: a pool, a time limit on every statement, and retries where a retry cannot do anything twice. It survives
 * the server's restart: broken connections leave the pool, new ones are made on the next call.
 */
import type { Knex } from 'knex';
import pg from 'pg';
import { databaseUnavailable, type FailureKind, postgresFailure } from './dialect.ts';
import { knexOver, knexPool, type PoolUse, transactionWithin } from './knex-connection.ts';
import { driverAddress } from './postgres-address.ts';
import { createStores, type Stores } from './stores.ts';

export interface PostgresOptions {
  readonly url: string;
  readonly poolSize?: number;
  readonly statementTimeoutMs?: number;
}

const STATEMENT_TIMEOUT_MS = 5000;
const CONNECT_TIMEOUT_MS = 5000;
const CLOSE_PATIENCE_MS = 2000;
const TRANSACTION_TIMEOUT_MS = 30_000;
/** A statement of a snapshot may add up the largest table. */
const SNAPSHOT_PATIENCE_MS = 6 * 3600 * 1000;
/** How many may wait for a connection before the rest is refused. */
const QUEUE_LIMIT = 10_000;
const ATTEMPTS: Record<FailureKind, number> = { contention: 8, duplicate: 3, unprepared: 3, unavailable: 3, bug: 1 };

/** Numbers of `pg_type` whose values would otherwise arrive as text. */
const INT8 = 20;

export class PostgresDatabase {
  readonly engine = 'postgres';
  readonly stores: Stores;
  readonly #pool: pg.Pool;
  readonly #transactions: Knex;
  /** How long a statement may go unanswered; the server gives up before that. */
  readonly #patienceMs: number;
  readonly #preparing: Preparing = { isOn: true };

  static async open(options: PostgresOptions): Promise<PostgresDatabase> {
    const database = new PostgresDatabase(options);
    try {
      await database.ping();
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  constructor(options: PostgresOptions) {
    const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
    this.#pool = new pg.Pool({
      connectionString: driverAddress(options.url),
      max: options.poolSize ?? 10,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      application_name: 'tollgate',
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: TRANSACTION_TIMEOUT_MS,
      types: {
        getTypeParser: (id, format) => (id === INT8 ? Number : pg.types.getTypeParser(id, format)),
      },
    });
    // An idle connection that breaks is dropped by the pool; the next call makes a new one and reports its failure.
    this.#pool.on('error', () => undefined);
    // One that breaks on its way from the pool to its user has nobody else who listens; its first statement tells.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
    this.#patienceMs = statementTimeoutMs + CONNECT_TIMEOUT_MS;
    const router = new StatementRouter(() => this.#session(this.#patienceMs));
    this.stores = createStores(
      knexOver(
        'pg',
        knexPool(
          () => Promise.resolve(router),
          () => undefined,
        ),
      ),
      'postgres',
    );
    // Each transaction brings its own connection.
    this.#transactions = knexOver(
      'pg',
      knexPool(
        () => Promise.reject(new Error('a transaction came without its connection')),
        () => undefined,
      ),
    );
  }

  get pool(): PoolUse {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { used: totalCount - idleCount, waiting: waitingCount };
  }

  /** See `Database.transaction`. */
  async transaction<T>(
    work: (stores: Stores) => Promise<T>,
    { timeoutMs = TRANSACTION_TIMEOUT_MS }: { timeoutMs?: number } = {},
  ): Promise<T> {
    const patienceMs = timeoutMs > TRANSACTION_TIMEOUT_MS ? timeoutMs : this.#patienceMs;
    const progress = { committing: false };
    return retried(
      async () => {
        progress.committing = false;
        const connection = await this.#session(patienceMs);
        try {
          return await transactionWithin(
            timeoutMs,
            async (transaction) => {
              if (timeoutMs > TRANSACTION_TIMEOUT_MS) await liftLimits(transaction);
              const result = await work(createStores(transaction, 'postgres'));
              progress.committing = true;
              return result;
            },
            { knex: this.#transactions, connection },
          );
        } finally {
          connection.release();
        }
      },
      // Once the commit was sent, a lost connection leaves open whether it happened.
      (kind) => !(kind === 'unavailable' && progress.committing),
    );
  }

  /** See `Database.snapshot`. */
  async snapshot<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
    try {
      const session = await this.#session(SNAPSHOT_PATIENCE_MS);
      try {
        const reader = knexOver(
          'pg',
          knexPool(
            () => Promise.resolve(session),
            () => undefined,
          ),
        );
        await reader.raw('begin isolation level repeatable read read only');
        await liftLimits(reader);
        return await work(createStores(reader, 'postgres')).finally(() => reader.raw('rollback'));
      } finally {
        session.release();
      }
    } catch (error) {
      throw kindOf(error) === 'unavailable' ? databaseUnavailable(error) : error;
    }
  }

  /** Resolves when the database answers; else throws `db_unavailable`. */
  async ping(): Promise<void> {
    try {
      await this.#pool.query('select 1');
    } catch (error) {
      throw databaseUnavailable(error);
    }
  }

  /** Statements under way may end; a server that has fallen silent is left. */
  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_PATIENCE_MS);
    });
    await Promise.race([this.#pool.end(), late]);
    clearTimeout(timer);
  }

  async #session(patienceMs: number): Promise<PostgresSession> {
    if (this.#pool.waitingCount >= QUEUE_LIMIT) throw new ConnectionLost('too many wait for a connection');
    const client = await this.#pool.connect().catch((error: unknown) => Promise.reject(new ConnectionLost(error)));
    return new PostgresSession(client, { patienceMs, preparing: this.#preparing });
  }
}

/** In a transaction that may take its time, as one statement of it may. */
async function liftLimits(transaction: Knex): Promise<void> {
  await transaction.raw('set local statement_timeout = 0');
  await transaction.raw('set local idle_in_transaction_session_timeout = 0');
}

/** A failure of the connection itself; the server reported nothing. */
class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super('the connection to the database was lost', { cause });
    this.name = 'ConnectionLost';
  }
}

function kindOf(error: unknown): FailureKind {
  return error instanceof ConnectionLost ? 'unavailable' : postgresFailure(error);
}

/** Runs a transaction or statement again while its failure allows it; ends with the failure that callers see. */
async function retried<T>(run: () => Promise<T>, mayRepeat: (kind: FailureKind) => boolean): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const kind = kindOf(error);
      if (attempt >= ATTEMPTS[kind] || !mayRepeat(kind)) {
        throw kind === 'unavailable' || kind === 'contention' ? databaseUnavailable(error) : error;
      }
      // Between half of and the full step, so that those who collided do not meet again.
      const stepMs = Math.min(500, 10 * 2 ** attempt);
      await new Promise((resolve) => setTimeout(resolve, stepMs * (0.5 + Math.random() / 2)));
    }
  }
}

type KnexQuery = pg.QueryConfig<unknown[]>;
type KnexCallback = (error: unknown, result?: pg.QueryResult) => void;

/**
 * Whether statements with a name are prepared, once per connection. Behind a pooler that hands connections round by the
 * transaction and does not follow names (PgBouncer before 1.21) they cannot be: the first refusal ends it.
 */
interface Preparing {
  isOn: boolean;
}

/** One pooled connection while somebody uses it. */
class PostgresSession {
  readonly #client: pg.PoolClient;
  readonly #patienceMs: number;
  readonly #preparing: Preparing;
  readonly #onError = (error: Error): void => {
    this.#broken = error;
  };
  #broken: Error | undefined;

  constructor(client: pg.PoolClient, { patienceMs, preparing }: { patienceMs: number; preparing: Preparing }) {
    this.#client = client;
    this.#patienceMs = patienceMs;
    this.#preparing = preparing;
    client.on('error', this.#onError);
  }

  /** What Knex calls on a connection: answers with the server's own report, or with `ConnectionLost`. */
  query(asked: KnexQuery, callback: KnexCallback): void {
    const config = this.#preparing.isOn ? asked : { ...asked, name: undefined };
    // The server ends a statement in time; if nothing comes, the way to it is cut and nobody has told us.
    const timer = setTimeout(() => callback(this.#lost(new Error('no answer'))), this.#patienceMs);
    this.#client.query(config, (error: unknown, result) => {
      clearTimeout(timer);
      if (!error) return callback(null, result);
      if (isReport(error) && postgresFailure(error) === 'unprepared') this.#preparing.isOn = false;
      callback(isReport(error) && !endsSession(error.code) ? error : this.#lost(error));
    });
  }

  /** Gives the connection back to the pool, which destroys it if it is broken. */
  release(): void {
    this.#client.off('error', this.#onError);
    this.#client.release(this.#broken);
  }

  #lost(cause: unknown): ConnectionLost {
    const lost = new ConnectionLost(cause);
    this.#broken ??= lost;
    return lost;
  }
}

/** The connection of everything outside a transaction: each statement takes one of the pool and may be retried. */
class StatementRouter {
  readonly #session: () => Promise<PostgresSession>;

  constructor(session: () => Promise<PostgresSession>) {
    this.#session = session;
  }

  query(config: KnexQuery, callback: KnexCallback): void {
    if (startsTransaction.test(config.text)) throw new Error('transactions are opened by Database.transaction');
    const progress = { sent: false };
    retried(
      () => this.#execute(config, progress),
      // A write whose connection broke may have happened.
      (kind) => kind !== 'unavailable' || !progress.sent || isRead(config.text),
    ).then((result) => callback(null, result), callback);
  }

  async #execute(config: KnexQuery, progress: { sent: boolean }): Promise<pg.QueryResult> {
    progress.sent = false;
    const session = await this.#session();
    progress.sent = true;
    try {
      return await new Promise<pg.QueryResult>((resolve, reject) => {
        session.query(config, (error, result) => (result ? resolve(result) : reject(error)));
      });
    } finally {
      session.release();
    }
  }
}

const startsTransaction = /^\s*(begin|savepoint)\b/i;
const isRead = (sql: string): boolean => /^\s*select\b/i.test(sql);

/** A failure that the server itself reported, by a code of five characters. */
function isReport(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'severity' in error && 'code' in error && typeof error.code === 'string';
}

/** Reports after which a connection is of no use: the server shuts down, crashed, dropped it, or takes no writes. */
function endsSession(code: string): boolean {
  // What may only be read has been replaced, perhaps: the next connection may lead to the server that writes.
  return code.startsWith('08') || code.startsWith('57P') || ['25P03', '25P04', '25006'].includes(code);
}

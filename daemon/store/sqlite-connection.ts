/** One SQLite handle with its prepared statements. Whoever uses it has it alone; the turnstiles see to that. */
import sqlite3 from 'sqlite3';

export type SqlValue = string | number | boolean | null | Date | Buffer;

export interface SqliteResult {
  /** Rows of a query or of `returning`; empty otherwise. */
  readonly rows: readonly unknown[];
  readonly changes: number;
  readonly lastID: number;
}

export interface SqliteConnectionOptions {
  readonly path: string;
  /** Refuses to make, change or mend the file. */
  readonly readOnly?: boolean;
  /** Run on opening, in order. */
  readonly pragmas: readonly string[];
  /** A statement that takes longer is interrupted; undefined lets it run. */
  readonly statementTimeoutMs?: number;
}

/** Statements kept prepared; the program has fewer, save for lists of varying length. */
const CACHED_STATEMENTS = 300;

interface Prepared {
  readonly statement: sqlite3.Statement;
  /** False for writes without `returning`, whose count of changes is asked for instead. */
  readonly returnsRows: boolean;
}

export class SqliteConnection {
  readonly #handle: sqlite3.Database;
  readonly #statements = new Map<string, Prepared>();
  readonly #statementTimeoutMs: number | undefined;

  static async open(options: SqliteConnectionOptions): Promise<SqliteConnection> {
    const handle = await new Promise<sqlite3.Database>((resolve, reject) => {
      const mode = options.readOnly === true ? sqlite3.OPEN_READONLY : sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE;
      const opened = new sqlite3.Database(options.path, mode, (error) => (error ? reject(error) : resolve(opened)));
    });
    const connection = new SqliteConnection(handle, options.statementTimeoutMs);
    try {
      for (const pragma of options.pragmas) await connection.execute(`pragma ${pragma}`, []);
    } catch (error) {
      await connection.close();
      throw error;
    }
    return connection;
  }

  constructor(handle: sqlite3.Database, statementTimeoutMs: number | undefined) {
    this.#handle = handle;
    this.#statementTimeoutMs = statementTimeoutMs;
  }

  /** Runs one statement to its end. */
  async execute(sql: string, bindings: readonly SqlValue[]): Promise<SqliteResult> {
    const prepared = this.#statements.get(sql) ?? (await this.#prepare(sql));
    const timer =
      this.#statementTimeoutMs === undefined
        ? undefined
        : setTimeout(() => this.#handle.interrupt(), this.#statementTimeoutMs);
    try {
      return await runStatement(prepared, bindings);
    } catch (error) {
      // A statement that failed is not kept: it may be stuck half-way.
      this.#statements.delete(sql);
      prepared.statement.finalize();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    for (const { statement } of this.#statements.values()) statement.finalize();
    this.#statements.clear();
    await new Promise<void>((resolve, reject) => this.#handle.close((error) => (error ? reject(error) : resolve())));
  }

  async #prepare(sql: string): Promise<Prepared> {
    const statement = await new Promise<sqlite3.Statement>((resolve, reject) => {
      const made = this.#handle.prepare(sql, (error) => (error ? reject(error) : resolve(made)));
    });
    const prepared = { statement, returnsRows: !rowless.test(sql) };
    if (this.#statements.size >= CACHED_STATEMENTS) this.#dropOldest();
    this.#statements.set(sql, prepared);
    return prepared;
  }

  #dropOldest(): void {
    for (const [sql, { statement }] of this.#statements) {
      this.#statements.delete(sql);
      statement.finalize();
      return;
    }
  }
}

const rowless = /^\s*(insert|update|delete|replace)\b(?![\s\S]*\breturning\b)/i;

function runStatement({ statement, returnsRows }: Prepared, bindings: readonly SqlValue[]): Promise<SqliteResult> {
  return new Promise((resolve, reject) => {
    if (returnsRows) {
      statement.all(bindings, (error, rows) => {
        if (error) reject(error);
        else resolve({ rows, changes: 0, lastID: 0 });
      });
      return;
    }
    statement.run(bindings, function (error) {
      if (error) reject(error);
      else resolve({ rows: [], changes: this.changes, lastID: this.lastID });
    });
  });
}

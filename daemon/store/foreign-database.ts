/** Databases that other programs made, opened for reading alone: a SQLite file, PostgreSQL, MySQL or MariaDB. */
import { TollgateError } from '../errors.ts';
import type { ForeignRow, ForeignSelection, ForeignTables } from './foreign-tables.ts';
import { nameOfMysql, readMysqlAddress } from './mysql-address.ts';
import { lookIntoMysql } from './mysql-source.ts';

/**
 * Runs the work on a database as it stands at this moment; the work runs once. Of a SQLite file these tables can be
 * read, and whoever writes to it waits while they are copied and no longer. Throws `import_address_invalid`,
 * `import_source_unreadable` or, of a server, `import_source_unreached` whenever the database fails, and what the work
 * throws.
 */
export async function readForeign<T>(
  address: string,
  tables: readonly string[],
  work: (tables: ForeignTables) => Promise<T>,
): Promise<T> {
  const source = sourceAt(address, tables);
  const reached = { isOpen: false };
  try {
    return await source.open((found) => {
      reached.isOpen = true;
      return work(new NamedTables(found, source));
    });
  } catch (error) {
    throw reached.isOpen ? error : failureOf(source, error);
  }
}

interface Source {
  /** What people call it, without a password. */
  readonly name: string;
  /** What to do about a file helps with no server. */
  readonly code: 'import_source_unreadable' | 'import_source_unreached';
  readonly open: <T>(work: (tables: ForeignTables) => Promise<T>) => Promise<T>;
}

function sourceAt(address: string, tables: readonly string[]): Source {
  if (address.startsWith('sqlite:')) {
    const path = address.slice('sqlite:'.length);
    return {
      name: path,
      code: 'import_source_unreadable',
      open: async (work) => {
        const { SqliteDatabase } = await import('./sqlite.ts');
        return SqliteDatabase.lookInto(path, tables, ({ foreignTables }) => work(foreignTables));
      },
    };
  }
  const code = 'import_source_unreached';
  if (/^postgres(ql)?:/.test(address)) {
    return { name: placeOf(address), code, open: (work) => lookIntoPostgres(address, work) };
  }
  const mysql = readMysqlAddress(address);
  return { name: nameOfMysql(mysql), code, open: (work) => lookIntoMysql(mysql, work) };
}

async function lookIntoPostgres<T>(url: string, work: (tables: ForeignTables) => Promise<T>): Promise<T> {
  const { PostgresDatabase } = await import('./postgres.ts');
  const database = await PostgresDatabase.open({ url, poolSize: 1 });
  try {
    return await database.snapshot(({ foreignTables }) => work(foreignTables));
  } finally {
    await database.close();
  }
}

function placeOf(url: string): string {
  if (!URL.canParse(url)) throw new TollgateError('import_address_invalid');
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/** Tables whose failures carry the code of the source: the database that is written to fails with its own. */
class NamedTables implements ForeignTables {
  readonly #tables: ForeignTables;
  readonly #source: Source;

  constructor(tables: ForeignTables, source: Source) {
    this.#tables = tables;
    this.#source = source;
  }

  async columns(table: string): Promise<readonly string[]> {
    try {
      return await this.#tables.columns(table);
    } catch (error) {
      throw failureOf(this.#source, error);
    }
  }

  async *portions(table: string, selection: ForeignSelection): AsyncGenerator<readonly ForeignRow[]> {
    try {
      yield* this.#tables.portions(table, selection);
    } catch (error) {
      throw failureOf(this.#source, error);
    }
  }
}

function failureOf({ name, code }: Source, cause: unknown): TollgateError {
  return new TollgateError(code, { name }, { cause });
}

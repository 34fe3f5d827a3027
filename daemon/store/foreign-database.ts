/** Databases that other programs made, opened for reading alone: a SQLite file, PostgreSQL, MySQL or MariaDB. */
import { TollgateError } from '../errors.ts';
import type { ForeignRow, ForeignSelection, ForeignTables } from './foreign-tables.ts';
import { nameOfMysql, readMysqlAddress } from './mysql-address.ts';
import { lookIntoMysql } from './mysql-source.ts';
import { PostgresDatabase } from './postgres.ts';
import { SqliteDatabase } from './sqlite.ts';

/**
 * Runs the work on a database as it stands at this moment; the work runs once. Of a SQLite file these tables can be
 * read, and whoever writes to it waits while they are copied and no longer. Throws `import_address_invalid`,
 * `import_source_unreadable` whenever the database fails, and what the work throws.
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
      return work(new NamedTables(found, source.name));
    });
  } catch (error) {
    throw reached.isOpen ? error : unreadable(source.name, error);
  }
}

interface Source {
  /** What people call it, without a password. */
  readonly name: string;
  readonly open: <T>(work: (tables: ForeignTables) => Promise<T>) => Promise<T>;
}

function sourceAt(address: string, tables: readonly string[]): Source {
  if (address.startsWith('sqlite:')) {
    const path = address.slice('sqlite:'.length);
    return {
      name: path,
      open: (work) => SqliteDatabase.lookInto(path, tables, ({ foreignTables }) => work(foreignTables)),
    };
  }
  if (/^postgres(ql)?:/.test(address)) {
    return { name: placeOf(address), open: (work) => lookIntoPostgres(address, work) };
  }
  const mysql = readMysqlAddress(address);
  return { name: nameOfMysql(mysql), open: (work) => lookIntoMysql(mysql, work) };
}

async function lookIntoPostgres<T>(url: string, work: (tables: ForeignTables) => Promise<T>): Promise<T> {
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
  readonly #name: string;

  constructor(tables: ForeignTables, name: string) {
    this.#tables = tables;
    this.#name = name;
  }

  async columns(table: string): Promise<readonly string[]> {
    try {
      return await this.#tables.columns(table);
    } catch (error) {
      throw unreadable(this.#name, error);
    }
  }

  async *portions(table: string, selection: ForeignSelection): AsyncGenerator<readonly ForeignRow[]> {
    try {
      yield* this.#tables.portions(table, selection);
    } catch (error) {
      throw unreadable(this.#name, error);
    }
  }
}

function unreadable(name: string, cause: unknown): TollgateError {
  return new TollgateError('import_source_unreadable', { name }, { cause });
}

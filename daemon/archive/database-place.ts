/** Databases by their address: opened, named, and taken away again where they were made in vain. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { makeFolder } from '../config/data-folder.ts';
import { TollgateError } from '../errors.ts';
import { type Database, openDatabase } from '../store/database.ts';

/** A database, and the flag that named it; undefined for the one of the configuration. */
export interface Place {
  readonly url: string;
  readonly field?: string | undefined;
}

/**
 * What people call it: the name of its file, or of the database on its server. Throws `db_unavailable`, which names the
 * flag, for an address that is none.
 */
export function databaseName({ url, field }: Place): string {
  const file = fileOf(url);
  if (file !== undefined) return basename(file);
  try {
    return decodeURIComponent(new URL(url).pathname.slice(1));
  } catch (cause) {
    throw new TollgateError('db_unavailable', {}, field === undefined ? { cause } : { cause, field });
  }
}

/** Opens a database that is there. Throws `database_missing`, `db_unavailable`, which names the flag. */
export async function withDatabase<T>(place: Place, work: (database: Database) => Promise<T>): Promise<T> {
  const file = fileOf(place.url);
  if (file !== undefined && !existsSync(file)) throw new TollgateError('database_missing', { name: file });
  return withOpen(place, work);
}

/**
 * Opens a database to be filled; a file that was made for it goes again when the work fails, unless somebody else has
 * opened it meanwhile, such as a daemon that starts. Throws as above.
 */
export async function withTarget<T>(place: Place, work: (database: Database) => Promise<T>): Promise<T> {
  const file = fileOf(place.url);
  if (file === undefined || !isMadeNow(file)) return withOpen(place, work);
  try {
    return await withOpen(place, work);
  } catch (error) {
    // Whoever closes a file last takes its log with it.
    if (!existsSync(`${file}-wal`)) rmSync(file, { force: true });
    throw error;
  }
}

/** False for a file that somebody else has made, if only in this moment, or that cannot be made. */
function isMadeNow(file: string): boolean {
  if (existsSync(file)) return false;
  makeFolder(dirname(file));
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch {
    // Opening it says why, in the words of SQLite.
    return false;
  }
}

/** Whether there is something to look into before it is filled. */
export function exists(url: string): boolean {
  const file = fileOf(url);
  return file === undefined || existsSync(file);
}

async function withOpen<T>(place: Place, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await opened(place);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function opened({ url, field }: Place): Promise<Database> {
  try {
    return await openDatabase({ url, poolSize: 2 });
  } catch (error) {
    if (field === undefined || !(error instanceof TollgateError)) throw error;
    throw new TollgateError(error.code, error.params, { cause: error.cause, field });
  }
}

/** Undefined for a database on a server. */
function fileOf(url: string): string | undefined {
  return url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined;
}

/** Databases by their address: opened, named, and taken away again where they were made in vain. */
import { existsSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { makeFolder } from '../config/data-folder.ts';
import { TollgateError } from '../errors.ts';
import { type Database, openDatabase } from '../store/database.ts';

/** What people call it: the name of its file, or of the database on its server. */
export function databaseName(url: string): string {
  const file = fileOf(url);
  return file === undefined ? decodeURIComponent(new URL(url).pathname.slice(1)) : basename(file);
}

/** Opens a database that is there. Throws `database_missing`, `db_unavailable`. */
export async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const file = fileOf(url);
  if (file !== undefined && !existsSync(file)) throw new TollgateError('database_missing', { name: file });
  return withOpen(url, work);
}

/** Opens a database to be filled; a file that was made for it goes again when the work fails. Throws `db_unavailable`. */
export async function withTarget<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const file = fileOf(url);
  if (file === undefined || existsSync(file)) return withOpen(url, work);
  makeFolder(dirname(file));
  try {
    return await withOpen(url, work);
  } catch (error) {
    for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true });
    throw error;
  }
}

/** Whether there is something to look into before it is filled. */
export function exists(url: string): boolean {
  const file = fileOf(url);
  return file === undefined || existsSync(file);
}

async function withOpen<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase({ url, poolSize: 2 });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Undefined for a database on a server. */
function fileOf(url: string): string | undefined {
  return url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined;
}

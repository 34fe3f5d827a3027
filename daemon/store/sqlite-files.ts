/** Which file is meant where SQLite says no more than that it cannot open or write one. */
import { accessSync, constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Language } from '../contract/error-codes.ts';

/** A reason with the file or folder that the user of this process may not use: often another user made it. */
export function withForbiddenFile(reason: string, url: string, isAllowed = mayUse): string {
  const forbidden = forbiddenFile(reason, url, isAllowed);
  return forbidden === undefined ? reason : `${reason}; ${forbidden.en}`;
}

/** What names that file or folder; undefined where the reason is another, or all may be used. */
export function forbiddenFile(reason: string, url: string, isAllowed = mayUse): Record<Language, string> | undefined {
  if (!url.startsWith('sqlite:') || !/^SQLITE_(CANTOPEN|READONLY)/.test(reason)) return undefined;
  const path = resolve(url.slice('sqlite:'.length));
  // The log of the database and its index stand beside it.
  const place = [dirname(path), path, `${path}-wal`, `${path}-shm`].find((candidate) => !isAllowed(candidate));
  if (place === undefined) return undefined;
  const uid = process.getuid?.();
  const [of, ofUser] = uid === undefined ? ['', ''] : [` (${uid})`, `（${uid}）`];
  return { en: `the user of this process${of} may not write ${place}`, zh: `本进程的用户${ofUser}无权写入 ${place}` };
}

function mayUse(place: string): boolean {
  try {
    accessSync(place, constants.R_OK | constants.W_OK);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}

/** Which file is meant where SQLite says no more than that it cannot open or write one. */
import { accessSync, constants } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** A reason with the file or folder that the user of this process may not use: often another user made it. */
export function withForbiddenFile(reason: string, url: string, isAllowed = mayUse): string {
  const place = forbiddenFile(reason, url, isAllowed);
  if (place === undefined) return reason;
  const uid = process.getuid?.();
  return `${reason}; the user of this process${uid === undefined ? '' : ` (${uid})`} may not write ${place}`;
}

/** That file or folder; undefined where the reason is another, or all may be used. */
export function forbiddenFile(reason: string, url: string, isAllowed = mayUse): string | undefined {
  if (!url.startsWith('sqlite:') || !/^SQLITE_(CANTOPEN|READONLY)/.test(reason)) return undefined;
  const path = resolve(url.slice('sqlite:'.length));
  // The log of the database and its index stand beside it.
  return [dirname(path), path, `${path}-wal`, `${path}-shm`].find((candidate) => !isAllowed(candidate));
}

function mayUse(place: string): boolean {
  try {
    accessSync(place, constants.R_OK | constants.W_OK);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}

/** Which file is meant where SQLite says no more than that it cannot open or write one. */
import { accessSync, constants } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** A reason with the file or folder that the user of this process may not use: often another user made it. */
export function withForbiddenFile(reason: string, url: string, isAllowed = mayUse): string {
  if (!url.startsWith('sqlite:') || !/^SQLITE_(CANTOPEN|READONLY)/.test(reason)) return reason;
  const path = resolve(url.slice('sqlite:'.length));
  // The log of the database and its index stand beside it.
  const place = [dirname(path), path, `${path}-wal`, `${path}-shm`].find((candidate) => !isAllowed(candidate));
  if (place === undefined) return reason;
  const uid = process.getuid?.();
  return `${reason}; the user of this process${uid === undefined ? '' : ` (${uid})`} may not write ${place}`;
}

function mayUse(place: string): boolean {
  try {
    accessSync(place, constants.R_OK | constants.W_OK);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}

/** How many files and sockets this process may have open. */
import { readFileSync } from 'node:fs';

/** Infinity where there is no limit; undefined where the system does not tell. Node raises it to what it may have. */
export function openFileLimit(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const limit = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    if (limit === undefined) return undefined;
    return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return undefined;
  }
}

/**
 * Clients may not take every file that the process may open: without one to spare no upstream is reached and no journal
 * is written, for anybody.
 */
import type { Server } from 'node:net';
import type { Logger } from '../telemetry/logger.ts';

/** For the database, journals, metrics and the process itself; of a small limit a quarter. */
const OWN_FILES = 256;
const WARN_EVERY_MS = 60_000;

/** Of so many files, the connections of clients: each call has one more to its upstream. */
export function mostConnections(openFiles: number): number {
  const own = Math.min(OWN_FILES, Math.ceil(openFiles / 4));
  return Math.max(1, Math.floor((openFiles - own) / 2));
}

/** Closes what comes above that at once, and says so once in a minute; changes nothing where there is no limit. */
export function limitConnections(
  server: Server,
  { openFiles, log }: { readonly openFiles: number | undefined; readonly log: Pick<Logger, 'warn'> },
): void {
  if (openFiles === undefined || !Number.isFinite(openFiles)) return;
  server.maxConnections = mostConnections(openFiles);
  let warnedMs = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    if (performance.now() - warnedMs < WARN_EVERY_MS) return;
    warnedMs = performance.now();
    log.warn(
      { connections: server.maxConnections, openFiles },
      'connections were closed at once: clients hold as many as the limit of open files leaves them (ulimit -n)',
    );
  });
}

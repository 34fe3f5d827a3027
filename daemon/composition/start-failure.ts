/** Why the daemon cannot start, as one sentence for its operator, with the key that mends it. */
import { resolve } from 'node:path';
import type { Config } from '../config/schema.ts';
import { formatError } from '../contract/error-codes.ts';
import { reasonOf } from '../contract/error-reason.ts';
import { TollgateError } from '../errors.ts';

/** What every session is told to keep to (`store/postgres.ts`). */
const limitNames = 'statement_timeout and idle_in_transaction_session_timeout (ignore_startup_parameters)';

/** A sentence without addresses that hold passwords. */
export function startFailure(error: unknown, config: Pick<Config, 'data_dir' | 'database' | 'listen'>): string {
  if (error instanceof TollgateError) {
    const text = formatError(error.code, error.params, 'en');
    if (error.code === 'secret_differs') return `cannot start: ${text} (secret, TOLLGATE_SECRET; lost: docs/backup.md)`;
    if (error.code === 'secret_not_shared') {
      return `cannot start: ${text}; give all nodes the same (secret, TOLLGATE_SECRET), or wait two minutes where those are gone`;
    }
    if (error.code !== 'db_unavailable') return text;
    const reason = reasonOf(error);
    // PgBouncer refuses what it does not know of a session.
    const remedy = reason.startsWith('unsupported startup parameter') ? `; have the pooler ignore ${limitNames}` : '';
    return `cannot start: ${placeOf(config.database.url)} cannot be used: ${reason}${remedy} (database.url, TOLLGATE_DATABASE_URL)`;
  }
  if (!(error instanceof Error) || !('code' in error)) return `cannot start: ${String(error)}`;
  // A socket in the data folder has no port, which Node writes as -1.
  if ('syscall' in error && error.syscall === 'listen' && 'port' in error && error.port !== -1) {
    const key = error.port === config.listen.port ? 'listen, TOLLGATE_LISTEN' : 'metrics.listen';
    const why = error.code === 'EADDRINUSE' ? '; another program has this address already' : '';
    return `cannot start: ${error.message}${why} (${key})`;
  }
  // The claim of the folder is a socket in it, and carries its path as an address.
  const place = 'path' in error ? error.path : 'address' in error ? error.address : undefined;
  const isOfFolder = typeof place === 'string' && resolve(place).startsWith(resolve(config.data_dir));
  return `cannot start: ${error.message}${isOfFolder ? ' (data_dir, TOLLGATE_DATA_DIR)' : ''}`;
}

/** The database without user and password. */
function placeOf(url: string): string {
  return url.replace(/^(\w+:\/\/)[^/]*@/, '$1');
}

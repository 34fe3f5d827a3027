/** Why the daemon cannot start, as one sentence for its operator, with the key that mends it. */
import type { Config } from '../config/schema.ts';
import { formatError } from '../contract/error-codes.ts';
import { TollgateError } from '../errors.ts';

/** A sentence without addresses that hold passwords. */
export function startFailure(error: unknown, config: Pick<Config, 'database' | 'listen'>): string {
  if (error instanceof TollgateError) {
    const text = formatError(error.code, error.params, 'en');
    if (error.code !== 'db_unavailable') return text;
    return `cannot start: ${placeOf(config.database.url)} cannot be used: ${reasonOf(error)} (database.url, TOLLGATE_DATABASE_URL)`;
  }
  if (error instanceof Error && 'syscall' in error && error.syscall === 'listen') {
    const key = 'port' in error && error.port === config.listen.port ? 'listen, TOLLGATE_LISTEN' : 'metrics.listen';
    const why = 'code' in error && error.code === 'EADDRINUSE' ? 'another program has this address already' : '';
    return `cannot start: ${error.message}${why && `; ${why}`} (${key})`;
  }
  return `cannot start: ${error instanceof Error && 'code' in error ? error.message : String(error)}`;
}

/** The database without user and password. */
function placeOf(url: string): string {
  return url.replace(/^(\w+:\/\/)[^/]*@/, '$1');
}

/** What the driver or the system said first: the end of the chain of causes. */
function reasonOf(error: Error): string {
  let deepest: unknown = error;
  for (let depth = 0; depth < 5 && deepest instanceof Error && deepest.cause !== undefined; depth += 1) {
    deepest = deepest.cause;
  }
  // Several addresses of one name fail as one error without a text of its own.
  if (deepest instanceof AggregateError) return deepest.errors.map(String).join(', ');
  return deepest instanceof Error ? deepest.message : String(deepest);
}

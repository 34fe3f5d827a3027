/** Why the daemon cannot start, as one sentence for its operator, with the key that mends it. */
import { resolve } from 'node:path';
import { withoutPassword } from '../config/key.ts';
import type { Config } from '../config/schema.ts';
import { formatError } from '../contract/error-codes.ts';
import { reasonOf } from '../contract/error-reason.ts';
import { TollgateError } from '../errors.ts';
import { withForbiddenFile } from '../store/sqlite-files.ts';

/** What mends a database that answers, by the beginning or a word of what it said. */
const remedies: readonly (readonly [reason: RegExp, remedy: string])[] = [
  // PgBouncer refuses what it does not know of a session; these are the limits that `store/postgres.ts` gives it.
  [
    /^unsupported startup parameter/,
    'have the pooler ignore statement_timeout and idle_in_transaction_session_timeout (ignore_startup_parameters)',
  ],
  [
    /\bcertificate\b/,
    'name its authority by sslrootcert=FILE in the address, or trust whatever certificate comes by sslmode=no-verify',
  ],
];

const listenKey = 'listen, TOLLGATE_LISTEN';
const metricsKey = 'metrics.listen, TOLLGATE_METRICS_LISTEN';

/** A sentence without addresses that hold passwords. */
export function startFailure(error: unknown, config: Pick<Config, 'data_dir' | 'database' | 'listen'>): string {
  if (error instanceof TollgateError) {
    const text = formatError(error.code, error.params, 'en');
    if (error.code === 'secret_differs') return `cannot start: ${text} (secret, TOLLGATE_SECRET; lost: docs/backup.md)`;
    if (error.code === 'secret_not_shared') {
      return `cannot start: ${text}; give all nodes the same (secret, TOLLGATE_SECRET), or wait two minutes where those are gone`;
    }
    if (error.code !== 'db_unavailable') return text;
    return unusable(config, reasonOf(error) ?? text);
  }
  if (!(error instanceof Error) || !('code' in error)) return `cannot start: ${String(error).replace(/^Error: /, '')}`;
  // What PostgreSQL itself refuses, such as to make tables; Knex puts the statement before it.
  if ('severity' in error) return unusable(config, error.message.split(' - ').at(-1) ?? error.message);
  // A socket in the data folder has no port, which Node writes as -1.
  if ('syscall' in error && error.syscall === 'listen' && 'port' in error && error.port !== -1) {
    const key = error.port === config.listen.port ? listenKey : metricsKey;
    const why = error.code === 'EADDRINUSE' ? '; another program has this address already' : '';
    return `cannot start: ${error.message}${why} (${key})`;
  }
  // The database tells of its own host by another error, and nothing else is looked up before calls are served.
  if ('hostname' in error && 'syscall' in error && error.syscall === 'getaddrinfo') {
    const key = error.hostname === config.listen.host ? listenKey : metricsKey;
    return `cannot start: ${error.message}; listen on an address of this machine (${key})`;
  }
  // The claim of the folder is a socket in it, and carries its path as an address.
  const place = 'path' in error ? error.path : 'address' in error ? error.address : undefined;
  // Where a disk is full the system names no path; a start writes nowhere else.
  const isFull = error.code === 'ENOSPC' || error.code === 'EDQUOT';
  const isOfFolder = isFull || (typeof place === 'string' && resolve(place).startsWith(resolve(config.data_dir)));
  return `cannot start: ${error.message}${isOfFolder ? ' (data_dir, TOLLGATE_DATA_DIR)' : ''}`;
}

function unusable({ database }: Pick<Config, 'database'>, reason: string): string {
  const remedy = remedies.find(([pattern]) => pattern.test(reason))?.[1];
  const said = remedy === undefined ? withForbiddenFile(reason, database.url) : `${reason}; ${remedy}`;
  return `cannot start: ${placeOf(database.url)} cannot be used: ${said} (database.url, TOLLGATE_DATABASE_URL)`;
}

/** The database without user and password. */
function placeOf(url: string): string {
  return withoutPassword(url).replace(/^(\w+:\/\/)[^/]*@/, '$1');
}

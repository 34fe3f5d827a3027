/** Why the daemon cannot start, as one sentence for its operator, with the key that mends it. */
import { resolve } from 'node:path';
import { withoutPassword } from '../config/key.ts';
import type { Config } from '../config/schema.ts';
import { formatError } from '../contract/error-codes.ts';
import { reasonOf } from '../contract/error-reason.ts';
import { TollgateError } from '../errors.ts';
import { forbiddenFile } from '../store/sqlite-files.ts';
import { type StartLine, verbatim } from './start-lines.ts';

/** What mends a database that answers, by the beginning or a word of what it said. */
const remedies: readonly (readonly [reason: RegExp, remedy: StartLine])[] = [
  // PgBouncer refuses what it does not know of a session; these are the limits that `store/postgres.ts` gives it.
  [
    /^unsupported startup parameter/,
    {
      en: 'have the pooler ignore statement_timeout and idle_in_transaction_session_timeout (ignore_startup_parameters)',
      zh: '请让连接池忽略 statement_timeout 与 idle_in_transaction_session_timeout（ignore_startup_parameters）',
    },
  ],
  [
    /\bcertificate\b/,
    {
      en: 'name its authority by sslrootcert=FILE in the address, or trust whatever certificate comes by sslmode=no-verify',
      zh: '请在地址中用 sslrootcert=FILE 指定其证书颁发机构，或用 sslmode=no-verify 信任任意证书',
    },
  ],
];

const listenKey = 'listen, TOLLGATE_LISTEN';
const metricsKey = 'metrics.listen, TOLLGATE_METRICS_LISTEN';
const folderKey = 'data_dir, TOLLGATE_DATA_DIR';

/** A sentence without addresses that hold passwords. What the system or a database says stays as it is. */
export function startFailure(error: unknown, config: Pick<Config, 'data_dir' | 'database' | 'listen'>): StartLine {
  if (error instanceof TollgateError) {
    const text = textOf(error);
    if (error.code === 'secret_differs') return cannotStart(text, 'secret, TOLLGATE_SECRET; lost: docs/backup.md');
    if (error.code === 'secret_not_shared') {
      return {
        en: `cannot start: ${text.en}; give all nodes the same (secret, TOLLGATE_SECRET), or wait two minutes where those are gone`,
        zh: `无法启动：${text.zh}；请让所有节点使用相同的根密钥（secret, TOLLGATE_SECRET），若那些节点已停止，请等待两分钟`,
      };
    }
    return error.code === 'db_unavailable' ? unusable(config, reasonOf(error) ?? text) : text;
  }
  if (!(error instanceof Error) || !('code' in error))
    return cannotStart(verbatim(String(error).replace(/^Error: /, '')));
  // What PostgreSQL itself refuses, such as to make tables; Knex puts the statement before it.
  if ('severity' in error) return unusable(config, error.message.split(' - ').at(-1) ?? error.message);
  const said = verbatim(error.message);
  // A socket in the data folder has no port, which Node writes as -1.
  if ('syscall' in error && error.syscall === 'listen' && 'port' in error && error.port !== -1) {
    const key = error.port === config.listen.port ? listenKey : metricsKey;
    return cannotStart(error.code === 'EADDRINUSE' ? besides(said, taken) : said, key);
  }
  // The database tells of its own host by another error, and nothing else is looked up before calls are served.
  if ('hostname' in error && 'syscall' in error && error.syscall === 'getaddrinfo') {
    return cannotStart(besides(said, elsewhere), error.hostname === config.listen.host ? listenKey : metricsKey);
  }
  // The claim of the folder is a socket in it, and carries its path as an address.
  const place = 'path' in error ? error.path : 'address' in error ? error.address : undefined;
  // Where a disk is full the system names no path; a start writes nowhere else.
  const isFull = error.code === 'ENOSPC' || error.code === 'EDQUOT';
  const isOfFolder = isFull || (typeof place === 'string' && resolve(place).startsWith(resolve(config.data_dir)));
  return cannotStart(said, isOfFolder ? folderKey : undefined);
}

const taken: StartLine = { en: 'another program has this address already', zh: '此地址已被另一个程序占用' };
const elsewhere: StartLine = { en: 'listen on an address of this machine', zh: '请监听本机的地址' };

/** @param key of the configuration, with the variable that sets it */
function cannotStart({ en, zh }: StartLine, key?: string): StartLine {
  const [of, ofKey] = key === undefined ? ['', ''] : [` (${key})`, `（${key}）`];
  return { en: `cannot start: ${en}${of}`, zh: `无法启动：${zh}${ofKey}` };
}

function besides(said: StartLine, more: StartLine): StartLine {
  return { en: `${said.en}; ${more.en}`, zh: `${said.zh}；${more.zh}` };
}

function textOf({ code, params }: TollgateError): StartLine {
  return { en: formatError(code, params, 'en'), zh: formatError(code, params, 'zh') };
}

/** @param reason as the database says it, or in our own words */
function unusable({ database }: Pick<Config, 'database'>, reason: string | StartLine): StartLine {
  const why = typeof reason === 'string' ? explained(reason, database.url) : reason;
  const place = placeOf(database.url);
  const text = { en: `${place} cannot be used: ${why.en}`, zh: `无法使用 ${place}：${why.zh}` };
  return cannotStart(text, 'database.url, TOLLGATE_DATABASE_URL');
}

function explained(reason: string, url: string): StartLine {
  const more = remedies.find(([pattern]) => pattern.test(reason))?.[1] ?? forbiddenFile(reason, url);
  return more === undefined ? verbatim(reason) : besides(verbatim(reason), more);
}

/** The database without user and password. */
function placeOf(url: string): string {
  return withoutPassword(url).replace(/^(\w+:\/\/)[^/]*@/, '$1');
}

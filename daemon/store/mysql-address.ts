/** Where a MySQL or MariaDB database is: as a URL, or in the form that programs in Go take (`SQL_DSN`). Pure. */
import { isIP } from 'node:net';
import { TollgateError } from '../errors.ts';

export interface MysqlAddress {
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly server: { readonly host: string; readonly port: number } | { readonly socketPath: string };
  /** `unchecked`: encrypted, whoever answers. `preferred`: the same, and in clear text where the server cannot. */
  readonly tls: 'off' | 'unchecked' | 'preferred' | 'checked';
}

/** Values of `tls` (go-sql-driver/mysql) and of `ssl-mode` (MySQL's own clients), in lower case. */
const tlsWords: Readonly<Record<string, MysqlAddress['tls']>> = {
  false: 'off',
  disabled: 'off',
  'skip-verify': 'unchecked',
  required: 'unchecked',
  preferred: 'preferred',
  true: 'checked',
  verify_ca: 'checked',
  verify_identity: 'checked',
};

const defaultPort = 3306;

/**
 * Reads `mysql://user:password@host:port/name?tls=…`, `mariadb://…` or `user:password@tcp(host:port)/name?tls=…`; other
 * parameters are left aside. Throws `import_address_invalid`.
 */
export function readMysqlAddress(text: string): MysqlAddress {
  const address = /^(mysql|mariadb):\/\//.test(text) ? readUrl(text) : readDataSourceName(text);
  if (address.database === '') throw invalid();
  // The client would compare the certificate with another name than this one.
  if (address.tls === 'checked' && 'host' in address.server && isIP(address.server.host) !== 0) throw invalid();
  return address;
}

/** What people call it: server and database, without user and password. */
export function nameOfMysql({ server, database }: MysqlAddress): string {
  return `${'host' in server ? server.host : server.socketPath}/${database}`;
}

function readUrl(text: string): MysqlAddress {
  if (!URL.canParse(text)) throw invalid();
  const { username, password, hostname, port, pathname, searchParams } = new URL(text);
  try {
    return {
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database: decodeURIComponent(pathname.slice(1)),
      server: { host: withoutBrackets(hostname) || 'localhost', port: port === '' ? defaultPort : Number(port) },
      tls: tlsOf(searchParams),
    };
  } catch (error) {
    throw error instanceof URIError ? invalid() : error;
  }
}

/**
 * The form of Go, where nothing but the name of the database is escaped: user and password end at the last `@`, the
 * address at the last `/`. Source: https://github.com/go-sql-driver/mysql#dsn-data-source-name, read 2026-11.
 */
function readDataSourceName(text: string): MysqlAddress {
  const slash = text.lastIndexOf('/');
  const before = text.slice(0, Math.max(0, slash));
  const at = before.lastIndexOf('@');
  const [, protocol, place = ''] = /^(tcp|tcp6|unix)(?:\((.*)\))?$/.exec(before.slice(at + 1)) ?? [];
  if (protocol === undefined) throw invalid();
  const [user = '', ...password] = before.slice(0, Math.max(0, at)).split(':');
  const [database = '', parameters = ''] = splitOnce(text.slice(slash + 1), '?');
  return {
    user,
    password: password.join(':'),
    database,
    server: protocol === 'unix' ? { socketPath: place } : hostOf(place),
    tls: tlsOf(new URLSearchParams(parameters)),
  };
}

function hostOf(place: string): { host: string; port: number } {
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(place) ?? [];
  if (host === '' && place !== '') throw invalid();
  return { host: withoutBrackets(host) || 'localhost', port: port === undefined ? defaultPort : Number(port) };
}

function tlsOf(parameters: URLSearchParams): MysqlAddress['tls'] {
  const word = parameters.get('tls') ?? parameters.get('ssl-mode') ?? 'false';
  const tls = tlsWords[word.toLowerCase()];
  if (tls === undefined) throw invalid();
  return tls;
}

function splitOnce(text: string, mark: string): string[] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

function invalid(): TollgateError {
  return new TollgateError('import_address_invalid');
}

/** What texts of the configuration must look like. Each check answers what would have been right, or undefined. */
import { isIP } from 'node:net';

/** An address or a range in CIDR form. */
export function addressRange(value: string): string | undefined {
  const [address = '', bits, ...rest] = value.split('/');
  const version = isIP(address);
  const widest = version === 6 ? 128 : 32;
  const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= widest);
  return version > 0 && fits && rest.length === 0 ? undefined : 'an address or a range such as 10.0.0.0/8';
}

/** A target that the egress guard lets pass: a range, or a host with its port. */
export function egressTarget(value: string): string | undefined {
  const isHostAndPort = /^(?:\[[\da-f:]+\]|[\w.-]+):\d{1,5}$/i.test(value);
  return isHostAndPort || addressRange(value) === undefined ? undefined : 'a range such as 10.0.0.0/8, or host:port';
}

/** Where the data lives. */
export function databaseUrl(value: string): string | undefined {
  if (/^sqlite:.+/.test(value)) return undefined;
  return isUrl(value, ['postgres:', 'postgresql:'])
    ? undefined
    : 'sqlite:PATH or postgres://user:password@host:port/name';
}

/** Empty, or a PostgreSQL or SQLite address. */
export function optionalDatabaseUrl(value: string): string | undefined {
  return value === '' ? undefined : databaseUrl(value);
}

/** Empty, or a Redis address. */
export function optionalRedisUrl(value: string): string | undefined {
  return value === '' || isUrl(value, ['redis:', 'rediss:']) ? undefined : 'redis://user:password@host:port/number';
}

/** A web address. */
export function webUrl(value: string): string | undefined {
  return isUrl(value, ['http:', 'https:']) ? undefined : 'an address such as https://gateway.example';
}

/** Empty, or a web address. */
export function optionalWebUrl(value: string): string | undefined {
  return value === '' ? undefined : webUrl(value);
}

function isUrl(value: string, protocols: readonly string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol);
}

/** A zone of the time zone data base. */
export function timeZone(value: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return undefined;
  } catch {
    return 'a time zone such as Europe/Berlin';
  }
}

/** Names of nodes stand in columns of 128 letters, behind a number where a node has several processes. */
export function nodeName(value: string): string | undefined {
  return value.length > 100 || /\p{Cc}/u.test(value) ? 'at most 100 printable characters' : undefined;
}

/** Any text that says something. */
export function notEmpty(value: string): string | undefined {
  return value === '' || value === '\0' ? 'a text that is not empty' : undefined;
}

/** Texts that guides print where a secret belongs. */
const placeholders =
  /^(?:random[_-]?string|change[_-]?me.*|your[_-].*|secret.*|password.*|example.*|placeholder.*|<.*>|(.)\1*)$/i;

/** Empty (one is generated), or a secret that nobody can guess. */
export function rootSecret(value: string): string | undefined {
  if (value === '') return undefined;
  if (value !== '\0' && placeholders.test(value))
    return 'a secret of your own, not a placeholder; make one with: openssl rand -hex 32';
  return value.length < 16 || value === '\0'
    ? 'at least 16 characters; make them with: openssl rand -hex 32'
    : undefined;
}

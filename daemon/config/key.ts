/** What one configuration key is: how it is written in the file and in the environment, and what it then holds. */
import { isIP } from 'node:net';

/** A value that was read, or what would have been right: an English phrase that follows "expected". */
export type Reading<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly expected: string };

export interface ConfigKey<T> {
  /** Environment names, the documented one first, then names that other members of the family use. */
  readonly environment: readonly [string, ...string[]];
  readonly default: T;
  /** One line for operators, without a full stop. */
  readonly meaning: string;
  /** Why setting it changes nothing, an English phrase; undefined for keys that are heeded. */
  readonly idle: string | undefined;
  /** How the value is spelt where configuration is printed: secrets and passwords are masked. */
  print(value: T): string;
  /** Reads a value of the YAML file. */
  read(raw: unknown): Reading<T>;
  /** Reads the text of an environment variable or flag. */
  parse(text: string): Reading<T>;
  /** The value as the YAML file spells it. */
  show(value: T): string;
}

interface Entry<T> {
  readonly environment: string | readonly [string, ...string[]];
  readonly default: T;
  readonly meaning: string;
  readonly idle?: string;
}

interface Form<T> {
  read(raw: unknown): Reading<T>;
  parse(text: string): Reading<T>;
  show(value: T): string;
}

function key<T>(entry: Entry<T>, form: Form<T>): ConfigKey<T> {
  const names = typeof entry.environment === 'string' ? ([entry.environment] as const) : entry.environment;
  const [first, ...others] = names;
  // A name that guides have published without the product's prefix is taken with it as well, and then first.
  const environment = first.startsWith('TOLLGATE_') ? names : ([`TOLLGATE_${first}`, first, ...others] as const);
  const { default: value, meaning, idle } = entry;
  return { ...form, environment, default: value, meaning, idle, print: form.show };
}

const right = <T>(value: T): Reading<T> => ({ ok: true, value });
const wrong = (expected: string): { ok: false; expected: string } => ({ ok: false, expected });

/** Answers what a text should have been, or undefined when it is right. */
export type Check = (value: string) => string | undefined;

/** True or false; the environment may also say 1, 0, yes, no, on or off. */
export function flag(entry: Entry<boolean>): ConfigKey<boolean> {
  const expected = 'true or false';
  return key(entry, {
    read: (raw) => (typeof raw === 'boolean' ? right(raw) : wrong(expected)),
    parse: (text) => {
      if (/^(?:true|1|yes|on)$/i.test(text)) return right(true);
      return /^(?:false|0|no|off)$/i.test(text) ? right(false) : wrong(expected);
    },
    show: String,
  });
}

/** A whole number within bounds. */
export function integer(entry: Entry<number> & { readonly min?: number; readonly max?: number }): ConfigKey<number> {
  const { min = 0, max = 1_000_000_000 } = entry;
  const expected = `a whole number from ${min} to ${max}`;
  const check = (value: unknown): Reading<number> =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
      ? right(value)
      : wrong(expected);
  return key(entry, {
    read: check,
    parse: (text) => (/^-?\d{1,15}$/.test(text) ? check(Number(text)) : wrong(expected)),
    show: String,
  });
}

/** A line of text; `check` answers what would have been right, or undefined. */
export function text(entry: Entry<string> & { readonly check?: Check }): ConfigKey<string> {
  const read = (value: string): Reading<string> => {
    const expected = entry.check?.(value);
    return expected === undefined ? right(value) : wrong(expected);
  };
  const otherThanText = (raw: unknown): Reading<string> => {
    // YAML takes digits for a number: a name or a secret of digits is right but for its quotes.
    const isPlain = typeof raw === 'number' || typeof raw === 'boolean';
    return isPlain && read(String(raw)).ok ? wrong('a text in quotes') : wrong(entry.check?.('\0') ?? 'a text');
  };
  const form = key(entry, {
    read: (raw) => (typeof raw === 'string' ? read(raw.trim()) : otherThanText(raw)),
    parse: (value) => read(value.trim()),
    show: quote,
  });
  return { ...form, print: (value) => value };
}

/** A text that is never shown. */
export function secret(entry: Entry<string> & { readonly check?: Check }): ConfigKey<string> {
  return { ...text(entry), print: (value) => (value === '' ? '' : '****') };
}

/** An address that is shown without its password. */
export function address(entry: Entry<string> & { readonly check: Check }): ConfigKey<string> {
  return { ...text(entry), print: withoutPassword };
}

/** An address as it may be shown: its password may stand before the host, or among the settings behind it. */
export function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^/@:]*:)[^/]*@/, '$1****@').replace(/([?&]password=)[^&#]*/gi, '$1****');
}

/** One of a few words. */
export function choice<const T extends string>(
  entry: Omit<Entry<T>, 'default'> & { readonly default: NoInfer<T>; readonly of: readonly T[] },
): ConfigKey<T> {
  const find = (raw: unknown): Reading<T> => {
    const found = entry.of.find((word) => word === String(raw).toLowerCase());
    return found === undefined ? wrong(`one of ${entry.of.join(', ')}`) : right(found);
  };
  return key<T>(entry, { read: find, parse: (word) => find(word.trim()), show: String });
}

/** Several texts: a YAML list, or one text with commas. */
export function list(entry: Entry<readonly string[]> & { readonly check: Check }): ConfigKey<readonly string[]> {
  const check = (items: readonly string[]): Reading<readonly string[]> => {
    const expected = items.map((item) => entry.check(item)).find((reason) => reason !== undefined);
    return expected === undefined ? right(items) : wrong(`a list in which each item is ${expected}`);
  };
  const split = (line: string) => check(line.split(/[,\s]+/).filter((item) => item !== ''));
  return key(entry, {
    read: (raw) => {
      if (typeof raw === 'string') return split(raw);
      if (!Array.isArray(raw) || raw.some((item) => typeof item !== 'string')) return wrong('a list of texts');
      return check(raw.map((item) => String(item).trim()));
    },
    parse: split,
    show: (items) => `[${items.map(quote).join(', ')}]`,
  });
}

/** Where a server listens. Port 0 takes a free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** `host:port`, `[v6]:port`, `:port` or a port alone, the last two on all IPv4 addresses. */
export function listenAddress(entry: Entry<ListenAddress>): ConfigKey<ListenAddress> {
  const expected = 'host:port, for example 127.0.0.1:3000 or [::1]:3000';
  const parse = (line: string): Reading<ListenAddress> => {
    const match = /^(?:(?:\[([^\]]+)\]|([^:\s]*)):)?(\d{1,5})$/.exec(line.trim());
    const [, v6, name, digits] = match ?? [];
    const port = Number(digits);
    if (port > 65_535) return wrong('a port from 0 to 65535');
    if (!match || (v6 !== undefined && isIP(v6) !== 6)) return wrong(expected);
    return right({ host: v6 ?? (name || '0.0.0.0'), port });
  };
  return key(entry, {
    read: (raw) => (typeof raw === 'string' || typeof raw === 'number' ? parse(String(raw)) : wrong(expected)),
    parse,
    show: ({ host, port }) => (host.includes(':') ? quote(`[${host}]:${port}`) : `${host}:${port}`),
  });
}

/** A listening address, or null when the text is empty. */
export function optionalListenAddress(entry: Omit<Entry<null>, 'default'>): ConfigKey<ListenAddress | null> {
  const form = listenAddress({ ...entry, default: { host: '127.0.0.1', port: 0 } });
  const show = (value: ListenAddress | null) => (value === null ? '""' : form.show(value));
  return {
    ...form,
    default: null,
    read: (raw) => (raw === '' ? right(null) : form.read(raw)),
    parse: (line) => (line.trim() === '' ? right(null) : form.parse(line)),
    show,
    print: (value) => (value === null ? '' : form.show(value)),
  };
}

/** Plain when YAML reads it back as the same text, else quoted. */
function quote(value: string): string {
  return /^[A-Za-z./][\w./:@-]*$/.test(value) &&
    !/^(?:true|false|null|yes|no|on|off)$/i.test(value) &&
    !value.endsWith(':')
    ? value
    : JSON.stringify(value);
}

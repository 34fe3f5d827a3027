/** Options in documents of declared state (cli.md 4.1): which may stand there, and how their values are written. */
import { isOptionKey, type OptionForm, type OptionKey, optionTable, parseOption } from './options.ts';
import { priceMaps } from './price-options.ts';

/** What is wrong with a declared option, as a code with its parameters. */
export interface OptionFault {
  readonly code: 'state_option_unknown' | 'state_option_elsewhere' | 'state_value_invalid' | 'option_invalid';
  readonly params: Readonly<Record<string, string>>;
}

/** Options that have a section of their own in documents. */
const sections: Readonly<Record<string, string>> = {
  GroupRatio: 'groups',
  TopupGroupRatio: 'groups',
  UserUsableGroups: 'groups',
  GroupGroupRatio: 'groups',
  RateLimits: 'limits',
  ...Object.fromEntries(priceMaps.map((map) => [map, 'prices'])),
};
const longestToldKey = 100;

/** The section in whose place nobody declares the option; undefined for one that is declared as itself. */
export function sectionOf(key: OptionKey): string | undefined {
  return Object.hasOwn(sections, key) ? sections[key] : undefined;
}

/** The option of that name, or why none can be declared under it. */
export function declaredOption(name: string): OptionKey | OptionFault {
  if (!isOptionKey(name)) return { code: 'state_option_unknown', params: { key: name.slice(0, longestToldKey) } };
  const section = sectionOf(name);
  return section === undefined ? name : { code: 'state_option_elsewhere', params: { key: name, section } };
}

/** The text of a typed value, which is no secret, or that it is of another type. */
export function declaredText(key: OptionKey, sent: unknown): string | OptionFault {
  const { form } = optionTable[key];
  const isList = Array.isArray(sent) && sent.every((entry) => typeof entry === 'string');
  if (form === 'boolean' && typeof sent === 'boolean') return String(sent);
  if ((form === 'integer' || form === 'number') && typeof sent === 'number') return String(sent);
  if ((form === 'string' || form === 'text' || form === 'status-ranges') && typeof sent === 'string') return sent;
  if (form === 'lines' && isList) return sent.join('\n');
  if (form === 'words' && isList) return sent.join(',');
  if ((form === 'json' || form === 'list') && typeof sent === 'object' && sent !== null) return JSON.stringify(sent);
  return { code: 'state_value_invalid', params: { key, form: written[form] } };
}

/** What can be said against an option without a server; undefined where nothing can. */
export function optionFault(name: string, sent: unknown): OptionFault | undefined {
  const key = declaredOption(name);
  if (typeof key !== 'string') return key;
  if (optionTable[key].secret) return undefined;
  const text = declaredText(key, sent);
  if (typeof text !== 'string') return text;
  const parsed = parseOption(key, text);
  return parsed.ok ? undefined : { code: 'option_invalid', params: { key, reason: parsed.reason } };
}

const written: Readonly<Record<OptionForm, string>> = {
  boolean: 'true / false',
  integer: '123',
  number: '1.5',
  string: '"text"',
  text: '"text"',
  json: '{…}',
  list: '[…]',
  lines: '["…"]',
  words: '["…"]',
  'status-ranges': '"401,500-503"',
};

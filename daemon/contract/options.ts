/**
 * Every runtime option: its schema, default, class, secrecy and section. The settings form, the command line, the
 * redaction of secrets and the type of `options.get('RetryTimes')` follow from this table.
 */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { accessOptions } from './options-access.ts';
import type { OptionEntry, OptionForm, StatusRange } from './options-entry.ts';
import { legacyOptions } from './options-legacy.ts';
import { moneyOptions } from './options-money.ts';
import { relayOptions } from './options-relay.ts';
import { siteOptions } from './options-site.ts';
import { complaint } from './schema-complaint.ts';

export type {
  OptionAudience,
  OptionClass,
  OptionEntry,
  OptionForm,
  OptionLabel,
  OptionSection,
  StatusRange,
} from './options-entry.ts';
export { inStatusRanges } from './options-entry.ts';
export type {
  CompletionRatioRule,
  GroupRatios,
  ImagePriceTable,
  LongContextTier,
  PriceMap,
} from './options-money.ts';
export type { AffinityKeySource, AffinityRule, ChannelAffinity } from './options-relay.ts';

const declared = {
  ...siteOptions,
  ...accessOptions,
  ...moneyOptions,
  ...relayOptions,
  ...legacyOptions,
};

export type OptionKey = keyof typeof declared;

/** The parsed, read-only value of an option. */
export type OptionValue<K extends OptionKey> = (typeof declared)[K] extends OptionEntry<infer T> ? T : never;

/** Values by key; what is absent stands at its default. */
export type OptionValues = { [K in OptionKey]?: OptionValue<K> };

export const optionTable: { readonly [K in OptionKey]: OptionEntry<OptionValue<K>> } = declared;

/** All options at one moment; immutable. Maps are plain objects: look names up with `Object.hasOwn`. */
export interface OptionsView {
  get<K extends OptionKey>(key: K): OptionValue<K>;
  /** Number of the change of prices that made them what they are here; 0 before the first, undefined where none is known. */
  readonly priceVersion?: number | undefined;
}

/** Every key, in the order of the table. */
export const optionKeys: readonly OptionKey[] = Object.keys(optionTable).filter(isOptionKey);

/** True for a key of the table. */
export function isOptionKey(key: string): key is OptionKey {
  return Object.hasOwn(optionTable, key);
}

/** A parsed value, or why the text cannot be one: English, without the text itself. */
export type ParsedOption<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

/** Reads the text of an option, as stored or as sent, into its checked and normalised value. */
export function parseOption<K extends OptionKey>(key: K, text: string): ParsedOption<OptionValue<K>> {
  const entry = optionTable[key];
  const decoded = decode(entry.form, text);
  if (!decoded.ok) return decoded;
  const result = entry.schema.safeParse(decoded.value);
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, reason: explain(result.error.issues[0], decoded.value) };
}

/** One English clause for a schema's complaint; names the place, and of the value no more than an entry of a list. */
function explain(issue: z.core.$ZodIssue | undefined, value: unknown): string {
  if (!issue) return 'is not acceptable';
  const [first, ...rest] = issue.path;
  const isEntry = Array.isArray(value) && typeof first === 'number';
  const place = (isEntry ? rest : issue.path).map(String).join('.');
  const said = place === '' ? complaint(issue) : `${place}: ${complaint(issue)}`;
  return isEntry ? entryReason(value, first, said) : said;
}

const longestEntry = 80;

/** A reason that names the entry of a list that it is about: a text by itself, anything else by its place from 1. */
export function entryReason(list: readonly unknown[], index: number, reason: string): string {
  const entry = list[index];
  if (typeof entry !== 'string') return `entry ${index + 1}: ${reason}`;
  const shown = entry.length > longestEntry ? `${entry.slice(0, longestEntry)}…` : entry;
  return `entry ${JSON.stringify(shown)}: ${reason}`;
}

/** The published text of a value; `parseOption` reads it back. */
export function formatOption<K extends OptionKey>(key: K, value: OptionValue<K>): string {
  return encode(optionTable[key].form, value);
}

function decode(form: OptionForm, text: string): ParsedOption<unknown> {
  const trimmed = text.trim();
  switch (form) {
    case 'boolean':
      if (text === 'true' || text === 'false') return { ok: true, value: text === 'true' };
      return { ok: false, reason: 'must be true or false' };
    case 'integer':
      if (/^[+-]?\d{1,16}$/.test(trimmed)) return { ok: true, value: Number(trimmed) };
      return { ok: false, reason: 'must be a whole number' };
    case 'number':
      if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed)) return { ok: true, value: Number(trimmed) };
      return { ok: false, reason: 'must be a number' };
    case 'string':
    case 'text':
      return { ok: true, value: text };
    case 'lines':
      return { ok: true, value: split(text, /\r\n|\r|\n/) };
    case 'words':
      return { ok: true, value: split(text, /,/) };
    case 'status-ranges':
      return decodeRanges(trimmed);
    case 'json':
    case 'list':
      return decodeJson(trimmed === '' ? (form === 'json' ? '{}' : '[]') : trimmed);
  }
}

function split(text: string, separator: RegExp): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function decodeRanges(text: string): ParsedOption<readonly StatusRange[]> {
  const ranges: StatusRange[] = [];
  for (const part of split(text, /,/)) {
    const match = /^(\d{3})(?:\s*-\s*(\d{3}))?$/.exec(part);
    if (!match) return { ok: false, reason: 'must be a comma list of statuses and ranges such as 500-503' };
    ranges.push({ from: Number(match[1]), to: Number(match[2] ?? match[1]) });
  }
  return { ok: true, value: ranges };
}

function decodeJson(text: string): ParsedOption<unknown> {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, reason: 'is not valid JSON' };
  }
}

function encode(form: OptionForm, value: unknown): string {
  if (form === 'json' || form === 'list') return JSON.stringify(value, null, 2);
  if (!Array.isArray(value)) return String(value);
  const parts: readonly unknown[] = value;
  return parts.map(encodePart).join(form === 'lines' ? '\n' : ',');
}

function encodePart(part: unknown): string {
  if (typeof part !== 'object' || part === null || !('from' in part) || !('to' in part)) return String(part);
  return part.from === part.to ? String(part.from) : `${part.from}-${part.to}`;
}

export const ListedOption = z.object({
  key: z.string(),
  /** Always text; "" for secrets. */
  value: z.string(),
  /** For secrets: whether one is stored. */
  set: z.optional(z.boolean()),
  /** As `value`; what a change to null leads back to. */
  default: z.string(),
  /** Whether the value in force differs from the default. */
  changed: z.boolean(),
  /** Who may write it. */
  class: z.enum(['admin', 'root']),
  /** The part of the settings it belongs to. */
  section: z.string(),
  /** Unix seconds of the last write; 0 = never. */
  updated_at: z.int(),
  /** Name of the last writer at that time; "" = nobody. */
  updated_by: z.string(),
});
export type ListedOption = z.infer<typeof ListedOption>;

export const options = {
  list: endpoint({
    method: 'GET',
    path: '/api/option/',
    access: 'admin',
    scope: 'option:read',
    shape: 'data',
    description: {
      en: 'Every option with its value in force, its default and its last change; secrets are blank.',
      zh: '全部选项的当前值、默认值与最近一次修改；机密选项显示为空。',
    },
    output: z.array(ListedOption),
  }),
  set: endpoint({
    method: 'PUT',
    path: '/api/option/',
    access: 'admin',
    scope: 'option:write',
    shape: 'beside',
    bodyLimitBytes: 4 * 1024 * 1024,
    description: {
      en: 'Changes one option; null clears a secret and resets any other option. `message` may hold a warning.',
      zh: '修改一个选项；null 会清除机密选项，并将其他选项恢复为默认值。`message` 中可能带有警告。',
    },
    input: z.object({
      key: z.string(),
      value: z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]),
      /** The `value` that the list showed: any other in force is not replaced. Not with secrets, which it does not show. */
      expected: z.optional(z.string()),
    }),
    output: z.object({ message: z.string() }),
    errors: ['option_unknown', 'option_invalid', 'option_dependency', 'option_changed'],
  }),
  resetModelRatio: endpoint({
    method: 'POST',
    path: '/api/option/rest_model_ratio',
    access: 'admin',
    scope: 'option:write',
    shape: 'data',
    notice: 'ratios_reset',
    description: { en: 'Puts the model ratios back to the shipped table.', zh: '将模型倍率恢复为内置表。' },
  }),
};

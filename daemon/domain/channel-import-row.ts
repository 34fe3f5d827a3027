/** One row of an import file: what it asks for, and what that changes about a channel there is. Pure. */
import { transferMembers } from '../contract/channel-transfer.ts';
import { findChannelType, parseChannelType } from '../contract/channel-types.ts';
import { TollgateError } from '../errors.ts';
import type { ChannelKeyRecord } from '../store/channel-keys.ts';
import type { ChannelRecord } from '../store/channels.ts';
import {
  type ChannelFields,
  type ChannelInput,
  type ChannelPatch,
  knownType,
  readChannelInput,
} from './channel-input.ts';
import { readKeyCap } from './channel-key-rows.ts';
import { splitKeys } from './channel-keys.ts';

/** A row as it comes in: numbers may be texts, JSON columns may be objects. */
export type RawImportRow = Readonly<Record<string, unknown>>;

/** A key to be, with the state it shall have; undefined leaves a known key as it is. */
export interface KeyEntry {
  readonly key: string;
  readonly status: number | undefined;
  readonly cap: number | undefined;
}

export interface ImportRow {
  readonly input: ChannelInput;
  readonly patch: ChannelPatch;
  /** 1, 2 or 3; undefined when the row says nothing. */
  readonly status: number | undefined;
  /** Undefined when the row names no keys. */
  readonly keys: readonly KeyEntry[] | undefined;
}

/** A column that an import changes, in texts. */
export interface ImportChange {
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

const jsonMembers = ['other', 'model_mapping', 'status_code_mapping', 'param_override', 'setting'] as const;
/** What lists and related products tell of a channel and no import may set. */
const figures = new Set([
  'id',
  'used_quota',
  'balance',
  'balance_updated_time',
  'response_time',
  'test_time',
  'created_time',
  'other_info',
  'cooling',
]);
const known = new Set<string>([...transferMembers, 'groups', 'key', 'keys']);

/** Reads one row; `currentType` says how the keys of a row without a type are written. Throws the code of the first member that cannot be taken. */
export function readImportRow(row: RawImportRow, currentType: number | undefined): ImportRow {
  for (const member of Object.keys(row)) {
    if (known.has(member) || figures.has(member)) continue;
    throw new TollgateError('channel_import_member', { member }, { field: member });
  }
  const status = stateOf(row.status, 'status');
  const type = typeNumber(row.type);
  const input: ChannelInput = { ...textMembers(row), type, status: undefined };
  const patch = readChannelInput(input);
  return {
    input,
    patch: { ...patch, ...(status === undefined ? {} : { status }) },
    status,
    keys: readKeys(row, type ?? currentType),
  };
}

/** The members as texts and numbers; JSON objects become the text that a column holds. */
function textMembers(row: RawImportRow): ChannelInput {
  const members: Record<string, unknown> = {};
  for (const name of [...transferMembers, 'groups', 'key']) {
    if (row[name] !== undefined) members[name] = row[name];
  }
  for (const name of jsonMembers) {
    if (typeof members[name] === 'object' && members[name] !== null) members[name] = JSON.stringify(members[name]);
  }
  return members;
}

function typeNumber(type: unknown): number | undefined {
  if (type === undefined || type === null || type === '') return undefined;
  const found = parseChannelType(String(type));
  if (!found) throw new TollgateError('channel_type_unknown', {}, { field: 'type' });
  return found.type;
}

function readKeys(row: RawImportRow, type: number | undefined): KeyEntry[] | undefined {
  if (Array.isArray(row.keys)) {
    const entries = row.keys.map((entry: unknown, index) => readKey(entry, `keys.${index}`));
    const first = new Map<string, KeyEntry>();
    for (const entry of entries) if (entry.key !== '' && !first.has(entry.key)) first.set(entry.key, entry);
    return [...first.values()];
  }
  if (typeof row.key !== 'string' || row.key.trim() === '') return undefined;
  const keys = splitKeys(row.key, type === undefined ? {} : knownType(type));
  return keys.map((key) => ({ key, status: undefined, cap: undefined }));
}

function readKey(entry: unknown, field: string): KeyEntry {
  if (typeof entry === 'string') return { key: entry.trim(), status: undefined, cap: undefined };
  const { key, status, cap } = isMembers(entry) ? entry : {};
  if (typeof key !== 'string') throw new TollgateError('channel_key_required', {}, { field: `${field}.key` });
  const wanted = cap === undefined || cap === null || cap === '' ? undefined : Number(cap);
  return { key: key.trim(), status: stateOf(status, `${field}.status`), cap: readKeyCap(wanted, `${field}.cap`) };
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function stateOf(status: unknown, field: string): number | undefined {
  if (status === undefined || status === null || status === '') return undefined;
  const number = Number(status);
  if (number === 1 || number === 2 || number === 3) return number;
  throw new TollgateError('channel_status_invalid', {}, { field });
}

/** Wire names of the columns that a row may change. */
const columns = {
  name: 'name',
  type: 'type',
  status: 'status',
  group: 'group',
  models: 'models',
  baseUrl: 'base_url',
  other: 'other',
  priority: 'priority',
  weight: 'weight',
  tag: 'tag',
  modelPrefix: 'model_prefix',
  modelMapping: 'model_mapping',
  statusCodeMapping: 'status_code_mapping',
  paramOverride: 'param_override',
  setting: 'setting',
  testModel: 'test_model',
  openaiOrganization: 'openai_organization',
  maxInputTokens: 'max_input_tokens',
  autoBan: 'auto_ban',
} as const satisfies Record<keyof ChannelFields, (typeof transferMembers)[number]>;

/** What the patch would change about the channel. */
export function columnChanges(current: ChannelRecord, patch: ChannelPatch): ImportChange[] {
  return objectKeys(columns).flatMap((column) => {
    if (patch[column] === undefined) return [];
    const from = columnText(column, current[column]);
    const to = columnText(column, patch[column]);
    return from === to || sameJson(from, to) ? [] : [{ field: columns[column], from, to }];
  });
}

/** How the keys of a channel would change: how many there are, and how many change their state. */
export function keyChanges(
  rows: readonly ChannelKeyRecord[],
  entries: readonly (KeyEntry & { readonly hash: string })[],
): ImportChange[] {
  const wanted = new Set(entries.map(({ hash }) => hash));
  const before = new Map(rows.map((row) => [row.keyHash, row]));
  const states = entries.filter(({ hash, status, cap }) => {
    const row = before.get(hash);
    return row && ((status ?? row.status) !== row.status || (cap ?? row.cap) !== row.cap);
  });
  const isSame = wanted.size === before.size && entries.every(({ hash }) => before.has(hash));
  return [
    ...(isSame ? [] : [{ field: 'keys', from: String(before.size), to: String(wanted.size) }]),
    ...(states.length === 0 ? [] : [{ field: 'key_states', from: '', to: String(states.length) }]),
  ];
}

function columnText(column: keyof typeof columns, value: ChannelRecord[keyof typeof columns] | undefined): string {
  if (column === 'type') return findChannelType(Number(value))?.name ?? String(value);
  if (value !== null && value !== undefined) return String(value);
  if (column === 'autoBan') return '1';
  return column === 'priority' || column === 'weight' || column === 'maxInputTokens' ? '0' : '';
}

/** Two JSON texts that say the same in other spacing. */
function sameJson(a: string, b: string): boolean {
  if (!a.trim().startsWith('{') || !b.trim().startsWith('{')) return false;
  try {
    return JSON.stringify(JSON.parse(a)) === JSON.stringify(JSON.parse(b));
  } catch {
    return false;
  }
}

function objectKeys<K extends string>(table: Readonly<Record<K, unknown>>): K[] {
  return Object.keys(table).filter((name): name is K => name in table);
}

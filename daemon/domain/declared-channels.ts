/** Channels in declared state: found by the mark of a set, by id or by name, and written by the rules of single ones. */
import { findChannelType } from '../contract/channel-types.ts';
import { splitCommaList } from '../contract/comma-list.ts';
import { lostName } from '../contract/lost-names.ts';
import { type DeclaredChannel, keep } from '../contract/state-document.ts';
import { TollgateError } from '../errors.ts';
import type { BudgetRecord } from '../store/budgets.ts';
import type { ChannelPatch, ChannelRecord } from '../store/channels.ts';
import type { Stores } from '../store/database.ts';
import { type ChannelRules, judgesKeys, readChannelChange, readNewChannel } from './channel-admission.ts';
import { type RawImportRow, readImportRow } from './channel-import-row.ts';
import { completeChannel } from './channel-input.ts';
import type { ChannelToInsert, ChannelWriter } from './channel-writer.ts';
import { budgetFields, budgetRecords } from './declared-budgets.ts';
import {
  atPlace,
  type DeclaredKind,
  type Fields,
  type KindView,
  type LiveObject,
  type ObjectChange,
  SecretDigests,
  type StateReading,
  type WantedObject,
} from './declared-objects.ts';

export interface DeclaredChannelsDeps {
  readonly writer: ChannelWriter;
  readonly rules: ChannelRules;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

/** What a channel holds where nobody says anything; what has no entry cannot be taken back. */
const standardChannel: Fields = {
  status: 'enabled',
  groups: ['default'],
  base_url: '',
  other: '',
  priority: 0,
  weight: 0,
  tag: '',
  model_prefix: '',
  model_mapping: {},
  status_code_mapping: {},
  param_override: {},
  setting: {},
  test_model: '',
  openai_organization: '',
  max_input_tokens: 0,
  auto_ban: true,
  budgets: {},
};

export function declaredChannels(deps: DeclaredChannelsDeps): DeclaredKind {
  return { kind: 'channel', view: (reading) => viewChannels(deps, reading) };
}

/** The channels that there are. */
interface KnownChannels {
  readonly byId: ReadonlyMap<string, ChannelRecord>;
  readonly names: ReadonlyMap<string, readonly ChannelRecord[]>;
}

async function viewChannels(deps: DeclaredChannelsDeps, reading: StateReading): Promise<KindView> {
  const records = await reading.stores.channels.all();
  const byId = new Map(records.map((record) => [String(record.id), record]));
  const known: KnownChannels = { byId, names: named(records) };
  const declared = Object.entries<DeclaredChannel>(reading.document.channels ?? {});
  const rows = new Map(declared.map(([key, channel]) => [key, rawRow(key, channel)]));
  const targets = new Set<string>();
  const wanted = declared.map(([key, channel]): WantedObject => {
    const target = targetOf(key, channel, { reading, known });
    if (target !== undefined) {
      if (targets.has(target)) throw new TollgateError('state_twice', { key }, { field: `channels.${key}` });
      targets.add(target);
    }
    const current = target === undefined ? undefined : byId.get(target);
    const row = atPlace(`channels.${key}`, () => readImportRow(rows.get(key) ?? {}, current?.type));
    const keys = row.keys && new SecretDigests(row.keys.map((entry) => deps.writer.hashOf(entry.key)));
    const { budgets } = channel;
    const fields = { ...documentFields(row.patch), ...(budgets ? { budgets } : {}), ...(keys ? { keys } : {}) };
    return { key, target, fields, kept: channel.keys === keep ? ['keys'] : [] };
  });
  return {
    live: await liveChannels(reading, known),
    wanted,
    defaultOf: (_target, path) => standardChannel[path],
    isRootOnly: () => false,
    writerOf: () => undefined,
    prepare: (changes) => {
      const writes = changes.map((change) => preparedWrite(deps, change, { rows, byId }));
      return { write: (within) => writeAll(deps, within, writes) };
    },
  };
}

/** By id. A channel whose name is shared, or that no document takes, is called by name and id until a set has a word. */
async function liveChannels(
  { stores, ownedKey }: StateReading,
  { byId, names }: KnownChannels,
): Promise<Map<string, LiveObject>> {
  const hashes = new Map<number, string[]>();
  for (const { channelId, keyHash } of await stores.channelKeys.all()) {
    const own = hashes.get(channelId);
    if (own) own.push(keyHash);
    else hashes.set(channelId, [keyHash]);
  }
  const live = new Map<string, LiveObject>();
  for (const [target, record] of byId) {
    const isAlone = names.get(record.name)?.length === 1 && record.name !== lostName;
    const key = ownedKey('channel', target) ?? (isAlone ? record.name : `${record.name}-${record.id}`);
    const keys = new SecretDigests(hashes.get(record.id) ?? []);
    const fields = { ...documentFields(record), budgets: budgetFields(record.budgets), keys };
    live.set(target, { target, key, id: record.id, fields, isThere: true });
  }
  return live;
}

/** The channel that the set owns under this key, else the one that the document means; undefined for a new one. */
function targetOf(
  key: string,
  channel: DeclaredChannel,
  { reading, known }: { reading: StateReading; known: KnownChannels },
): string | undefined {
  const owned = reading.ownedTarget('channel', key);
  if (owned !== undefined && known.byId.has(owned)) return owned;
  return atPlace(`channels.${key}`, () => foundTarget(key, channel, known));
}

function named(records: readonly ChannelRecord[]): Map<string, ChannelRecord[]> {
  const names = new Map<string, ChannelRecord[]>();
  for (const record of records) {
    const same = names.get(record.name);
    if (same) same.push(record);
    else names.set(record.name, [record]);
  }
  return names;
}

/** The channel that a document means which has none of its own yet. Throws `state_channel_ambiguous`, `state_channel_unknown`. */
function foundTarget(key: string, { id, name = key }: DeclaredChannel, known: KnownChannels): string | undefined {
  if (id !== undefined) {
    if (known.byId.has(String(id))) return String(id);
    throw new TollgateError('state_channel_unknown', { id }, { field: 'id' });
  }
  const [one, another] = known.names.get(name) ?? [];
  if (!another) return one && String(one.id);
  const ids = (known.names.get(name) ?? []).map((record) => record.id).join(', ');
  throw new TollgateError('state_channel_ambiguous', { name, ids }, { field: 'id' });
}

/** A channel as the document writes it, of those columns that are there; run-time states are none of its. */
function documentFields(columns: ChannelPatch | ChannelRecord): Fields {
  const { type, status, name, models, group, autoBan } = columns;
  const fields: Record<string, unknown> = {
    type: type === undefined ? undefined : (findChannelType(type)?.name ?? type),
    name,
    status: status === undefined ? undefined : status === 2 ? 'disabled' : 'enabled',
    models: models === undefined ? undefined : splitCommaList(models),
    groups: group === undefined ? undefined : splitCommaList(group),
    base_url: textOrNone(columns.baseUrl),
    other: columns.other === undefined ? undefined : (jsonObject(columns.other) ?? columns.other),
    priority: numberOrNone(columns.priority),
    weight: numberOrNone(columns.weight),
    tag: textOrNone(columns.tag),
    model_prefix: textOrNone(columns.modelPrefix),
    model_mapping: membersOrNone(columns.modelMapping),
    status_code_mapping: membersOrNone(columns.statusCodeMapping),
    param_override: membersOrNone(columns.paramOverride),
    setting: membersOrNone(columns.setting),
    test_model: textOrNone(columns.testModel),
    openai_organization: textOrNone(columns.openaiOrganization),
    max_input_tokens: numberOrNone(columns.maxInputTokens),
    auto_ban: autoBan === undefined ? undefined : autoBan !== 0,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function textOrNone(text: string | null | undefined): string | undefined {
  return text === undefined ? undefined : (text ?? '');
}

function numberOrNone(number: number | null | undefined): number | undefined {
  return number === undefined ? undefined : (number ?? 0);
}

function membersOrNone(text: string | null | undefined): unknown {
  if (text === undefined) return undefined;
  return text === null || text.trim() === '' ? {} : (jsonObject(text) ?? text);
}

function jsonObject(text: string): object | undefined {
  if (!text.trim().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What the document says, as a row of a file of channels. */
function rawRow(key: string, channel: DeclaredChannel): RawImportRow {
  const { id: _id, name = key, keys, budgets: _budgets, ...fields } = channel;
  const list = typeof keys === 'object' ? keys.flatMap((sent) => (sent === keep ? [] : [sent.value])) : undefined;
  return { ...rowOf({ name, ...fields }), ...(list === undefined ? {} : { keys: list }) };
}

/** Fields as a row has them: lists as texts, words as numbers. */
function rowOf(fields: Fields): RawImportRow {
  const { status, models, groups, auto_ban: autoBan, ...rest } = fields;
  const empty = Object.entries(rest).filter(([, value]) => isEmptyObject(value));
  return {
    ...rest,
    ...Object.fromEntries(empty.map(([member]) => [member, ''])),
    ...(status === undefined ? {} : { status: status === 'disabled' ? 2 : 1 }),
    ...(Array.isArray(models) ? { models: models.join(',') } : {}),
    ...(Array.isArray(groups) ? { group: groups.join(',') } : {}),
    ...(autoBan === undefined ? {} : { auto_ban: autoBan === true ? 1 : 0 }),
  };
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** A checked change of one channel. */
type ChannelWrite =
  | { readonly action: 'create'; readonly key: string; readonly made: ChannelToInsert; readonly budgets: Budgets }
  | { readonly action: 'delete'; readonly current: ChannelRecord }
  | {
      readonly action: 'update';
      /** What the document calls it. */
      readonly key: string;
      readonly current: ChannelRecord;
      readonly patch: ReturnType<typeof readChannelChange>;
      /** Undefined where they stay. */
      readonly keys: readonly string[] | undefined;
      readonly budgets: Budgets;
    };

/** Undefined where they stay. */
type Budgets = readonly BudgetRecord[] | undefined;

function preparedWrite(
  { rules, nowSeconds }: DeclaredChannelsDeps,
  change: ObjectChange,
  known: { rows: ReadonlyMap<string, RawImportRow>; byId: ReadonlyMap<string, ChannelRecord> },
): ChannelWrite {
  const place = `channels.${change.key}`;
  const current = known.byId.get(change.target ?? '');
  const raw = known.rows.get(change.key) ?? {};
  if (change.action === 'delete' && current) return { action: 'delete', current };
  if (!current) {
    return atPlace(place, () => {
      const row = readImportRow(raw, undefined);
      const keys = row.keys?.map(({ key }) => key);
      const made = readNewChannel({ ...row.input, ...(keys ? { keyList: keys } : {}) }, rules);
      const status = row.status === undefined ? {} : { status: row.status };
      return {
        action: 'create',
        key: change.key,
        budgets: budgetsOf(change),
        made: { keys: made.keys, fields: { ...made.fields, ...status, createdTime: nowSeconds() } },
      };
    });
  }
  return atPlace(place, () => {
    const changed = Object.fromEntries(change.fields.map(({ path, to }) => [path, to]));
    const { keys: newKeys, budgets: _budgets, ...plain } = changed;
    const row = readImportRow(
      { ...rowOf(plain), ...(newKeys instanceof SecretDigests ? { keys: raw.keys } : {}) },
      current.type,
    );
    const keys = row.keys?.map(({ key }) => key);
    const patch = readChannelChange(current, row.patch, { newKeys: keys ?? [], rules });
    return { action: 'update', key: change.key, current, patch, keys, budgets: budgetsOf(change) };
  });
}

function budgetsOf({ fields }: ObjectChange): Budgets {
  const change = fields.find(({ path }) => path === 'budgets');
  return change && budgetRecords(change.to);
}

async function writeAll(
  { writer }: DeclaredChannelsDeps,
  stores: Stores,
  writes: readonly ChannelWrite[],
): Promise<ReadonlyMap<string, string>> {
  const news = writes.flatMap((write) => (write.action === 'create' ? [write] : []));
  const records = await writer.insert(
    stores,
    news.map(({ made }) => made),
  );
  const gone = await stores.channels.delete(
    writes.flatMap((write) => (write.action === 'delete' ? [write.current.id] : [])),
  );
  await writer.deleteDependents(
    stores,
    gone.map(({ id }) => id),
  );
  for (const [at, { id }] of records.entries()) {
    const budgets = news[at]?.budgets;
    if (budgets) await stores.budgets.set({ subject: 'channel', subjectId: id }, budgets);
  }
  for (const write of writes) {
    if (write.action !== 'update') continue;
    const { current, patch, keys, budgets } = write;
    if (!keys && judgesKeys(current, patch)) {
      const stored = writer.openKeys(await stores.channelKeys.all([current.id]));
      atPlace(`channels.${write.key}`, () => completeChannel({ ...current, ...patch }, current, stored));
    }
    if (budgets) await stores.budgets.set({ subject: 'channel', subjectId: current.id }, budgets);
    if (keys) await writer.setKeys(stores, current.id, { keys, mode: 'replace' });
    const isRevived = patch.status === 1 && current.status !== 1;
    if (isRevived) await writer.reviveKeys(stores, current.id);
    await writer.update(stores, current.id, isRevived ? { ...patch, otherInfo: '' } : patch);
  }
  return new Map(records.map((record, at) => [news[at]?.key ?? '', String(record.id)]));
}

/** A channel as the hot path sees it: its row with every text parsed and every key opened, once. */
import { splitCommaList } from '../contract/comma-list.ts';
import type { ChannelKeyLimits, ChannelKeyRecord } from '../store/channel-keys.ts';
import type { ChannelRecord } from '../store/channels.ts';
import type { Unseal } from './options-view.ts';

export interface ChannelKeyView {
  readonly id: number;
  /** Place among the channel's keys, from 0. */
  readonly index: number;
  readonly hash: string;
  readonly status: 1 | 2 | 3;
  /** Undefined when it has none: as many calls as come. */
  readonly limits: ChannelKeyLimits | undefined;
  /** The key itself; never logged. */
  readonly secret: string;
}

export interface ChannelView {
  /** The row as last loaded; its statistics (used quota, balance, times) may be old. */
  readonly record: ChannelRecord;
  readonly keys: readonly ChannelKeyView[];
  /** Bare names, without the prefix. */
  readonly models: readonly string[];
  /** Bare names that are switched off alone; a subset of `models` (REQ-27). */
  readonly disabledModels: ReadonlySet<string>;
  readonly groups: readonly string[];
  readonly setting: Readonly<Record<string, unknown>>;
  /** Without a prototype, so any name may be looked up in it. */
  readonly modelMapping: Readonly<Record<string, string>> | 'invalid';
  /** Upstream status -> status to act on; only targets within 100-599. */
  readonly statusCodeMapping: ReadonlyMap<number, number>;
  /** undefined = none. */
  readonly paramOverride: Readonly<Record<string, unknown>> | 'invalid' | undefined;
}

export interface ChannelViewSource {
  readonly record: ChannelRecord;
  readonly keys: readonly ChannelKeyRecord[];
  readonly unseal: Unseal;
  /** Told when a key cannot be opened; the key is left out. */
  readonly report: (channelId: number, keyId: number) => void;
}

/** Parses a channel row; texts that are not what they should be become the documented stand-ins, never an error. */
export function toChannelView(source: ChannelViewSource): ChannelView {
  const { record } = source;
  return {
    record,
    keys: openKeys(source),
    models: splitCommaList(record.models),
    disabledModels: disabledModelsOf(record),
    groups: splitCommaList(record.group),
    setting: parseObject(record.setting) ?? {},
    modelMapping: parseMapping(record.modelMapping),
    statusCodeMapping: parseStatusMapping(record.statusCodeMapping),
    paramOverride: isBlank(record.paramOverride) ? undefined : (parseObject(record.paramOverride) ?? 'invalid'),
  };
}

/** Models of a channel that are switched off alone: those of its setting `disabled_models` that it offers. */
export function disabledModelsOf(record: Pick<ChannelRecord, 'models' | 'setting'>): ReadonlySet<string> {
  const named = parseObject(record.setting)?.disabled_models;
  if (!Array.isArray(named) || named.length === 0) return noModels;
  return new Set(splitCommaList(record.models).filter((model) => named.includes(model)));
}

const noModels: ReadonlySet<string> = new Set();

/** What a sealed channel key is bound to. */
export function channelKeySealContext(key: { channelId: number; keyHash: string }): {
  table: string;
  column: string;
  row: string;
} {
  // The row's id is not known before it is inserted; channel and hash name the row as exactly.
  return { table: 'channel_keys', column: 'key_sealed', row: `${key.channelId}:${key.keyHash}` };
}

function openKeys(source: ChannelViewSource): ChannelKeyView[] {
  const ordered = [...source.keys].sort((a, b) => a.position - b.position || a.id - b.id);
  return ordered.flatMap((key, index) => {
    const secret = openKey(key, source);
    if (secret === undefined) return [];
    const { id, keyHash: hash } = key;
    return [{ id, index, hash, status: keyStatus(key.status), limits: limitsOf(key), secret }];
  });
}

function openKey(key: ChannelKeyRecord, source: ChannelViewSource): string | undefined {
  try {
    return source.unseal(channelKeySealContext(key), key.keySealed);
  } catch {
    // Reported by name; what a cipher says about a wrong secret helps nobody.
    source.report(key.channelId, key.id);
    return undefined;
  }
}

function limitsOf({ cap, tpm, concurrency }: ChannelKeyRecord): ChannelKeyLimits | undefined {
  return cap + tpm + concurrency > 0 ? { cap, tpm, concurrency } : undefined;
}

function keyStatus(status: number): 1 | 2 | 3 {
  return status === 1 || status === 3 ? status : 2;
}

function isBlank(text: string | null): boolean {
  return text === null || text.trim() === '';
}

/** The object that a text column holds; undefined when it is empty or anything else. */
function parseObject(text: string | null): Record<string, unknown> | undefined {
  if (text === null || isBlank(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseMapping(text: string | null): Readonly<Record<string, string>> | 'invalid' {
  const mapping: Record<string, string> = Object.create(null);
  if (isBlank(text)) return mapping;
  const parsed = parseObject(text);
  if (!parsed) return 'invalid';
  for (const [from, to] of Object.entries(parsed)) {
    if (typeof to !== 'string') return 'invalid';
    mapping[from] = to;
  }
  return mapping;
}

function parseStatusMapping(text: string | null): ReadonlyMap<number, number> {
  const mapping = new Map<number, number>();
  for (const [from, to] of Object.entries(parseObject(text) ?? {})) {
    const source = Number(from);
    const target = typeof to === 'string' || typeof to === 'number' ? Number(to) : Number.NaN;
    // To success only rows of old lead: an error is told under no such status.
    const isStatus = Number.isInteger(target) && target >= 100 && target <= 599;
    if (Number.isInteger(source) && isStatus && (target < 200 || target >= 300)) {
      mapping.set(source, target);
    }
  }
  return mapping;
}

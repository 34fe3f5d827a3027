/** The keys of a channel as rows of their own, each with its state; the keys themselves never leave (REQ-28). */
import { largestKeyLimits } from '../contract/channel-keys.ts';
import { findChannelType } from '../contract/channel-types.ts';
import { TollgateError } from '../errors.ts';
import type { ChannelKeyView } from '../snapshots/channel-view.ts';
import type { ChannelKeyLimits, ChannelKeyRecord } from '../store/channel-keys.ts';
import type { ChannelRecord } from '../store/channels.ts';
import type { Database, Stores } from '../store/database.ts';
import type { Actor } from './actor.ts';
import { checkKeys } from './channel-configuration.ts';
import type { ChannelCooling } from './channel-cooling.ts';
import { splitKeys } from './channel-keys.ts';
import { disabledByHand, enabled } from './channel-statuses.ts';
import type { ChannelAct, ChannelWriter } from './channel-writer.ts';

export interface ChannelKeyServiceDeps {
  readonly database: Database;
  readonly writer: ChannelWriter;
  readonly cooling: Pick<ChannelCooling, 'clear' | 'keyLeftMs'>;
  /** Keys of a channel that are open already, since calls are made with them: opening ten thousand takes a while. */
  readonly openKeys: (channelId: number) => readonly Pick<ChannelKeyView, 'id' | 'hash' | 'secret'>[];
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

export interface ChannelKeyRow {
  readonly record: ChannelKeyRecord;
  /** The last four characters; "" where they would be too much of the key, or mean nothing. */
  readonly tail: string;
  /** Unix seconds; 0 = the key is not cooling. */
  readonly coolUntil: number;
}

export interface AddedKeys {
  readonly added: number;
  /** How many of the keys were there already. */
  readonly known: number;
  readonly rows: readonly ChannelKeyRow[];
}

/** What changes about one key; absent members stay. */
export interface KeyChangeWish {
  readonly keyHash: string;
  readonly status?: number | null | undefined;
  readonly cap?: number | null | undefined;
  readonly tpm?: number | null | undefined;
  readonly concurrency?: number | null | undefined;
}

const tailLength = 4;
/** A key shorter than this shows no tail. */
const leastShown = 12;

export class ChannelKeyService {
  readonly #deps: ChannelKeyServiceDeps;

  constructor(deps: ChannelKeyServiceDeps) {
    this.#deps = deps;
  }

  /** In their order. Throws `channel_not_found`. */
  async list(channelId: number): Promise<ChannelKeyRow[]> {
    const { stores } = this.#deps.database;
    const channel = await requireChannel(stores, channelId);
    return this.#rows(channel, await stores.channelKeys.all([channelId]));
  }

  /**
   * Puts keys behind those there are; known ones keep their state. Throws `channel_not_found`, `channel_key_required`,
   * `channel_rule_invalid`.
   */
  async add(actor: Actor, channelId: number, text: string): Promise<AddedKeys> {
    const [change] = await this.#deps.writer.write(async (stores) => {
      const channel = await requireChannel(stores, channelId);
      const type = findChannelType(channel.type);
      const keys = splitKeys(text, type ?? {});
      if (keys.length === 0) throw new TollgateError('channel_key_required', {}, { field: 'key' });
      if (type) checkKeys(type, { other: channel.other, baseUrl: channel.baseUrl ?? '', keys });
      const before = await stores.channelKeys.all([channelId]);
      await this.#deps.writer.setKeys(stores, channelId, { keys, mode: 'append' });
      const after = await stores.channelKeys.all([channelId]);
      const added = after.length - before.length;
      const detail = { added };
      await this.#deps.writer.audit(stores, actor, { action: 'channel.keys_add', id: channelId, detail });
      return [{ id: channelId, channel, after, added, known: keys.length - added }];
    });
    if (!change) throw new TollgateError('channel_not_found');
    const { channel, after, added, known } = change;
    return { added, known, rows: this.#rows(channel, after) };
  }

  /**
   * Removes keys, all or none; returns how many. Throws `channel_not_found`, `channel_key_required`,
   * `channel_key_not_found`, `channel_key_last`.
   */
  async remove(actor: Actor, channelId: number, keyHashes: readonly string[]): Promise<number> {
    const wanted = new Set(keyHashes);
    if (wanted.size === 0) throw new TollgateError('channel_key_required', {}, { field: 'key_hashes' });
    await this.#deps.writer.write(async (stores) => {
      await requireChannel(stores, channelId);
      const rows = await stores.channelKeys.all([channelId]);
      const removed = rows.filter(({ keyHash }) => wanted.has(keyHash));
      if (removed.length < wanted.size) throw keyNotFound();
      if (removed.length === rows.length) throw new TollgateError('channel_key_last');
      await stores.channelKeys.delete(removed.map(({ id }) => id));
      const left = rows.filter(({ keyHash }) => !wanted.has(keyHash));
      const moved = left.map(({ id }, position) => ({ id, position }));
      await stores.channelKeys.setPositions(moved.filter(({ position }) => left[position]?.position !== position));
      const acts = removed.map((row) => actOn(row, 'channel.key_remove'));
      await this.#deps.writer.auditAll(stores, actor, acts);
      return [{ id: channelId }];
    });
    return wanted.size;
  }

  /**
   * Takes a key into use (1) or out of it (2) by hand, or changes its limits; enabling forgets why it was disabled and what
   * cools. Throws `channel_not_found`, `channel_key_not_found`, `channel_status_invalid`, `channel_key_cap_invalid`.
   */
  async change(actor: Actor, channelId: number, wish: KeyChangeWish): Promise<ChannelKeyRow> {
    const status = readStatus(wish.status);
    const limits = limitsOf(wish);
    const isLimited = Object.keys(limits).length > 0;
    const [changed] = await this.#deps.writer.write(async (stores, revision) => {
      const channel = await requireChannel(stores, channelId);
      const row = findKey(await stores.channelKeys.all([channelId]), wish.keyHash);
      const moves = status !== undefined && status !== row.status;
      const state = { reason: '', statusTime: this.#deps.nowSeconds() };
      const moved = moves ? await stores.channelKeys.setStatus(row.id, { status, ...state }) : row;
      const record = isLimited ? await stores.channelKeys.setLimits(row.id, limits) : moved;
      if (!record) throw new TollgateError('channel_key_not_found');
      if (moves) {
        const action = status === enabled ? 'channel.key_enable' : 'channel.key_disable';
        await this.#deps.writer.audit(stores, actor, actOn(row, action));
      }
      if (isLimited) await this.#deps.writer.audit(stores, actor, actOn(row, 'channel.key_cap', limits));
      if (status === enabled) await stores.coolingEnds.note([channelId], revision);
      return [{ id: channelId, channel, record }];
    });
    if (!changed) throw new TollgateError('channel_key_not_found');
    if (status === enabled) this.#deps.cooling.clear(channelId);
    return this.#row(changed.channel, changed.record);
  }

  /** Ends every pause of a channel and its keys. Throws `channel_not_found`. */
  async clearCooling(actor: Actor, channelId: number): Promise<void> {
    await this.#deps.writer.write(async (stores, revision) => {
      await requireChannel(stores, channelId);
      await this.#deps.writer.audit(stores, actor, { action: 'channel.cooling_clear', id: channelId });
      await stores.coolingEnds.note([channelId], revision);
      return [{ id: channelId }];
    });
    this.#deps.cooling.clear(channelId);
  }

  #rows(channel: ChannelRecord, records: readonly ChannelKeyRecord[]): ChannelKeyRow[] {
    const open = new Map(this.#deps.openKeys(channel.id).map((key) => [key.id, key]));
    return records.map((record) => {
      const known = open.get(record.id);
      return this.#row(channel, record, known?.hash === record.keyHash ? known.secret : undefined);
    });
  }

  /** @param open the key itself where it is known */
  #row(channel: ChannelRecord, record: ChannelKeyRecord, open?: string): ChannelKeyRow {
    const leftMs = this.#deps.cooling.keyLeftMs(channel.id, record.id);
    const coolUntil = leftMs === 0 ? 0 : this.#deps.nowSeconds() + Math.ceil(leftMs / 1000);
    if (findChannelType(channel.type)?.keyForm === 'json') return { record, tail: '', coolUntil };
    const key = open ?? this.#deps.writer.openKeys([record])[0] ?? '';
    return { record, tail: key.length < leastShown ? '' : key.slice(-tailLength), coolUntil };
  }
}

/** What is noted of a change of one key. */
function actOn(
  { channelId, keyHash }: ChannelKeyRecord,
  action: string,
  limits?: Partial<ChannelKeyLimits>,
): ChannelAct {
  return { action, id: channelId, detail: { key: keyHash, ...limits } };
}

/** The row with this hash. Throws `channel_key_not_found`. */
export function findKey(rows: readonly ChannelKeyRecord[], keyHash: string): ChannelKeyRecord {
  const row = rows.find((candidate) => candidate.keyHash === keyHash);
  if (!row) throw keyNotFound();
  return row;
}

function keyNotFound(): TollgateError {
  return new TollgateError('channel_key_not_found', {}, { field: 'key_hash' });
}

function readStatus(status: number | null | undefined): number | undefined {
  if (status === undefined || status === null) return undefined;
  if (status === enabled || status === disabledByHand) return status;
  throw new TollgateError('channel_status_invalid', {}, { field: 'status' });
}

/** The limits that are present. Throws `channel_key_cap_invalid`. */
function limitsOf({ cap, tpm, concurrency }: KeyChangeWish): Partial<ChannelKeyLimits> {
  const wanted = {
    cap: readKeyCap(cap, 'cap'),
    tpm: readKeyCap(tpm, 'tpm', largestKeyLimits.tpm),
    concurrency: readKeyCap(concurrency, 'concurrency', largestKeyLimits.concurrency),
  };
  return Object.fromEntries(Object.entries(wanted).filter(([, limit]) => limit !== undefined));
}

/** A limit of a key, 0 = as many as come; undefined where nothing is said. Throws `channel_key_cap_invalid`. */
export function readKeyCap(
  cap: number | null | undefined,
  field: string,
  largest: number = largestKeyLimits.cap,
): number | undefined {
  if (cap === undefined || cap === null) return undefined;
  if (Number.isInteger(cap) && cap >= 0 && cap <= largest) return cap;
  throw new TollgateError('channel_key_cap_invalid', { max: largest }, { field });
}

async function requireChannel(stores: Stores, id: number): Promise<ChannelRecord> {
  const record = await stores.channels.find(id);
  if (!record) throw new TollgateError('channel_not_found');
  return record;
}

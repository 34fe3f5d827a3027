/**
 * Stores channels with everything derived from them, sealed key rows and abilities, in one transaction, and then tells
 * every node to route by it.
 */
import type { Bus } from '../cluster/bus.ts';
import { findChannelType } from '../contract/channel-types.ts';
import { channelKeySealContext, disabledModelsOf } from '../snapshots/channel-view.ts';
import type { ChannelKeyRecord, NewChannelKey } from '../store/channel-keys.ts';
import type { ChannelPatch, ChannelRecord, NewChannel } from '../store/channels.ts';
import type { Database, Stores } from '../store/database.ts';
import type { Actor } from './actor.ts';
import { auditBy } from './audits.ts';
import { abilitiesOf, abilityColumns } from './channel-abilities.ts';
import { changeKeys, checkKeyCount, joinKeys } from './channel-keys.ts';

/** What sealing and naming of channel keys needs of the keyring. */
export interface ChannelSecrets {
  channelKeyHash(key: string): string;
  seal(context: { table: string; column: string; row: string }, plain: string): string;
  open(context: { table: string; column: string; row: string }, sealed: string): string;
}

export interface ChannelWriterDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'announce'>;
  readonly secrets: ChannelSecrets;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

/** Something an administrator did to a channel. */
export interface ChannelAct {
  /** Such as `channel.update`. */
  readonly action: string;
  readonly id: number;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** A channel to be made, with its keys. */
export interface ChannelToInsert {
  readonly fields: NewChannel;
  readonly keys: readonly string[];
}

/** A key with the state it shall have; what is undefined stays. */
export interface KeyState {
  readonly key: string;
  readonly hash: string;
  readonly status: number | undefined;
  readonly cap: number | undefined;
}

/** Ids that an announcement names; more of them mean "compare all". */
const mostAnnounced = 500;

export class ChannelWriter {
  readonly #deps: ChannelWriterDeps;

  constructor(deps: ChannelWriterDeps) {
    this.#deps = deps;
  }

  /** Runs the work as one transaction and announces what it returns; resolves when this node routes by it. */
  async write<T extends { readonly id: number }>(
    work: (stores: Stores, revision: number) => Promise<T[]>,
  ): Promise<T[]> {
    const { changed, revision } = await this.#deps.database.transaction(async (stores) => {
      // The bump comes first: its row lock makes writers of all nodes wait for each other.
      const revision = await stores.revisions.bump('channels');
      return { changed: await work(stores, revision), revision };
    });
    const ids = changed.length <= mostAnnounced ? changed.map(({ id }) => id).join(',') : '';
    await (ids === ''
      ? this.#deps.bus.announce('channels', revision)
      : this.#deps.bus.announce('channels', revision, ids));
    return changed;
  }

  async audit(stores: Stores, actor: Actor, act: ChannelAct): Promise<void> {
    await this.auditAll(stores, actor, [act]);
  }

  /** As `audit`, for several acts at once. */
  async auditAll(stores: Stores, actor: Actor, acts: readonly ChannelAct[]): Promise<void> {
    const now = this.#deps.nowSeconds();
    const rows = acts.map(({ action, id, detail }) =>
      auditBy(actor, { action, target: `channel:${id}`, ...(detail ? { detail } : {}) }, now),
    );
    await stores.audits.appendAll(rows);
  }

  /** Notes something that is no write of its own, such as a look at a key. */
  async auditLook(actor: Actor, act: ChannelAct): Promise<void> {
    // In a transaction, because rows of the audit are chained.
    await this.#deps.database.transaction((stores) => this.audit(stores, actor, act));
  }

  /** Gives the automatically disabled keys of a channel that is enabled by hand another chance. */
  async reviveKeys(stores: Stores, channelId: number): Promise<void> {
    const statusTime = this.#deps.nowSeconds();
    await stores.channelKeys.moveAll(channelId, { from: 3, to: 1, reason: '', statusTime });
  }

  /** Inserts channels with their keys and abilities; the records come in the order of the channels. */
  async insert(stores: Stores, channels: readonly ChannelToInsert[]): Promise<ChannelRecord[]> {
    const records: ChannelRecord[] = [];
    const keys: NewChannelKey[] = [];
    for (const { fields, keys: own } of channels) {
      const record = await stores.channels.insert(fields);
      records.push(record);
      const wanted = new Map(own.map((key) => [this.hashOf(key), key]));
      keys.push(...[...wanted.values()].map((key, position) => this.#keyRow(record.id, key, position)));
    }
    await stores.channelKeys.insert(keys);
    await stores.abilities.insert(records.flatMap(abilitiesOf));
    return records;
  }

  /** Changes a channel; its abilities follow when a column they are made of changes. Undefined when it is gone. */
  async update(stores: Stores, id: number, patch: ChannelPatch): Promise<ChannelRecord | undefined> {
    const record = await stores.channels.update(id, patch);
    if (record && abilityColumns.some((column) => patch[column] !== undefined)) {
      await stores.abilities.replace(id, abilitiesOf(record));
    }
    return record;
  }

  /** Changes several channels alike; returns those that exist. */
  async updateMany(stores: Stores, ids: readonly number[], patch: ChannelPatch): Promise<ChannelRecord[]> {
    const records = await stores.channels.updateMany(ids, patch);
    const { models, group, modelPrefix, setting } = patch;
    const movesRows = [models, group, modelPrefix, setting].some((value) => value !== undefined);
    // Where a model is switched off alone, not all rows of the channel are alike.
    if (!movesRows && records.every((record) => disabledModelsOf(record).size === 0)) {
      const { status, priority, weight, tag } = patch;
      await stores.abilities.update(
        records.map((record) => record.id),
        {
          ...(status === undefined ? {} : { enabled: status === 1 }),
          ...(priority === undefined ? {} : { priority: priority ?? 0 }),
          ...(weight === undefined ? {} : { weight: weight ?? 0 }),
          ...(tag === undefined ? {} : { tag }),
        },
      );
      return records;
    }
    for (const record of records) await stores.abilities.replace(record.id, abilitiesOf(record));
    return records;
  }

  /** Brings the key rows of a channel to the wanted keys; rows of keys that remain keep their state (REQ-28). */
  async setKeys(
    stores: Stores,
    channelId: number,
    wanted: { readonly keys: readonly string[]; readonly mode: 'replace' | 'append' },
  ): Promise<void> {
    const rows = await stores.channelKeys.all([channelId]);
    const change = changeKeys(rows, { ...wanted, hashOf: (key) => this.#deps.secrets.channelKeyHash(key) });
    // A channel that has more from earlier can still be changed, and lose some.
    if (change.added.length > 0) checkKeyCount(rows.length - change.removed.length + change.added.length);
    await stores.channelKeys.delete(change.removed);
    await stores.channelKeys.setPositions(change.moved);
    await stores.channelKeys.insert(change.added.map(({ key, position }) => this.#keyRow(channelId, key, position)));
  }

  #keyRow(channelId: number, key: string, position: number): NewChannelKey {
    const keyHash = this.hashOf(key);
    const keySealed = this.#deps.secrets.seal(channelKeySealContext({ channelId, keyHash }), key);
    return { channelId, position, keyHash, keySealed };
  }

  /** The name of a key: the first 16 hex digits of its SHA-256. */
  hashOf(key: string): string {
    return this.#deps.secrets.channelKeyHash(key);
  }

  /** Gives keys of a channel the status and cap that are named; what is undefined stays. */
  async setKeyStates(stores: Stores, channelId: number, wanted: readonly KeyState[]): Promise<void> {
    const rows = new Map((await stores.channelKeys.all([channelId])).map((row) => [row.keyHash, row]));
    const statusTime = this.#deps.nowSeconds();
    for (const { hash, status, cap } of wanted) {
      const row = rows.get(hash);
      if (!row) continue;
      if (status !== undefined && status !== row.status) {
        await stores.channelKeys.setStatus(row.id, { status, reason: '', statusTime });
      }
      if (cap !== undefined && cap !== row.cap) await stores.channelKeys.setLimits(row.id, { cap });
    }
  }

  /** The keys themselves, in their order. */
  openKeys(rows: readonly ChannelKeyRecord[]): string[] {
    return rows.map((row) => this.#deps.secrets.open(channelKeySealContext(row), row.keySealed));
  }

  /** The one text in which the keys of a channel travel. */
  keyText(channel: ChannelRecord, rows: readonly ChannelKeyRecord[]): string {
    return joinKeys(this.openKeys(rows), findChannelType(channel.type) ?? {});
  }

  /** Removes everything that hangs on these channels, whose rows are gone already. */
  async deleteDependents(stores: Stores, ids: readonly number[]): Promise<void> {
    await stores.abilities.deleteOfChannels(ids);
    await stores.channelKeys.deleteOfChannels(ids);
    await stores.channelTests.deleteOfChannels(ids);
  }
}

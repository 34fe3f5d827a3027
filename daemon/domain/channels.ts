/** Channels as administrators manage them: found, read, made, changed, copied and deleted (management-api.md 3.10). */
import { splitCommaList } from '../contract/comma-list.ts';
import { TollgateError } from '../errors.ts';
import { disabledModelsOf } from '../snapshots/channel-view.ts';
import type { ChannelFilter } from '../store/channel-filters.ts';
import type { ChannelOrder, ChannelRecord } from '../store/channels.ts';
import type { Database, Stores } from '../store/database.ts';
import type { Window } from '../store/paging.ts';
import type { Actor } from './actor.ts';
import { auditedChange } from './audited-change.ts';
import { type ChannelRules, judgesKeys, movesKeys, readChannelChange, readNewChannel } from './channel-admission.ts';
import { checkConfiguration } from './channel-configuration.ts';
import type { ChannelCooling } from './channel-cooling.ts';
import { type ChannelInput, type ChannelPatch, completeChannel, knownType, readChannelInput } from './channel-input.ts';
import { findKey } from './channel-key-rows.ts';
import { splitKeys } from './channel-keys.ts';
import { withDisabledModels } from './channel-models.ts';
import { disabledByHand, disabledBySystem, enabled } from './channel-statuses.ts';
import type { ChannelSecrets, ChannelWriter } from './channel-writer.ts';

export interface ChannelServiceDeps {
  readonly rules: ChannelRules;
  readonly database: Database;
  readonly writer: ChannelWriter;
  readonly secrets: Pick<ChannelSecrets, 'channelKeyHash'>;
  readonly cooling: Pick<ChannelCooling, 'clear'>;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

export interface ChannelList {
  readonly filter: ChannelFilter;
  readonly order: ChannelOrder;
  /** `tag`: the window counts tags, and all channels of those tags are listed. */
  readonly unit: 'channel' | 'tag';
  readonly window: Window;
}

export interface ChannelQuery {
  /** Equals the id or a key, or is contained in name or base address. */
  readonly keyword: string | undefined;
  readonly group: string | undefined;
  readonly model: string | undefined;
  readonly order: ChannelOrder;
  /** `tag`: all channels of the tags that have a hit. */
  readonly unit: 'channel' | 'tag';
}

export interface FoundChannels {
  readonly items: readonly ChannelRecord[];
  readonly total: number;
  readonly typeCounts: ReadonlyMap<number, number>;
  /** Where tags are listed: how many channels pass without one. */
  readonly untagged?: number;
}

/** A flat row, or `channel` with a mode. */
export interface NewChannelInput extends ChannelInput {
  readonly mode?: 'single' | 'batch' | 'multi_to_single' | null | undefined;
  readonly channel?: ChannelInput | null | undefined;
}

export interface ChannelChange extends ChannelInput {
  /** `append` puts new keys behind; `replace` drops those that are not named. */
  readonly key_mode?: 'replace' | 'append' | null | undefined;
}

export interface ChannelCopy {
  readonly suffix: string | undefined;
}

const searchLimit = 1000;

export class ChannelService {
  readonly #deps: ChannelServiceDeps;

  constructor(deps: ChannelServiceDeps) {
    this.#deps = deps;
  }

  /** True when keys are shown to nobody. */
  get hidesKeys(): boolean {
    return this.#deps.rules.revealKeys === 'hidden';
  }

  async list({ filter, order, unit, window }: ChannelList): Promise<FoundChannels> {
    const { channels } = this.#deps.database.stores;
    const typeCounts = await channels.countByType({ ...filter, type: undefined });
    if (unit === 'channel') return { ...(await channels.list(filter, order, window)), typeCounts };
    const tags = await channels.listTags(filter, window);
    const untagged = await channels.countUntagged(filter);
    return { items: await channels.listByTags(tags.items, order), total: tags.total, typeCounts, untagged };
  }

  /** At most 1000 channels. */
  async search(query: ChannelQuery): Promise<FoundChannels> {
    const { channels } = this.#deps.database.stores;
    const { keyword, model, order } = query;
    const group = query.group === 'null' ? undefined : query.group;
    const keyHash = keyword ? this.#deps.secrets.channelKeyHash(keyword) : undefined;
    const hits = await channels.search({ keyword, keyHash, group, model }, order, searchLimit);
    const tags = new Set(hits.flatMap((hit) => (hit.tag ? [hit.tag] : [])));
    const isByTag = query.unit === 'tag';
    const items = isByTag ? await channels.listByTags([...tags], order) : hits;
    const typeCounts = new Map<number, number>();
    for (const { type } of items) typeCounts.set(type, (typeCounts.get(type) ?? 0) + 1);
    const untagged = isByTag ? { untagged: hits.filter((hit) => !hit.tag).length } : {};
    return { items, total: items.length, typeCounts, ...untagged };
  }

  /** The row with its keys, "" where they are hidden; showing them is audited. Throws `channel_not_found`. */
  async get(actor: Actor, id: number): Promise<{ readonly record: ChannelRecord; readonly key: string }> {
    const record = await this.#require(this.#deps.database.stores, id);
    const key = this.hidesKeys ? '' : await this.#readKey(actor, record);
    return { record, key };
  }

  /** All keys as one text, or the one with this hash. Throws `channel_not_found`, `channel_key_hidden`, `channel_key_not_found`. */
  async revealKey(actor: Actor, id: number, keyHash?: string): Promise<string> {
    const record = await this.#require(this.#deps.database.stores, id);
    if (this.hidesKeys) throw new TollgateError('channel_key_hidden');
    return this.#readKey(actor, record, keyHash);
  }

  /** Makes one channel, or with mode `batch` one for each key. Throws the `channel_*` codes of the input. */
  async create(actor: Actor, input: NewChannelInput): Promise<ChannelRecord[]> {
    const members = input.channel ? { ...input.channel, groups: input.groups ?? input.channel.groups } : input;
    const { fields, keys } = readNewChannel(members, this.#deps.rules);
    const keySets = input.mode === 'batch' ? keys.map((key) => [key]) : [keys];
    return this.#deps.writer.write(async (stores) => {
      const row = { ...fields, createdTime: this.#deps.nowSeconds() };
      const made = keySets.map((own) => ({ fields: row, keys: own }));
      const records = await this.#deps.writer.insert(stores, made);
      const acts = records.map(({ id, name }) => ({ action: 'channel.create', id, detail: { name } }));
      await this.#deps.writer.auditAll(stores, actor, acts);
      return records;
    });
  }

  /**
   * Copies a channel with its keys; the copy is disabled and its figures start at 0. Throws `channel_not_found`,
   * `invalid_input`, and the `channel_*` code of what no new channel may say.
   */
  async copy(actor: Actor, id: number, { suffix = '_copy' }: ChannelCopy): Promise<ChannelRecord> {
    if (/\p{Cc}/u.test(suffix)) throw new TollgateError('invalid_input', { field: 'suffix' }, { field: 'suffix' });
    const [made] = await this.#deps.writer.write(async (stores) => {
      const {
        id: _id,
        usedQuota,
        balance,
        balanceUpdatedTime,
        testTime,
        responseTime,
        ...row
      } = await this.#require(stores, id);
      checkConfiguration(completeChannel(row));
      const keys = this.#deps.writer.openKeys(await stores.channelKeys.all([id]));
      const name = `${row.name}${suffix}`.slice(0, 255);
      const own = { ...row, name, status: disabledByHand, otherInfo: '', createdTime: this.#deps.nowSeconds() };
      const records = await this.#deps.writer.insert(stores, [{ fields: own, keys }]);
      const acts = records.map((record) => ({ action: 'channel.copy', id: record.id, detail: { from: id } }));
      await this.#deps.writer.auditAll(stores, actor, acts);
      return records;
    });
    if (!made) throw new TollgateError('channel_not_found');
    return made;
  }

  /** Whether a change takes stored keys to somebody who does not read them now (S15). Throws as `update` does. */
  async movesKeys(id: number, change: ChannelChange): Promise<boolean> {
    if (change.key && change.key_mode !== 'append') return false;
    const current = await this.#require(this.#deps.database.stores, id);
    return movesKeys(current, { ...current, ...readChannelInput(change) });
  }

  /** Changes the members that are present. Throws `channel_not_found` and the `channel_*` codes of the input. */
  async update(actor: Actor, id: number, change: ChannelChange): Promise<ChannelRecord> {
    const patch = readChannelInput(change);
    const [changed] = await this.#deps.writer.write(async (stores, revision) => {
      const current = await this.#require(stores, id);
      const keys = change.key ? splitKeys(change.key, knownType(patch.type ?? current.type)) : [];
      const newKeys = change.key_mode === 'append' ? [] : keys;
      const isJudged = newKeys.length === 0 && judgesKeys(current, patch);
      const stored = isJudged ? this.#deps.writer.openKeys(await stores.channelKeys.all([id])) : [];
      const own = readChannelChange(current, patch, { newKeys, keys: [...stored, ...keys], rules: this.#deps.rules });
      if (keys.length > 0) await this.#deps.writer.setKeys(stores, id, { keys, mode: change.key_mode ?? 'replace' });
      const revival = await this.#revive(stores, current, patch);
      const record = await this.#deps.writer.update(stores, id, { ...own, ...revival });
      const detail = {
        fields: Object.keys(patch),
        keys: keys.length > 0 ? (change.key_mode ?? 'replace') : undefined,
        ...(record && auditedChange({ ...current }, { ...record }, Object.keys(own))),
      };
      await this.#deps.writer.audit(stores, actor, { action: 'channel.update', id, detail });
      await stores.coolingEnds.note([id], revision);
      return record ? [record] : [];
    });
    if (!changed) throw new TollgateError('channel_not_found');
    this.#deps.cooling.clear(id);
    return changed;
  }

  /**
   * Moves one model of a channel out of routing (2) or into it (1), by its setting `disabled_models` (REQ-27). Throws
   * `channel_not_found`, `channel_model_unknown`, `channel_status_invalid`.
   */
  async setModelStatus(
    actor: Actor,
    id: number,
    { model, status }: { readonly model: string; readonly status: number },
  ): Promise<ChannelRecord> {
    if (status !== enabled && status !== disabledByHand) {
      throw new TollgateError('channel_status_invalid', {}, { field: 'status' });
    }
    const [changed] = await this.#deps.writer.write(async (stores) => {
      const current = await this.#require(stores, id);
      if (!splitCommaList(current.models).includes(model)) {
        throw new TollgateError('channel_model_unknown', { model }, { field: 'model' });
      }
      const disabled = new Set(disabledModelsOf(current));
      if (status === enabled) disabled.delete(model);
      else disabled.add(model);
      const setting = withDisabledModels(current.setting, [...disabled]);
      const record = await this.#deps.writer.update(stores, id, { setting });
      const action = status === enabled ? 'channel.model_enable' : 'channel.model_disable';
      await this.#deps.writer.audit(stores, actor, { action, id, detail: { model } });
      return record ? [record] : [];
    });
    if (!changed) throw new TollgateError('channel_not_found');
    return changed;
  }

  /** Throws `channel_not_found`. */
  async delete(actor: Actor, id: number): Promise<void> {
    if ((await this.#delete(actor, (stores) => stores.channels.delete([id]))) === 0) {
      throw new TollgateError('channel_not_found');
    }
  }

  /** Returns how many there were. Throws `channel_ids_required`. */
  async deleteBatch(actor: Actor, ids: readonly number[]): Promise<number> {
    if (ids.length === 0) throw new TollgateError('channel_ids_required', {}, { field: 'ids' });
    return this.#delete(actor, (stores) => stores.channels.delete(ids));
  }

  /** Deletes what was disabled by hand or automatically; returns how many there were. */
  async deleteDisabled(actor: Actor): Promise<number> {
    return this.#delete(actor, (stores) => stores.channels.deleteByStatus([disabledByHand, disabledBySystem]));
  }

  /** Enabling by hand forgets why the channel was disabled and gives its automatically disabled keys another chance. */
  async #revive(stores: Stores, current: ChannelRecord, patch: ChannelPatch): Promise<{ otherInfo?: string }> {
    if (patch.status !== enabled || current.status === enabled) return {};
    await this.#deps.writer.reviveKeys(stores, current.id);
    return { otherInfo: '' };
  }

  async #delete(actor: Actor, remove: (stores: Stores) => Promise<ChannelRecord[]>): Promise<number> {
    const removed = await this.#deps.writer.write(async (stores) => {
      const gone = await remove(stores);
      await this.#deps.writer.deleteDependents(
        stores,
        gone.map(({ id }) => id),
      );
      // The name is part of it: nothing else tells it any more.
      const acts = gone.map(({ id, name }) => ({ action: 'channel.delete', id, detail: { name } }));
      await this.#deps.writer.auditAll(stores, actor, acts);
      return gone;
    });
    return removed.length;
  }

  async #require(stores: Stores, id: number): Promise<ChannelRecord> {
    const record = await stores.channels.find(id);
    if (!record) throw new TollgateError('channel_not_found');
    return record;
  }

  async #readKey(actor: Actor, record: ChannelRecord, keyHash?: string): Promise<string> {
    const { stores } = this.#deps.database;
    const all = await stores.channelKeys.all([record.id]);
    const rows = keyHash === undefined ? all : [findKey(all, keyHash)];
    const detail = keyHash === undefined ? {} : { key: keyHash };
    await this.#deps.writer.auditLook(actor, { action: 'channel.key_read', id: record.id, detail });
    return this.#deps.writer.keyText(record, rows);
  }
}

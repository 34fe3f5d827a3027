/** What is done to many channels at once: tags, and the rebuilding of abilities (management-api.md 3.10). */
import { splitCommaList } from '../contract/comma-list.ts';
import { TollgateError } from '../errors.ts';
import type { ChannelRecord } from '../store/channels.ts';
import type { Database, Stores } from '../store/database.ts';
import type { Actor } from './actor.ts';
import { type AuditedChange, auditedChange } from './audited-change.ts';
import { abilitiesOf } from './channel-abilities.ts';
import { checkConfiguration } from './channel-configuration.ts';
import type { ChannelCooling } from './channel-cooling.ts';
import { type ChannelPatch, completeChannel, readChannelInput } from './channel-input.ts';
import { disabledByHand, enabled } from './channel-statuses.ts';
import type { ChannelWriter } from './channel-writer.ts';

export interface ChannelTagServiceDeps {
  readonly database: Database;
  readonly writer: ChannelWriter;
  readonly cooling: Pick<ChannelCooling, 'clear'>;
}

/** Changes of all channels that carry a tag; empty and absent members stay. */
export interface TagEdit {
  readonly tag?: string | null | undefined;
  /** "" dissolves the tag. */
  readonly new_tag?: string | null | undefined;
  readonly priority?: number | string | null | undefined;
  readonly weight?: number | string | null | undefined;
  readonly model_mapping?: string | null | undefined;
  /** Comma list. */
  readonly models?: string | null | undefined;
  /** Comma list. */
  readonly groups?: string | null | undefined;
}

/** What is done to each channel, and what becomes of its pauses. */
interface Act {
  readonly action: string;
  readonly pauses: 'end' | 'stay';
}

/** Lets the audit row of a channel tell what a patch changes of it. */
type NoteChange = (before: ChannelRecord, patch: ChannelPatch) => void;

const mostKnown = 10_000;

export class ChannelTagService {
  readonly #deps: ChannelTagServiceDeps;

  constructor(deps: ChannelTagServiceDeps) {
    this.#deps = deps;
  }

  /** Tags by name, for where one is entered: their channels, which may be thousands, are not read. */
  async known(): Promise<readonly string[]> {
    return (await this.#deps.database.stores.channels.listTags({}, { offset: 0, limit: mostKnown })).items;
  }

  /** Sets the tag of channels, or clears it with "" or null; returns how many. Throws `channel_ids_required`. */
  async setTags(actor: Actor, ids: readonly number[], tag: string | null | undefined): Promise<number> {
    if (ids.length === 0) throw new TollgateError('channel_ids_required', {}, { field: 'ids' });
    const patch = readChannelInput({ tag: tag ?? null });
    return this.#changeAll(actor, { action: 'channel.tag', pauses: 'stay' }, async (stores, note) => {
      for (const member of await stores.channels.all(ids)) note(member, patch);
      return this.#deps.writer.updateMany(stores, ids, patch);
    });
  }

  /**
   * Returns how many channels carry the tag; their pauses end, as by an edit of one. Throws `channel_tag_required` and the
   * codes of the members.
   */
  async editTag(actor: Actor, edit: TagEdit): Promise<number> {
    const tag = requiredTag(edit.tag);
    const patch = patchOf(edit);
    checkConfiguration(patch);
    return this.#changeAll(actor, { action: 'channel.tag_edit', pauses: 'end' }, async (stores, note) => {
      const members = await stores.channels.listByTags([tag], 'id');
      for (const member of members) {
        completeChannel({ ...member, ...patch }, member);
        note(member, patch);
      }
      return this.#deps.writer.updateMany(stores, idsOf(members), patch);
    });
  }

  /** Moves all channels of a tag into routing and ends their pauses; returns how many. Throws `channel_tag_required`. */
  async enableTag(actor: Actor, tag: string | null | undefined): Promise<number> {
    const name = requiredTag(tag);
    return this.#changeAll(actor, { action: 'channel.tag_enable', pauses: 'end' }, async (stores) => {
      const members = await stores.channels.listByTags([name], 'id');
      const asleep = members.filter((member) => member.status !== enabled);
      for (const { id } of asleep) await this.#deps.writer.reviveKeys(stores, id);
      await this.#deps.writer.updateMany(stores, idsOf(asleep), { status: enabled, otherInfo: '' });
      return members;
    });
  }

  /** Moves all channels of a tag out of routing; returns how many. Throws `channel_tag_required`. */
  async disableTag(actor: Actor, tag: string | null | undefined): Promise<number> {
    const name = requiredTag(tag);
    return this.#changeAll(actor, { action: 'channel.tag_disable', pauses: 'stay' }, async (stores) => {
      const members = await stores.channels.listByTags([name], 'id');
      return this.#deps.writer.updateMany(stores, idsOf(members), { status: disabledByHand });
    });
  }

  /** Rebuilds the abilities of every channel, each in a transaction of its own; returns the number of channels. */
  async rebuildAbilities(actor: Actor): Promise<number> {
    const ids = idsOf(await this.#deps.database.stores.channels.all());
    let rebuilt = 0;
    for (const id of ids) {
      const done = await this.#deps.database.transaction(async (stores) => {
        const channel = await stores.channels.find(id);
        if (channel) await stores.abilities.replace(id, abilitiesOf(channel));
        return channel !== undefined;
      });
      if (done) rebuilt += 1;
    }
    await this.#deps.writer.write(async (stores) => {
      await stores.abilities.deleteOrphans();
      await this.#deps.writer.audit(stores, actor, { action: 'channel.fix', id: 0, detail: { channels: rebuilt } });
      return [];
    });
    return rebuilt;
  }

  async #changeAll(
    actor: Actor,
    { action, pauses }: Act,
    change: (stores: Stores, note: NoteChange) => Promise<readonly { readonly id: number }[]>,
  ): Promise<number> {
    const changed = await this.#deps.writer.write(async (stores, revision) => {
      const details = new Map<number, AuditedChange>();
      const note: NoteChange = (before, patch) => {
        const detail = auditedChange({ ...before }, { ...patch });
        if (detail) details.set(before.id, detail);
      };
      const members = [...(await change(stores, note))];
      const acts = members.map(({ id }) => {
        const detail = details.get(id);
        return { action, id, ...(detail ? { detail: { ...detail } } : {}) };
      });
      await this.#deps.writer.auditAll(stores, actor, acts);
      if (pauses === 'end') await stores.coolingEnds.note(idsOf(members), revision);
      return members;
    });
    if (pauses === 'end') for (const { id } of changed) this.#deps.cooling.clear(id);
    return changed.length;
  }
}

function requiredTag(tag: string | null | undefined): string {
  const name = tag?.trim() ?? '';
  if (name === '') throw new TollgateError('channel_tag_required', {}, { field: 'tag' });
  return name;
}

function patchOf(edit: TagEdit): ChannelPatch {
  const { priority, weight } = edit;
  const patch = readChannelInput({
    priority,
    weight,
    model_mapping: edit.model_mapping === '' ? undefined : edit.model_mapping,
    models: edit.models,
    groups: edit.groups ? splitCommaList(edit.groups) : undefined,
    tag: edit.new_tag === '' ? null : (edit.new_tag ?? undefined),
  });
  return patch;
}

function idsOf(channels: readonly { readonly id: number }[]): number[] {
  return channels.map(({ id }) => id);
}

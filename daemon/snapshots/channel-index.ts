/**
 * Which channels offer which model to which group, answered from memory. An index never changes: an edit makes a new
 * one that shares everything the edit did not touch, so ten thousand channels cost an edit no more than its own models.
 */
import type { ChannelView } from './channel-view.ts';
import { listedNames } from './listed-names.ts';

/** A channel's offer of a model: routing facts copied from the channel. */
export interface AbilityView {
  readonly channel: ChannelView;
  readonly priority: number;
  /** As stored; the smoothing of relay.md 11.3 is added by the selection. */
  readonly weight: number;
}

export interface ChannelIndex {
  /** A channel of any status. */
  get(id: number): ChannelView | undefined;
  /** Enabled channels that offer the client-visible name to the group: priority descending, then id ascending. */
  candidates(group: string, model: string): readonly AbilityView[];
  /** Client-visible names that enabled channels offer to the group, sorted. */
  modelsOf(group: string): readonly string[];
  /** True when a channel of any status offers the name, to one of `groups` if they are given. */
  offers(model: string, groups?: Iterable<string>): boolean;
  /** Every channel, of any status, in no promised order. */
  all(): Iterable<ChannelView>;
}

interface Offer {
  readonly enabled: readonly AbilityView[];
  /** Number of channels of any status that offer the model. */
  readonly total: number;
}

type Offers = ReadonlyMap<string, ReadonlyMap<string, Offer>>;

const nobody: readonly AbilityView[] = [];

export class ChannelIndexImage implements ChannelIndex {
  readonly #channels: ReadonlyMap<number, ChannelView>;
  readonly #offers: Offers;
  /** Sorted name lists, made when first asked for. */
  readonly #names = new Map<string, readonly string[]>();

  private constructor(channels: ReadonlyMap<number, ChannelView>, offers: Offers) {
    this.#channels = channels;
    this.#offers = offers;
  }

  /** An index without channels. */
  static empty(): ChannelIndexImage {
    return new ChannelIndexImage(new Map(), new Map());
  }

  /** A new index in which the given channels stand as given; undefined removes one. */
  with(changes: ReadonlyMap<number, ChannelView | undefined>): ChannelIndexImage {
    const channels = new Map(this.#channels);
    const edits = new Edits();
    for (const [id, next] of changes) {
      const before = channels.get(id);
      if (before) edits.remove(before);
      if (next) {
        edits.add(next);
        channels.set(id, next);
      } else {
        channels.delete(id);
      }
    }
    return new ChannelIndexImage(channels, edits.applyTo(this.#offers));
  }

  get(id: number): ChannelView | undefined {
    return this.#channels.get(id);
  }

  candidates(group: string, model: string): readonly AbilityView[] {
    return this.#offered(group, model)?.enabled ?? nobody;
  }

  modelsOf(group: string): readonly string[] {
    const known = this.#names.get(group);
    if (known) return known;
    const names: string[] = [];
    for (const [model, offer] of this.#offers.get(group) ?? []) {
      if (offer.enabled.length > 0) names.push(model);
    }
    names.sort();
    // Only groups that exist are remembered, so made-up names cannot fill the memory.
    if (names.length > 0) this.#names.set(group, names);
    return names;
  }

  offers(model: string, groups?: Iterable<string>): boolean {
    for (const group of groups ?? this.#offers.keys()) {
      if (this.#offered(group, model) !== undefined) return true;
    }
    return false;
  }

  /** The offer under the name itself, else under an entry that stands for it. */
  #offered(group: string, model: string): Offer | undefined {
    const models = this.#offers.get(group);
    const own = models?.get(model);
    if (own !== undefined || models === undefined) return own;
    for (const name of listedNames(model)) {
      const offer = models.get(name);
      if (offer !== undefined) return offer;
    }
    return undefined;
  }

  all(): Iterable<ChannelView> {
    return this.#channels.values();
  }
}

interface Edit {
  /** Enabled abilities to take out. */
  readonly gone: AbilityView[];
  /** Enabled abilities to put in. */
  readonly added: AbilityView[];
  /** Change of the number of channels of any status. */
  total: number;
}

/** What a set of channel changes does to each (group, model), collected first so that every list is rebuilt once. */
class Edits {
  readonly #byGroup = new Map<string, Map<string, Edit>>();

  remove(channel: ChannelView): void {
    const ability = abilityOf(channel);
    this.#each(channel, (edit, name) => {
      if (ability && !channel.disabledModels.has(name)) edit.gone.push(ability);
      edit.total -= 1;
    });
  }

  add(channel: ChannelView): void {
    const ability = abilityOf(channel);
    this.#each(channel, (edit, name) => {
      if (ability && !channel.disabledModels.has(name)) edit.added.push(ability);
      edit.total += 1;
    });
  }

  applyTo(offers: Offers): Offers {
    const groups = new Map(offers);
    for (const [group, edits] of this.#byGroup) {
      const models = new Map(groups.get(group));
      for (const [model, edit] of edits) {
        const next = applyEdit(models.get(model), edit);
        if (next.total > 0) models.set(model, next);
        else models.delete(model);
      }
      if (models.size > 0) groups.set(group, models);
      else groups.delete(group);
    }
    return groups;
  }

  #each(channel: ChannelView, change: (edit: Edit, bareName: string) => void): void {
    const prefix = channel.record.modelPrefix ?? '';
    for (const group of channel.groups) {
      let models = this.#byGroup.get(group);
      if (!models) {
        models = new Map();
        this.#byGroup.set(group, models);
      }
      for (const name of channel.models) {
        const model = prefix + name;
        let edit = models.get(model);
        if (!edit) {
          edit = { gone: [], added: [], total: 0 };
          models.set(model, edit);
        }
        change(edit, name);
      }
    }
  }
}

/** The routing facts of an enabled channel; undefined for any other. */
function abilityOf(channel: ChannelView): AbilityView | undefined {
  const { status, priority, weight } = channel.record;
  return status === 1 ? { channel, priority: priority ?? 0, weight: weight ?? 0 } : undefined;
}

/** Up to this many changes are spliced into a list; more of them are sorted in. */
const fewChanges = 8;

function applyEdit(offer: Offer | undefined, edit: Edit): Offer {
  const before = offer?.enabled ?? nobody;
  const total = (offer?.total ?? 0) + edit.total;
  if (edit.gone.length + edit.added.length <= fewChanges) return { enabled: splice(before, edit), total };
  const gone = new Set(edit.gone.map((ability) => ability.channel.record.id));
  const kept = before.filter((ability) => !gone.has(ability.channel.record.id));
  return { enabled: [...kept, ...edit.added].sort(byPriorityThenId), total };
}

function splice(before: readonly AbilityView[], edit: Edit): readonly AbilityView[] {
  const list = before.slice();
  for (const ability of edit.gone) list.splice(placeOf(ability, list), 1);
  for (const ability of edit.added) list.splice(placeOf(ability, list), 0, ability);
  return list;
}

/** Where the ability stands in the ordered list, or where it belongs. */
function placeOf(ability: AbilityView, list: readonly AbilityView[]): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = list[middle];
    if (other && byPriorityThenId(other, ability) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function byPriorityThenId(a: AbilityView, b: AbilityView): number {
  return b.priority - a.priority || a.channel.record.id - b.channel.record.id;
}

/** Model names: the built-in ones by channel type, and those that enabled channels offer. */
import type { ChannelIndex } from '../snapshots/channel-index.ts';

/** A vendor as far as lists of models need it; `relay/providers` has such entries. */
export interface ModelVendor {
  readonly channelType: number;
  /** Word for `owned_by`. */
  readonly owner: string;
  /** Known model names. */
  readonly models: readonly string[];
}

/** A built-in model with the vendor that is listed first for it. */
export interface BuiltInModel {
  readonly name: string;
  readonly owner: string;
}

export class ModelCatalog {
  readonly #vendors: readonly ModelVendor[];

  /** @param vendors in the order in which a name that several offer gets its owner */
  constructor(vendors: readonly ModelVendor[]) {
    this.#vendors = vendors;
  }

  /** All built-in names, each once. */
  all(): BuiltInModel[] {
    const owners = new Map<string, string>();
    for (const { owner, models } of this.#vendors) {
      for (const name of models) if (!owners.has(name)) owners.set(name, owner);
    }
    return [...owners].map(([name, owner]) => ({ name, owner }));
  }

  /** Built-in names by channel type. */
  byChannelType(): ReadonlyMap<number, readonly string[]> {
    return new Map(this.#vendors.map(({ channelType, models }) => [channelType, models]));
  }

  /** Who owns a model of a channel type: `custom` when the type is unknown. */
  ownerOf(channelType: number): string {
    return this.#vendors.find((vendor) => vendor.channelType === channelType)?.owner ?? 'custom';
  }
}

/** Bare names of the models of enabled channels, sorted: what needs a price. */
export function enabledModels(channels: ChannelIndex): string[] {
  const names = new Set<string>();
  for (const channel of channels.all()) {
    if (channel.record.status === 1) for (const model of channel.models) names.add(model);
  }
  return [...names].sort();
}

/** Changing prices: figures of several models in one transaction, from the price maps of that moment. */
import type { OptionsView, OptionValues, PriceMap } from '../contract/options.ts';
import { type PriceMapKey, priceMaps } from '../contract/price-options.ts';
import { TollgateError } from '../errors.ts';
import type { Snapshot } from '../snapshots/snapshots.ts';
import type { Page, Window } from '../store/paging.ts';
import type { Actor } from './actor.ts';
import type { OptionService } from './options.ts';
import type { PricePageDeps } from './price-page.ts';
import { type Price, priceBookOf } from './pricing.ts';

/** New figures by map; null removes an entry, what is absent stays, but for what the other kind of price ends. */
export type PriceEdit = { readonly [Key in PriceMapKey]?: number | null | undefined };

/** A model's own entries by map; undefined where it has none. */
export type PriceEntries = { readonly [Key in PriceMapKey]: number | undefined };

export interface PricedName {
  readonly name: string;
  readonly isEnabled: boolean;
  /** Enabled channels on which it is not switched off. */
  readonly channels: number;
  /** Groups to which those offer it, sorted. */
  readonly groups: readonly string[];
  /** Undefined: calls are refused. */
  readonly price: Price | undefined;
  readonly entries: PriceEntries;
}

export interface PriceChange {
  readonly name: string;
  readonly map: PriceMapKey;
  readonly before: number | undefined;
  readonly after: number | undefined;
}

export interface PriceListFilter {
  readonly keyword?: string | undefined;
  readonly which: 'all' | 'enabled' | 'unset';
  /** Only models of this channel, enabled or not. */
  readonly channelId?: number | undefined;
}

export interface PriceEditServiceDeps {
  readonly options: Pick<OptionService, 'edit'>;
  readonly view: () => Snapshot;
  readonly namesOn: PricePageDeps['namesOn'];
}

const mostModels = 5000;

export class PriceEditService {
  readonly #deps: PriceEditServiceDeps;

  constructor(deps: PriceEditServiceDeps) {
    this.#deps = deps;
  }

  /** Models that have a price of their own or are offered by an enabled channel, by name. */
  list(filter: PriceListFilter, window: Window): Page<PricedName> {
    const view = this.#deps.view();
    const offered = this.#offered(view);
    const names = namesOf(view, { offered: offered.keys(), channelId: filter.channelId });
    const keyword = filter.keyword?.toLowerCase() ?? '';
    const matching = names.filter(
      (name) => (filter.which === 'all' || offered.has(name)) && name.toLowerCase().includes(keyword),
    );
    const found = filter.which === 'unset' ? matching.filter((name) => !offered.get(name)?.price) : matching;
    // Only those of the page are priced: a table may have tens of thousands of rows, and their prices are kept.
    const items = found.slice(window.offset, window.offset + window.limit).map((name) => {
      const offer = offered.get(name);
      return {
        name,
        isEnabled: offer !== undefined,
        channels: offer?.channels ?? 0,
        groups: [...(offer?.groups ?? [])].sort(),
        price: offer === undefined ? priceOf(view.options, { client: name, bare: name }) : offer.price,
        entries: entriesOf(view.options, name),
      };
    });
    return { items, total: found.length };
  }

  /**
   * Changes figures of models, all or none; returns those that are different now. Throws `price_kind_flip` where a model
   * would change between a price by token and one by call without that being wished, `option_invalid`, `invalid_params`.
   */
  async set(
    actor: Actor,
    edits: Readonly<Record<string, PriceEdit>>,
    how: { readonly kinds: 'keep' | 'change'; readonly note: string },
  ): Promise<PriceChange[]> {
    const models = Object.entries(edits);
    if (models.length === 0 || models.length > mostModels) {
      throw new TollgateError('invalid_params', {}, { field: 'models' });
    }
    let changes: PriceChange[] = [];
    const version = { cause: 'edit', note: how.note } as const;
    await this.#deps.options.edit(actor, priceMaps, {
      version,
      change: (now) => {
        const { kinds } = how;
        changes = models.flatMap(([name, edit]) => changesOf(name, settled(edit, { name, now, kinds }), now));
        return changedMaps(changes, now);
      },
    });
    return changes;
  }

  /** Offered models by their bare names. */
  #offered(view: Snapshot): Map<string, Offer> {
    const offered = new Map<string, Offer>();
    for (const channel of view.channels.all()) {
      if (channel.record.status !== 1) continue;
      for (const bare of channel.models) {
        const client = `${channel.record.modelPrefix ?? ''}${bare}`;
        const price = priceOf(view.options, { client, bare, ...this.#deps.namesOn(channel, client) });
        const offer = offered.get(bare) ?? { price, channels: 0, groups: new Set() };
        offered.set(bare, offer);
        if (price === undefined) offer.price = undefined;
        if (channel.disabledModels.has(bare)) continue;
        offer.channels += 1;
        for (const group of channel.groups) offer.groups.add(group);
      }
    }
    return offered;
  }
}

interface Offer {
  /** Undefined where one of its channels has no price for it. */
  price: Price | undefined;
  channels: number;
  readonly groups: Set<string>;
}

function priceOf(
  options: OptionsView,
  names: Parameters<ReturnType<typeof priceBookOf>['find']>[0],
): Price | undefined {
  return priceBookOf(options).find(names, { unpriced: false });
}

/** Names that a list is about, in order: those of a channel, else all that are offered or have a price of their own. */
function namesOf(
  { channels, options }: Snapshot,
  { offered, channelId }: { offered: Iterable<string>; channelId: number | undefined },
): string[] {
  const own = () => priceMaps.flatMap((map) => Object.keys(options.get(map)));
  const names = channelId === undefined ? [...offered, ...own()] : (channels.get(channelId)?.models ?? []);
  return [...new Set(names)].sort();
}

function figureOf(map: PriceMap, name: string): number | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

function entriesOf(options: OptionsView, name: string): PriceEntries {
  return {
    ModelRatio: figureOf(options.get('ModelRatio'), name),
    CompletionRatio: figureOf(options.get('CompletionRatio'), name),
    CacheRatio: figureOf(options.get('CacheRatio'), name),
    CacheCreationRatio: figureOf(options.get('CacheCreationRatio'), name),
    AudioRatio: figureOf(options.get('AudioRatio'), name),
    AudioCompletionRatio: figureOf(options.get('AudioCompletionRatio'), name),
    ImageRatio: figureOf(options.get('ImageRatio'), name),
    ImageCompletionRatio: figureOf(options.get('ImageCompletionRatio'), name),
    ModelPrice: figureOf(options.get('ModelPrice'), name),
  };
}

/** The edit with what follows from it: a price by call stands above every ratio, so it ends them, and a new one ends it. */
function settled(
  edit: PriceEdit,
  { name, now, kinds }: { name: string; now: OptionsView; kinds: 'keep' | 'change' },
): PriceEdit {
  const hasPrice = figureOf(now.get('ModelPrice'), name) !== undefined;
  const hasRatio = figureOf(now.get('ModelRatio'), name) !== undefined;
  const toToken = hasPrice && isNumber(edit.ModelRatio) && !isNumber(edit.ModelPrice);
  const toCall = !hasPrice && hasRatio && edit.ModelRatio !== null && isNumber(edit.ModelPrice);
  if ((toToken || toCall) && kinds === 'keep') throw new TollgateError('price_kind_flip', { model: name });
  if (toToken) return { ...edit, ModelPrice: null };
  return isNumber(edit.ModelPrice) ? Object.fromEntries(priceMaps.map((map) => [map, edit[map] ?? null])) : edit;
}

function isNumber(value: number | null | undefined): value is number {
  return typeof value === 'number';
}

/** The maps that these changes make different, as they become. */
export function changedMaps(changes: readonly PriceChange[], now: OptionsView): OptionValues {
  return Object.fromEntries(
    priceMaps.flatMap((map) => {
      const own = changes.filter((change) => change.map === map);
      return own.length === 0 ? [] : [[map, applied(now.get(map), own)]];
    }),
  );
}

/** What of an edit is different from the entries of now. */
export function changesOf(name: string, edit: PriceEdit, now: OptionsView): PriceChange[] {
  return priceMaps.flatMap((map) => {
    const wished = edit[map];
    const before = figureOf(now.get(map), name);
    const after = wished ?? undefined;
    return wished === undefined || after === before ? [] : [{ name, map, before, after }];
  });
}

function applied(map: PriceMap, changes: readonly PriceChange[]): PriceMap {
  const next = new Map(Object.entries(map));
  for (const { name, after } of changes) {
    if (after === undefined) next.delete(name);
    else next.set(name, after);
  }
  return Object.fromEntries(next);
}

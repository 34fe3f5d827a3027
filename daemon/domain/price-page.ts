/** What models cost, as a caller may see it (management-api.md 3.17): the same prices that calls are billed by. */
import type { Language } from '../contract/error-codes.ts';
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { ChannelView } from '../snapshots/channel-view.ts';
import type { Snapshot } from '../snapshots/snapshots.ts';
import { usableGroups } from './groups.ts';
import type { ModelCatalog } from './models.ts';
import { type Price, type PriceNames, priceBookOf } from './pricing.ts';
import { rateTableOf } from './rate-rules.ts';

export interface PricePageDeps {
  readonly view: () => Snapshot;
  readonly catalog: ModelCatalog;
  /** The names that a channel gives a client's model name; undefined where its mapping is broken. */
  readonly namesOn: (channel: ChannelView, client: string) => Pick<PriceNames, 'bare' | 'upstream'> | undefined;
  /** What a model may be asked for on a channel of this type, by its name. */
  readonly capabilitiesOf: (channelType: number, model: string) => readonly string[];
}

/** A model with its price, as clients name it. */
export interface PricedModel {
  readonly name: string;
  readonly price: Price;
  /** Vendor word of the first channel that offers it. */
  readonly owner: string;
  /** Groups of the caller that offer it. */
  readonly groups: readonly string[];
  /** What it may be asked for, on all its channels together. */
  readonly endpoints: readonly string[];
  /** Prompt tokens that its channels take at most; 0 while no channel says. */
  readonly contextSize: number;
}

export interface PricePage {
  readonly models: readonly PricedModel[];
  readonly groupRatio: Readonly<Record<string, number>>;
  readonly usableGroup: Readonly<Record<string, string>>;
}

/** What somebody pays for a model, where a rule of rates says it. */
export type RateOf = (model: string) => number | undefined;

/** Ratio maps as they stand in the options. */
export interface RatioMaps {
  readonly modelRatio: Readonly<Record<string, number>>;
  readonly completionRatio: Readonly<Record<string, number>>;
  readonly cacheRatio: Readonly<Record<string, number>>;
  readonly cacheCreationRatio: Readonly<Record<string, number>>;
  readonly modelPrice: Readonly<Record<string, number>>;
}

/** Group of a caller whom nobody knows. */
const anonymousGroup = 'default';
const mostPages = 500;

export class PricePageService {
  readonly #deps: PricePageDeps;
  /** Pages of one snapshot, by user group and language. */
  #pages: { readonly view: Snapshot; readonly byCaller: Map<string, PricePage> } | undefined;

  constructor(deps: PricePageDeps) {
    this.#deps = deps;
  }

  /** @param userGroup undefined for anonymous callers, who see group `default` alone */
  page(userGroup: string | undefined, language: Language): PricePage {
    const view = this.#deps.view();
    if (this.#pages?.view !== view || this.#pages.byCaller.size >= mostPages) {
      this.#pages = { view, byCaller: new Map() };
    }
    const caller = `${userGroup ?? ''}\n${language}`;
    const known = this.#pages.byCaller.get(caller);
    if (known) return known;
    const page = this.#build(view, userGroup, language);
    this.#pages.byCaller.set(caller, page);
    return page;
  }

  /**
   * What a caller pays for a model in the place of every group's ratio, by the rate rules of calls without a key;
   * undefined where none fits, and where there are no rules at all.
   * @param caller undefined for anonymous callers, who see what group `default` pays
   */
  ratesOf(caller: { readonly userId: number; readonly group: string } | undefined): RateOf | undefined {
    const { rateRules } = this.#deps.view();
    if (rateRules === undefined) return undefined;
    const table = rateTableOf(rateRules);
    const { userId, group } = caller ?? { userId: 0, group: anonymousGroup };
    return (model) => table.find({ tokenId: undefined, userId, userGroup: group, model })?.ratio;
  }

  /** Throws `ratio_hidden` unless the operator opened it. */
  ratios(): RatioMaps {
    const { options } = this.#deps.view();
    if (!options.get('ExposeRatioEnabled')) throw new TollgateError('ratio_hidden');
    return {
      modelRatio: options.get('ModelRatio'),
      completionRatio: options.get('CompletionRatio'),
      cacheRatio: options.get('CacheRatio'),
      cacheCreationRatio: options.get('CacheCreationRatio'),
      modelPrice: options.get('ModelPrice'),
    };
  }

  #build(view: Snapshot, userGroup: string | undefined, language: Language): PricePage {
    const groups = visibleGroups(view.options, userGroup, language);
    const offeredBy = new Map<string, string[]>();
    for (const group of groups.keys()) {
      for (const name of view.channels.modelsOf(group)) {
        const known = offeredBy.get(name);
        if (known) known.push(group);
        else offeredBy.set(name, [group]);
      }
    }
    const names = [...offeredBy.keys()].sort();
    return {
      models: names.flatMap((name) => this.#priced(view, name, offeredBy.get(name) ?? [])),
      groupRatio: ratiosOf(view.options, userGroup, [...groups.keys()]),
      usableGroup: Object.fromEntries(groups),
    };
  }

  /** A model that nobody may call because it has no price is left out. */
  #priced(view: Snapshot, name: string, groups: readonly string[]): PricedModel[] {
    const [group = ''] = groups;
    const channel = view.channels.candidates(group, name)[0]?.channel;
    if (!channel) return [];
    const names = this.#deps.namesOn(channel, name) ?? { bare: name };
    const unpriced = view.options.get('SelfUseModeEnabled');
    const price = priceBookOf(view.options).find({ client: name, ...names }, { unpriced });
    if (!price) return [];
    const owner = this.#deps.catalog.ownerOf(channel.record.type);
    return [{ name, price, owner, groups, ...this.#abilities(view, name, groups) }];
  }

  #abilities(view: Snapshot, name: string, groups: readonly string[]): Pick<PricedModel, 'endpoints' | 'contextSize'> {
    const records = new Set(
      groups.flatMap((group) => view.channels.candidates(group, name).map(({ channel }) => channel.record)),
    );
    const endpoints = new Set([...records].flatMap(({ type }) => this.#deps.capabilitiesOf(type, name)));
    const contextSize = Math.max(0, ...[...records].map(({ maxInputTokens }) => maxInputTokens ?? 0));
    return { endpoints: [...endpoints], contextSize };
  }
}

function visibleGroups(options: OptionsView, userGroup: string | undefined, language: Language) {
  const usable = usableGroups(userGroup ?? anonymousGroup, options, language);
  if (userGroup !== undefined) return usable;
  return new Map([...usable].filter(([name]) => name === anonymousGroup));
}

/** The factor that this caller pays in each group; groups without one show 1, as they are billed. */
function ratiosOf(options: OptionsView, userGroup: string | undefined, groups: readonly string[]) {
  const book = priceBookOf(options);
  const entries = groups.map((group) => [group, book.groupRatio(userGroup ?? anonymousGroup, group).ratio]);
  return Object.fromEntries(entries);
}

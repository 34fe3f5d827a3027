/** All prices of one options snapshot: finds the price of a model and the ratio of a group (relay.md 15.2, 15.3). */
import type { CompletionRatioRule, LongContextTier } from '../contract/options.ts';
import { Decimal } from './decimal.ts';
import type { FixedPriceRules, PriceTables } from './price-file.ts';
import { ImagePriceList, own } from './price-images.ts';
import { TokenRates, type TokenRatios } from './price-rates.ts';
import { NameRule } from './price-rules.ts';
import { ToolPriceList } from './price-tools.ts';

/** The names one call goes by; each may carry a price. */
export interface PriceNames {
  /** As the client wrote it, channel prefix included. */
  readonly client: string;
  /** Without the channel prefix. */
  readonly bare: string;
  /** After model mapping; undefined while no channel is chosen. */
  readonly upstream?: string | undefined;
}

/** What every price of one book shares. */
export interface PriceSite {
  /** Quota of one USD. */
  readonly quotaPerUnit: Decimal;
  /** Least number of prompt tokens a hold covers. */
  readonly preConsumedQuota: number;
  readonly images: ImagePriceList;
  readonly tools: ToolPriceList;
}

interface PriceFields {
  /** The name that carried the price; ratios, tiers and tool prices are looked up under it. */
  readonly billingModel: string;
  readonly site: PriceSite;
}

/** So much a call, or an image, or a search; ratios do not apply. */
export interface FixedPrice extends PriceFields {
  readonly mode: 'fixed';
  /** USD a call. */
  readonly price: number;
  readonly exact: Decimal;
  readonly unpriced: false;
}

/** So much a token, by kind of token. */
export interface TokenPrice extends PriceFields {
  readonly mode: 'token';
  readonly rates: TokenRates;
  /** In the order of the option; the last one that matches replaces `rates`. */
  readonly tiers: readonly { readonly tier: LongContextTier; readonly rates: TokenRates }[];
  /** True when the model has no price and the fallback ratio was taken (self-use, or the user's own wish). */
  readonly unpriced: boolean;
}

/** The price of one model: immutable, so that hold and charge of a request agree. */
export type Price = FixedPrice | TokenPrice;

/** The factor of a group, with what led to it. */
export interface GroupRatio {
  readonly ratio: number;
  readonly exact: Decimal;
  /** Set when the user's own group overrides the ratio of the group in use. */
  readonly userGroupRatio?: number;
  /** The group has no ratio; 1 is taken and the caller warns. */
  readonly missing: boolean;
}

export interface PriceBookOptions {
  readonly tables: PriceTables;
  readonly rules: FixedPriceRules;
  /** Option `QuotaPerUnit`. */
  readonly quotaPerUnit: number;
  /** Option `PreConsumedQuota`. */
  readonly preConsumedQuota: number;
}

/** Found prices are kept; names come from clients, so their number is bounded. */
const MAX_REMEMBERED = 20_000;

export class PriceBook {
  readonly #tables: PriceTables;
  readonly #rules: FixedPriceRules;
  readonly #completionRules: readonly { readonly rule: NameRule; readonly entry: CompletionRatioRule }[];
  readonly #site: PriceSite;
  readonly #found = new Map<string, Price | 'none'>();
  readonly #groups = new Map<string, GroupRatio>();

  constructor(options: PriceBookOptions) {
    const { tables, rules } = options;
    this.#tables = tables;
    this.#rules = rules;
    this.#completionRules = tables.completionRatioRules.map((entry) => ({ rule: new NameRule(entry), entry }));
    this.#site = {
      quotaPerUnit: Decimal.of(options.quotaPerUnit),
      preConsumedQuota: options.preConsumedQuota,
      images: new ImagePriceList(tables.imagePriceTable, rules),
      tools: new ToolPriceList(tables.toolPrice),
    };
  }

  /** The price under the first name that has one; undefined when none has and models without a price are refused. */
  find(names: PriceNames, allow: { readonly unpriced: boolean }): Price | undefined {
    const key = `${names.client}\n${names.bare}\n${names.upstream ?? ''}`;
    let price = this.#found.get(key);
    if (price === undefined) {
      price = this.#search(names) ?? 'none';
      remember(this.#found, key, price);
    }
    if (price !== 'none') return price;
    return allow.unpriced ? this.#unpriced(names.bare) : undefined;
  }

  /** The factor for a user of `userGroup` who calls in `usingGroup`. */
  groupRatio(userGroup: string, usingGroup: string): GroupRatio {
    const key = `${userGroup}\n${usingGroup}`;
    const known = this.#groups.get(key);
    if (known) return known;
    const override = own(own(this.#tables.groupGroupRatio, userGroup) ?? {}, usingGroup);
    const listed = own(this.#tables.groupRatio, usingGroup);
    const ratio = override ?? listed ?? 1;
    const found: GroupRatio = {
      ratio,
      exact: Decimal.of(ratio),
      missing: override === undefined && listed === undefined,
      ...(override === undefined ? {} : { userGroupRatio: override }),
    };
    remember(this.#groups, key, found);
    return found;
  }

  #search(names: PriceNames): Price | undefined {
    for (const name of this.#candidates(names)) {
      const price = own(this.#tables.modelPrice, name);
      if (price !== undefined) {
        const exact = Decimal.of(price);
        return { mode: 'fixed', billingModel: name, price, exact, unpriced: false, site: this.#site };
      }
      const ratio = own(this.#tables.modelRatio, name);
      if (ratio !== undefined) return this.#tokenPrice(name, ratio, false);
    }
    return undefined;
  }

  #candidates(names: PriceNames): string[] {
    const candidates = [names.client, names.bare, ...this.#normalised(names.bare)];
    if (names.upstream !== undefined) candidates.push(names.upstream);
    return candidates;
  }

  #normalised(name: string): string[] {
    const derived: string[] = [];
    for (const step of this.#rules.normalisations) {
      if (step.kind === 'rewrite') {
        const rewritten = step.rule.rewrite(name, step.to);
        if (rewritten !== undefined) derived.push(rewritten);
      } else if (step.onlyFor.matches(name)) {
        const suffix = step.suffixes.find((ending) => name.endsWith(ending));
        if (suffix !== undefined) derived.push(name.slice(0, -suffix.length));
      }
    }
    return derived;
  }

  #unpriced(name: string): TokenPrice {
    const key = `\n${name}`;
    const known = this.#found.get(key);
    if (known !== undefined && known !== 'none' && known.mode === 'token') return known;
    const price = this.#tokenPrice(name, this.#rules.unsetModelRatio, true);
    remember(this.#found, key, price);
    return price;
  }

  #tokenPrice(name: string, model: number, unpriced: boolean): TokenPrice {
    const cacheRule = this.#rules.cacheRules.find(({ rule }) => rule.matches(name));
    const base = {
      model,
      completion: own(this.#tables.completionRatio, name) ?? this.#completionByRule(name),
      cache: own(this.#tables.cacheRatio, name) ?? cacheRule?.cacheRatio ?? 1,
      cacheCreation:
        own(this.#tables.cacheCreationRatio, name) ??
        cacheRule?.cacheCreationRatio ??
        this.#rules.defaultCacheCreationRatio,
    };
    const tiers = (own(this.#tables.longContextTiers, name) ?? []).map((tier) => ({
      tier,
      rates: this.#rates(name, {
        model: tier.model_ratio,
        completion: tier.completion_ratio,
        cache: tier.cache_ratio ?? base.cache,
        cacheCreation: tier.cache_creation_ratio ?? base.cacheCreation,
      }),
    }));
    return { mode: 'token', billingModel: name, rates: this.#rates(name, base), tiers, unpriced, site: this.#site };
  }

  /** Adds the ratios that tiers leave alone; two of them default to what the completion ratio is. */
  #rates(name: string, base: Pick<TokenRatios, 'model' | 'completion' | 'cache' | 'cacheCreation'>): TokenRates {
    const audio = own(this.#tables.audioRatio, name);
    // Without an audio entry its ratio is 1, so the completion ratio alone makes untagged audio cost as text.
    const audioCompletion = own(this.#tables.audioCompletionRatio, name) ?? (audio === undefined ? base.completion : 1);
    return new TokenRates(
      {
        ...base,
        audio: audio ?? 1,
        audioCompletion,
        image: own(this.#tables.imageRatio, name) ?? 1,
        imageCompletion: own(this.#tables.imageCompletionRatio, name) ?? base.completion,
      },
      this.#rules.cacheCreation1hFactor,
    );
  }

  #completionByRule(name: string): number {
    return this.#completionRules.find(({ rule }) => rule.matches(name))?.entry.ratio ?? 1;
  }
}

function remember<T>(memory: Map<string, T>, key: string, value: T): void {
  if (memory.size >= MAX_REMEMBERED) memory.clear();
  memory.set(key, value);
}

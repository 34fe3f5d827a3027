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
  /** Put to a name, it makes the one that calls of this kind may have a price of their own under. Undefined: none. */
  readonly ending?: string | undefined;
}

/** What every price of one book shares. */
export interface PriceSite {
  /** Quota of one USD. */
  readonly quotaPerUnit: Decimal;
  /** Least number of prompt tokens a hold covers. */
  readonly preConsumedQuota: number;
  readonly images: ImagePriceList;
  readonly tools: ToolPriceList;
  /** The change of prices that made them; undefined where none is known. */
  readonly version: number | undefined;
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

/** The factor of a group, or of the rate rule in its place, with what led to it. */
export interface GroupRatio {
  readonly ratio: number;
  readonly exact: Decimal;
  /** Set when the user's own group overrides the ratio of the group in use. */
  readonly userGroupRatio?: number;
  /** The rate rule that replaces the ratio of whatever group serves, as logs name it. */
  readonly rateRule?: string;
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
  readonly version?: number | undefined;
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
      version: options.version,
    };
  }

  /** The price under the first name that has one; undefined when none has and models without a price are refused. */
  find(names: PriceNames, allow: { readonly unpriced: boolean }): Price | undefined {
    const key = `${names.client}\n${names.bare}\n${names.upstream ?? ''}\n${names.ending ?? ''}`;
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

  /** What a call costs that nobody pays for, under whatever name. */
  free(name: string): FixedPrice {
    const exact = Decimal.of(0);
    return { mode: 'fixed', billingModel: name, price: 0, exact, unpriced: false, site: this.#site };
  }

  #search({ client, bare, upstream, ending }: PriceNames): Price | undefined {
    const known = [client, bare, ...this.#normalised(bare)];
    const plain = upstream === undefined ? known : [...known, upstream];
    if (ending === undefined) return this.#first(plain);
    // What a name has, under its ending or without, goes before all that the name behind it has.
    return (
      this.#first([...known.map((name) => name + ending), `*${ending}`], plain) ??
      this.#first(known) ??
      (upstream === undefined ? undefined : (this.#first([upstream + ending], plain) ?? this.#first([upstream])))
    );
  }

  /**
   * The price under the first of these names that has one.
   * @param plain names whose further ratios apply as far as that name has none
   */
  #first(names: readonly string[], plain: readonly string[] = []): Price | undefined {
    for (const name of names) {
      const price = own(this.#tables.modelPrice, name);
      if (price !== undefined) {
        const exact = Decimal.of(price);
        return { mode: 'fixed', billingModel: name, price, exact, unpriced: false, site: this.#site };
      }
      const ratio = own(this.#tables.modelRatio, name);
      if (ratio !== undefined) return this.#tokenPrice([name, ...plain], { model: ratio, unpriced: false });
    }
    return undefined;
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
    const price = this.#tokenPrice([name], { model: this.#rules.unsetModelRatio, unpriced: true });
    remember(this.#found, key, price);
    return price;
  }

  /** @param names the one that carries the price, and those whose ratios apply as far as it has none */
  #tokenPrice(
    names: readonly [string, ...string[]],
    { model, unpriced }: { readonly model: number; readonly unpriced: boolean },
  ): TokenPrice {
    const [name, ...plain] = names;
    // Rules tell families of models by their names, which an ending would hide.
    const ruled = plain.length > 0 ? plain : names;
    const cacheRule = firstOf(ruled, (one) => this.#rules.cacheRules.find(({ rule }) => rule.matches(one)));
    const base = {
      model,
      completion: ownOfAny(this.#tables.completionRatio, names) ?? firstOf(ruled, (one) => this.#byRule(one)) ?? 1,
      cache: ownOfAny(this.#tables.cacheRatio, names) ?? cacheRule?.cacheRatio ?? 1,
      cacheCreation:
        ownOfAny(this.#tables.cacheCreationRatio, names) ??
        cacheRule?.cacheCreationRatio ??
        this.#rules.defaultCacheCreationRatio,
    };
    // A tier replaces the model's ratio too, so it is the priced name's own or none.
    const tiers = (own(this.#tables.longContextTiers, name) ?? []).map((tier) => ({
      tier,
      rates: this.#rates(names, {
        model: tier.model_ratio,
        completion: tier.completion_ratio,
        cache: tier.cache_ratio ?? base.cache,
        cacheCreation: tier.cache_creation_ratio ?? base.cacheCreation,
      }),
    }));
    return { mode: 'token', billingModel: name, rates: this.#rates(names, base), tiers, unpriced, site: this.#site };
  }

  /** Adds the ratios that tiers leave alone; two of them default to what the completion ratio is. */
  #rates(
    names: readonly string[],
    base: Pick<TokenRatios, 'model' | 'completion' | 'cache' | 'cacheCreation'>,
  ): TokenRates {
    const audio = ownOfAny(this.#tables.audioRatio, names);
    // Without an audio entry its ratio is 1, so the completion ratio alone makes untagged audio cost as text.
    const audioCompletion =
      ownOfAny(this.#tables.audioCompletionRatio, names) ?? (audio === undefined ? base.completion : 1);
    return new TokenRates(
      {
        ...base,
        audio: audio ?? 1,
        audioCompletion,
        image: ownOfAny(this.#tables.imageRatio, names) ?? 1,
        imageCompletion: ownOfAny(this.#tables.imageCompletionRatio, names) ?? base.completion,
      },
      this.#rules.cacheCreation1hFactor,
    );
  }

  #byRule(name: string): number | undefined {
    return this.#completionRules.find(({ rule }) => rule.matches(name))?.entry.ratio;
  }
}

function ownOfAny(table: Readonly<Record<string, number>>, names: readonly string[]): number | undefined {
  return firstOf(names, (name) => own(table, name));
}

function firstOf<T>(names: readonly string[], find: (name: string) => T | undefined): T | undefined {
  for (const name of names) {
    const found = find(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function remember<T>(memory: Map<string, T>, key: string, value: T): void {
  if (memory.size >= MAX_REMEMBERED) memory.clear();
  memory.set(key, value);
}

/** The shipped price data (`model-prices.json`): defaults of the price options, and the tables no option replaces. */
import type { CompletionRatioRule, ImagePriceTable, LongContextTier, PriceMap } from '../contract/options.ts';
import raw from './model-prices.json' with { type: 'json' };
import { NameRule, type NameRuleEntry } from './price-rules.ts';

/** Everything that the price options hold (relay.md 15.1). */
export interface PriceTables {
  readonly modelRatio: PriceMap;
  readonly completionRatio: PriceMap;
  readonly cacheRatio: PriceMap;
  readonly cacheCreationRatio: PriceMap;
  readonly modelPrice: PriceMap;
  readonly audioRatio: PriceMap;
  readonly audioCompletionRatio: PriceMap;
  readonly imageRatio: PriceMap;
  readonly imageCompletionRatio: PriceMap;
  readonly groupRatio: PriceMap;
  /** User group -> using group -> ratio. */
  readonly groupGroupRatio: Readonly<Record<string, PriceMap>>;
  readonly completionRatioRules: readonly CompletionRatioRule[];
  readonly longContextTiers: Readonly<Record<string, readonly LongContextTier[]>>;
  /** `tool` or `tool:<prefix>*` -> USD per 1000 calls; USD a piece for names that end in `_each`. */
  readonly toolPrice: PriceMap;
  readonly imagePriceTable: ImagePriceTable;
}

/** A cache rule: ratios of the models whose name it matches. */
export interface CacheRule {
  readonly rule: NameRule;
  readonly cacheRatio: number | undefined;
  readonly cacheCreationRatio: number | undefined;
}

/** How one billing name is derived from another (relay.md 15.2): by pattern, or by cutting a known suffix. */
export type NameNormalisation =
  | { readonly kind: 'rewrite'; readonly rule: NameRule; readonly to: string }
  | { readonly kind: 'strip-suffix'; readonly suffixes: readonly string[]; readonly onlyFor: NameRule };

/** The part of the file that is fixed data. */
export interface FixedPriceRules {
  readonly cacheRules: readonly CacheRule[];
  readonly normalisations: readonly NameNormalisation[];
  /** Model -> size -> factor. */
  readonly imageSizeFactor: Readonly<Record<string, PriceMap>>;
  /** Model -> quality -> factor; `hd_non_square` replaces `hd` for sizes that are not square. */
  readonly imageQualityFactor: Readonly<Record<string, PriceMap>>;
  /** Ratio of a model without a price where such models may be used. */
  readonly unsetModelRatio: number;
  /** What writing with one hour's life costs against five minutes. */
  readonly cacheCreation1hFactor: number;
  /** Cache creation ratio of models that neither an entry nor a rule names. */
  readonly defaultCacheCreationRatio: number;
}

/** The shipped values of the price options. */
export function defaultPriceTables(): PriceTables {
  return {
    modelRatio: raw.model_ratio,
    completionRatio: raw.completion_ratio,
    cacheRatio: raw.cache_ratio,
    cacheCreationRatio: raw.cache_creation_ratio,
    modelPrice: raw.model_price,
    audioRatio: raw.audio_ratio,
    audioCompletionRatio: raw.audio_completion_ratio,
    imageRatio: raw.image_ratio,
    imageCompletionRatio: raw.image_completion_ratio,
    groupRatio: raw.group_ratio,
    groupGroupRatio: raw.group_group_ratio,
    completionRatioRules: raw.completion_ratio_rules.map(({ match, value, ratio }) => ({
      match: matchKind(match),
      value,
      ratio,
    })),
    longContextTiers: raw.long_context_tiers,
    toolPrice: numbersOf(raw.tool_price),
    imagePriceTable: raw.image_quality_size,
  };
}

/** The tables of the price file that no option replaces, with their patterns compiled. */
export function fixedPriceRules(): FixedPriceRules {
  return {
    cacheRules: raw.cache_ratio_rules.map((entry) => ({
      rule: new NameRule({ match: matchKind(entry.match), value: entry.value }),
      cacheRatio: entry.cache_ratio,
      cacheCreationRatio: entry.cache_creation_ratio,
    })),
    normalisations: raw.name_normalisation.map(toNormalisation),
    imageSizeFactor: raw.image_size_factor,
    imageQualityFactor: raw.image_quality_factor,
    unsetModelRatio: raw.unset_model_ratio,
    cacheCreation1hFactor: raw.defaults.cache_creation_1h_factor,
    defaultCacheCreationRatio: raw.defaults.cache_creation_ratio,
  };
}

function toNormalisation(entry: (typeof raw.name_normalisation)[number]): NameNormalisation {
  if (entry.match === 'strip_suffix') {
    const onlyFor = new NameRule({ match: 'regex', value: entry.only_for ?? '' });
    return { kind: 'strip-suffix', suffixes: entry.values ?? [], onlyFor };
  }
  const rule = new NameRule({ match: matchKind(entry.match), value: entry.value ?? '' });
  return { kind: 'rewrite', rule, to: entry.to ?? '' };
}

function matchKind(text: string): NameRuleEntry['match'] {
  if (text === 'exact' || text === 'prefix' || text === 'regex') return text;
  throw new RangeError(`model-prices.json: unknown match ${text}`);
}

/** Keys that start with an underscore are remarks. */
function numbersOf(table: Readonly<Record<string, number | string>>): PriceMap {
  const numbers: Record<string, number> = {};
  for (const [key, value] of Object.entries(table)) {
    if (typeof value === 'number') numbers[key] = value;
  }
  return numbers;
}

/** The options that hold prices of models: figures by model, and the tables beside them. */

/** One figure a model each. */
export const priceMaps = [
  'ModelRatio',
  'CompletionRatio',
  'CacheRatio',
  'CacheCreationRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'ImageRatio',
  'ImageCompletionRatio',
  'ModelPrice',
] as const;
export type PriceMapKey = (typeof priceMaps)[number];

/** All that versions of prices are about; the ratios of groups are none of models. */
export const priceOptions = [
  ...priceMaps,
  'CompletionRatioRules',
  'LongContextTiers',
  'ToolPrice',
  'ImagePriceTable',
] as const;
export type PriceOption = (typeof priceOptions)[number];

export function isPriceOption(key: string): key is PriceOption {
  return priceOptions.some((known) => known === key);
}

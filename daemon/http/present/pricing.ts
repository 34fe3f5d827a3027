/** Prices on the wire. */
import type { PriceView } from '../../contract/pricing.ts';
import type { PricedModel } from '../../domain/price-page.ts';

export function presentPrice({ name, price, owner, groups }: PricedModel): PriceView {
  const common = { model_name: name, owner_by: owner, enable_groups: [...groups] };
  if (price.mode === 'fixed') {
    return { ...common, quota_type: 1, model_ratio: 0, model_price: price.price, completion_ratio: 0 };
  }
  const { model, completion, cache, cacheCreation } = price.rates.ratios;
  return {
    ...common,
    quota_type: 0,
    model_ratio: model,
    model_price: 0,
    completion_ratio: completion,
    cache_ratio: cache,
    create_cache_ratio: cacheCreation,
  };
}

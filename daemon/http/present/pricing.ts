/** Prices on the wire. */
import type { LongContextTier } from '../../contract/options.ts';
import type { PriceView } from '../../contract/pricing.ts';
import type { PricedModel } from '../../domain/price-page.ts';

interface PricedFor {
  /** Share of good calls; undefined while there were none. */
  readonly health: number | undefined;
  /** What stands for the ratio of every group; undefined where no rule fits. */
  readonly rate: number | undefined;
}

export function presentPrice(model: PricedModel, { health, rate }: PricedFor): PriceView {
  const { name, price, owner, groups, endpoints, contextSize } = model;
  const common = {
    model_name: name,
    owner_by: owner,
    enable_groups: [...groups],
    endpoints: [...endpoints],
    ...(contextSize > 0 ? { context_size: contextSize } : {}),
    ...(health === undefined ? {} : { health }),
    ...(rate === undefined ? {} : { rate_ratio: rate }),
  };
  if (price.mode === 'fixed') {
    return { ...common, quota_type: 1, model_ratio: 0, model_price: price.price, completion_ratio: 0 };
  }
  const { ratios } = price.rates;
  const tiers = price.tiers.map(({ tier }) => presentTier(tier));
  return {
    ...common,
    quota_type: 0,
    model_ratio: ratios.model,
    model_price: 0,
    completion_ratio: ratios.completion,
    cache_ratio: ratios.cache,
    create_cache_ratio: ratios.cacheCreation,
    audio_ratio: ratios.audio,
    audio_completion_ratio: ratios.audioCompletion,
    image_ratio: ratios.image,
    image_completion_ratio: ratios.imageCompletion,
    ...(tiers.length > 0 ? { tiers } : {}),
  };
}

function presentTier(tier: LongContextTier) {
  const { input_over, output_over, model_ratio, completion_ratio, cache_ratio, cache_creation_ratio } = tier;
  return {
    input_over,
    ...(output_over === undefined ? {} : { output_over }),
    model_ratio,
    completion_ratio,
    ...(cache_ratio === undefined ? {} : { cache_ratio }),
    ...(cache_creation_ratio === undefined ? {} : { create_cache_ratio: cache_creation_ratio }),
  };
}

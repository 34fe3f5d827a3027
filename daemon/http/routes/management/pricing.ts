/** Routes of prices (management-api.md 3.17). */
import { contract } from '../../../contract/index.ts';
import type { PricePageService } from '../../../domain/price-page.ts';
import { implement, type Route } from '../../implement.ts';
import { presentPrice } from '../../present/pricing.ts';

export const pricingRoutes = (prices: PricePageService): Route[] => [
  implement(contract.pricing.list, ({ actor, request }) => {
    const { models, groupRatio, usableGroup } = prices.page(actor?.group, request.language);
    return {
      success: true,
      data: models.map(presentPrice),
      group_ratio: groupRatio,
      usable_group: usableGroup,
    } as const;
  }),
  implement(contract.pricing.ratios, () => {
    const maps = prices.ratios();
    return {
      model_ratio: maps.modelRatio,
      completion_ratio: maps.completionRatio,
      cache_ratio: maps.cacheRatio,
      create_cache_ratio: maps.cacheCreationRatio,
      model_price: maps.modelPrice,
    };
  }),
];

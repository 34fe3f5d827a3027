/** Routes of prices (management-api.md 3.17) and of setting them. */
import { contract } from '../../../contract/index.ts';
import type { ModelHealth } from '../../../domain/model-health.ts';
import type { PriceEditService } from '../../../domain/price-edits.ts';
import type { PricePageService } from '../../../domain/price-page.ts';
import { implement, type Route } from '../../implement.ts';
import { PriceAnswers } from '../../present/price-answers.ts';
import { presentPriceChange, presentPriceEntry, readPriceEdit } from '../../present/prices.ts';

export interface PricingRouteDeps {
  readonly prices: PricePageService;
  readonly edits: PriceEditService;
  readonly health: ModelHealth;
}

export const pricingRoutes = ({ prices, edits, health }: PricingRouteDeps, answers = new PriceAnswers()): Route[] => [
  implement(contract.pricing.list, async ({ actor, request }) => {
    const shares = await health.shares();
    return answers.of(prices.page(actor?.group, request.language), { shares, rateOf: prices.ratesOf(actor) });
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
  implement(contract.prices.list, ({ input, page }) => {
    const which = input.unset ? 'unset' : input.enabled ? 'enabled' : 'all';
    const { items, total } = edits.list({ keyword: input.keyword, which, channelId: input.channel }, page);
    return { items: items.map(presentPriceEntry), total };
  }),
  implement(contract.prices.set, async ({ actor, input }) => {
    const models = Object.entries(input.models).map(([name, edit]) => [name, readPriceEdit(edit)] as const);
    const kinds = input.change_kind === true ? 'change' : 'keep';
    const how = { kinds, note: input.note ?? '' } as const;
    return (await edits.set(actor, Object.fromEntries(models), how)).map(presentPriceChange);
  }),
];

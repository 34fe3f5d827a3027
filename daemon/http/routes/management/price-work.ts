/** Routes of price versions and of synchronising prices. */

import type { ParsedInputOf } from '../../../contract/endpoint.ts';
import { contract } from '../../../contract/index.ts';
import type { PriceHistory } from '../../../domain/price-history.ts';
import type { PriceSync, PriceSyncWish } from '../../../domain/price-sync.ts';
import { TollgateError } from '../../../errors.ts';
import { implement, type Route } from '../../implement.ts';
import { presentPriceDifference, presentPriceSync, presentPriceVersion } from '../../present/price-work.ts';

export interface PriceWorkRouteDeps {
  readonly history: PriceHistory;
  readonly sync: PriceSync;
}

export const priceWorkRoutes = ({ history, sync }: PriceWorkRouteDeps): Route[] => [
  implement(contract.priceWork.versions, async ({ page }) => {
    const { items, total } = await history.list(page);
    return { items: items.map(presentPriceVersion), total };
  }),
  implement(contract.priceWork.differences, async ({ input }) =>
    (await history.differences(input.from, input.to ?? undefined)).map(presentPriceDifference),
  ),
  implement(contract.priceWork.rollback, async ({ actor, input }) => ({
    version: (await history.rollback(actor, input.version, input.note ?? '')) ?? null,
  })),
  implement(contract.priceWork.sync, async ({ actor, input }) => {
    const wish = wishOf(input);
    if (input.dry_run === true) return presentPriceSync(await sync.plan(wish), undefined);
    const { plan, version } = await sync.apply(actor, wish);
    return presentPriceSync(plan, version);
  }),
];

/** Throws `invalid_params` where neither an address nor a list is there, or both. */
function wishOf(input: ParsedInputOf<typeof contract.priceWork.sync>): PriceSyncWish {
  const url = input.url ?? '';
  const content = input.content ?? undefined;
  if ((url === '') === (content === undefined)) throw new TollgateError('invalid_params', {}, { field: 'url' });
  return {
    from: url === '' ? { content } : { url },
    only: input.only ?? [],
    except: input.except ?? [],
    maxRise: input.max_rise ?? undefined,
    newModels: input.no_new === true ? 'skip' : 'add',
    note: input.note ?? url,
  };
}

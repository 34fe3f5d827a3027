/** Routes of price versions and of synchronising prices. */

import type { ParsedInputOf } from '../../../contract/endpoint.ts';
import { contract } from '../../../contract/index.ts';
import type { PriceHistory } from '../../../domain/price-history.ts';
import type { PriceRerate, RerateAfter } from '../../../domain/price-rerate.ts';
import type { PriceSync, PriceSyncWish } from '../../../domain/price-sync.ts';
import { TollgateError } from '../../../errors.ts';
import { implement, type Route } from '../../implement.ts';
import {
  presentPriceDifference,
  presentPriceRerate,
  presentPriceSync,
  presentPriceVersion,
} from '../../present/price-work.ts';
import { readPriceEdit } from '../../present/prices.ts';

export interface PriceWorkRouteDeps {
  readonly history: PriceHistory;
  readonly sync: PriceSync;
  readonly rerate: PriceRerate;
}

export const priceWorkRoutes = ({ history, sync, rerate }: PriceWorkRouteDeps): Route[] => [
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
  implement(contract.priceWork.rerate, async ({ actor, input }) => {
    const { start_timestamp: from, end_timestamp: until, by } = input;
    const span = { from, until, by, after: afterOf(input.after) };
    const prices = pricesOf(input);
    if (input.book !== true) return presentPriceRerate(await rerate.report(prices, span));
    if ('draft' in prices) throw new TollgateError('invalid_params', {}, { field: 'version' });
    return presentPriceRerate(await rerate.book(actor, { ...prices, note: input.note ?? '' }, span));
  }),
];

/** Throws `invalid_params` where neither a version nor a draft that says anything is there, or both. */
function pricesOf({ version, draft }: ParsedInputOf<typeof contract.priceWork.rerate>) {
  const edits = Object.entries(draft ?? {});
  if (typeof version === 'number' && edits.length === 0) return { version };
  if (typeof version === 'number' || edits.length === 0)
    throw new TollgateError('invalid_params', {}, { field: 'version' });
  return { draft: Object.fromEntries(edits.map(([name, edit]) => [name, readPriceEdit(edit)])) };
}

function afterOf(text: string | null | undefined): RerateAfter | undefined {
  if (typeof text !== 'string') return undefined;
  const [createdAt = 0, id = 0] = text.split('.').map(Number);
  return { createdAt, id };
}

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

/** Routes of redemption codes (management-api.md 3.12, 3.13). */
import { contract } from '../../../contract/index.ts';
import type { RedemptionService } from '../../../domain/redemptions.ts';
import type { RedemptionFilter } from '../../../store/redemptions.ts';
import { implement, type Route } from '../../implement.ts';
import {
  presentRedemption,
  presentRedemptionBatch,
  presentRedemptionUse,
  redemptionFile,
} from '../../present/redemptions.ts';

export const redemptionRoutes = (redemptions: RedemptionService): Route[] => [
  implement(contract.redemptions.list, async ({ input, page }) => {
    const { items, total } = await redemptions.list(filterOf(input), page);
    return { items: items.map(presentRedemption), total };
  }),
  implement(contract.redemptions.search, async ({ input, page }) => {
    const { items, total } = await redemptions.list(filterOf(input), page);
    return { items: items.map(presentRedemption), total };
  }),
  implement(contract.redemptions.batches, async ({ input, page }) => {
    const { items, total } = await redemptions.batches(input.keyword, page);
    return { items: items.map(presentRedemptionBatch), total };
  }),
  implement(contract.redemptions.export, ({ input }) => redemptionFile(redemptions.all(filterOf(input)), input.format)),
  implement(contract.redemptions.uses, async ({ input, page }) => {
    const { items, total } = await redemptions.uses(input.id, page);
    return { items: items.map(presentRedemptionUse), total };
  }),
  implement(contract.redemptions.get, async ({ input }) => presentRedemption(await redemptions.get(input.id))),
  implement(contract.redemptions.create, ({ actor, input, request }) =>
    redemptions.create(actor, input, request.requestId),
  ),
  implement(contract.redemptions.update, async ({ actor, input }) =>
    presentRedemption(
      input.status_only === undefined
        ? await redemptions.update(actor, input.id, input)
        : await redemptions.setStatus(actor, input.id, Number(input.status)),
    ),
  ),
  implement(contract.redemptions.delete, ({ actor, input }) => redemptions.delete(actor, input.id)),
  implement(contract.redemptions.disableBatch, ({ actor, input }) => redemptions.disableBatch(actor, input.ids ?? [])),
  implement(contract.redemptions.deleteDisabled, ({ actor }) => redemptions.deleteDisabled(actor)),
  implement(contract.redemptions.countByName, ({ input }) => redemptions.countByName(input.name)),
  implement(contract.redemptions.deleteByName, ({ actor, input }) => redemptions.deleteByName(actor, input.name)),
  implement(contract.redemptions.redeem, async ({ actor, input, request }) => {
    const { quota, isGift } = await redemptions.redeem(actor, input.key ?? '', request);
    return { quota, is_gift: isGift };
  }),
];

function filterOf(input: {
  readonly keyword?: string | undefined;
  readonly name?: string | undefined;
  readonly status?: number | undefined;
  readonly is_gift?: boolean | null | undefined;
}): RedemptionFilter {
  const { keyword, name, status, is_gift } = input;
  return { keyword, name, status, isGift: is_gift ?? undefined };
}

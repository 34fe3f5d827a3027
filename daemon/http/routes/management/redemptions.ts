/** Routes of redemption codes (management-api.md 3.12, 3.13). */
import { contract } from '../../../contract/index.ts';
import type { RedemptionService } from '../../../domain/redemptions.ts';
import { implement, type Route } from '../../implement.ts';
import { presentRedemption, redemptionFile } from '../../present/redemptions.ts';

export const redemptionRoutes = (redemptions: RedemptionService): Route[] => [
  implement(contract.redemptions.list, async ({ page }) => {
    const { items, total } = await redemptions.list(undefined, page);
    return { items: items.map(presentRedemption), total };
  }),
  implement(contract.redemptions.search, async ({ input, page }) => {
    const { items, total } = await redemptions.list(input.keyword ?? input.name, page);
    return { items: items.map(presentRedemption), total };
  }),
  implement(contract.redemptions.export, ({ input }) => redemptionFile(redemptions.all(input), input.format)),
  implement(contract.redemptions.get, async ({ input }) => presentRedemption(await redemptions.get(input.id))),
  implement(contract.redemptions.create, ({ actor, input, request }) =>
    redemptions.create(actor, input, request.requestId),
  ),
  implement(contract.redemptions.update, async ({ input }) =>
    presentRedemption(
      input.status_only === undefined
        ? await redemptions.update(input.id, input)
        : await redemptions.setStatus(input.id, Number(input.status)),
    ),
  ),
  implement(contract.redemptions.delete, ({ input }) => redemptions.delete(input.id)),
  implement(contract.redemptions.disableBatch, ({ input }) => redemptions.disableBatch(input.ids ?? [])),
  implement(contract.redemptions.deleteDisabled, () => redemptions.deleteDisabled()),
  implement(contract.redemptions.countByName, ({ input }) => redemptions.countByName(input.name)),
  implement(contract.redemptions.deleteByName, ({ input }) => redemptions.deleteByName(input.name)),
  implement(contract.redemptions.redeem, async ({ actor, input, request }) => {
    const { quota, isGift } = await redemptions.redeem(actor, input.key ?? '', request);
    return { quota, is_gift: isGift };
  }),
];

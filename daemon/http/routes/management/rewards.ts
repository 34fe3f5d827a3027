/** Routes of the check-in and of invites. */
import { contract } from '../../../contract/index.ts';
import type { CheckInService } from '../../../domain/check-in.ts';
import type { InviteService } from '../../../domain/invites.ts';
import { implement, type Route } from '../../implement.ts';
import { presentCheckInMonth, presentCheckInStatus } from '../../present/rewards.ts';

export interface RewardDeps {
  readonly checkIns: CheckInService;
  readonly invites: InviteService;
}

export const rewardRoutes = ({ checkIns, invites }: RewardDeps): Route[] => [
  implement(contract.rewards.checkInStatus, async ({ actor }) => presentCheckInStatus(await checkIns.status(actor))),
  implement(contract.rewards.checkIn, async ({ actor, request }) => {
    const { quotaAwarded } = await checkIns.checkIn(actor, request.requestId);
    return { quota: quotaAwarded };
  }),
  implement(contract.rewards.checkInMonth, async ({ actor, input }) =>
    presentCheckInMonth(await checkIns.month(actor, input.month)),
  ),
  implement(contract.rewards.checkInAlias, async ({ actor, request }) => {
    const { quotaAwarded, checkinDate } = await checkIns.checkIn(actor, request.requestId);
    return { quota_awarded: quotaAwarded, checkin_date: checkinDate, quota: quotaAwarded };
  }),
  implement(contract.rewards.inviteCode, ({ actor }) => invites.code(actor)),
  implement(contract.rewards.transferInviteEarnings, ({ actor, input, request }) =>
    invites.transfer(actor, input.quota, request.requestId),
  ),
];

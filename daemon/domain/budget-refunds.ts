/** What a task that failed gives back to the budgets that it was taken from, in the periods in which it was ordered. */
import { BudgetPeriod } from '../contract/budgets.ts';
import type { BudgetOwner } from '../store/budgets.ts';
import type { BudgetUse } from '../store/ledger-rows.ts';
import type { Stores } from '../store/stores.ts';
import type { BudgetPeriods } from './budget-periods.ts';

/** A charge that goes back as a whole. */
export interface ReturnedCharge {
  readonly requestId: string;
  readonly userId: number;
  /** 0 when no token paid. */
  readonly tokenId: number;
  readonly channelId: number;
  readonly amount: number;
}

/** Counts for no node, so that all of them read it. */
const REFUNDS = 'refunds';

/**
 * Goes by when the charge was held, and by what its periods have lost: a budget that was set later, but within the
 * period, gets back what it never gave, though no more than it has lost to others, or its next calls might have more
 * than its limit. Nothing once the hold is forgotten, a week after its end.
 */
export async function budgetRefunds(
  stores: Pick<Stores, 'reservations' | 'budgets'>,
  periods: BudgetPeriods,
  { requestId, userId, tokenId, channelId, amount }: ReturnedCharge,
): Promise<BudgetUse[]> {
  const hold = await stores.reservations.find(requestId);
  if (hold === undefined) return [];
  const owners: BudgetOwner[] = [{ subject: 'user', subjectId: userId }];
  if (tokenId !== 0) owners.push({ subject: 'token', subjectId: tokenId });
  if (channelId !== 0) owners.push({ subject: 'channel', subjectId: channelId });
  const startsAt = BudgetPeriod.options.map((per) => periods.at(per, hold.createdAt).startsAt);
  const sums = await stores.budgets.sums(owners, startsAt, REFUNDS);
  return sums.flatMap(({ subject, subjectId, kind, per, startsAt: begun, own, others }): BudgetUse[] => {
    if (kind === 'tokens') return [];
    const returned = Math.min(kind === 'quota' ? amount : 1, Math.max(0, own + others));
    return [{ subject, subjectId, kind, per, startsAt: begun, node: REFUNDS, amount: -returned }];
  });
}

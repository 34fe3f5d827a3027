/** What an answered call takes from the budgets of its caller and of the channel that answered (REQ-22). */
import type { BudgetBook, Budgeted, BudgetPlace, CallSums } from '../domain/budget-book.ts';
import type { Settlement } from '../domain/settlement.ts';

/** Undefined where no budget is set. */
export function budgetUses(
  book: Pick<BudgetBook, 'spentOn'>,
  call: { readonly place: BudgetPlace | undefined; readonly channel: Budgeted | undefined },
  sums: CallSums,
): Settlement['budgets'] {
  const ofChannel = call.channel === undefined ? undefined : book.spentOn(call.channel, sums);
  const ofCaller = call.place?.spent(sums);
  return ofCaller === undefined || ofChannel === undefined ? (ofCaller ?? ofChannel) : [...ofCaller, ...ofChannel];
}

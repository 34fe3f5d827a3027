/** Texts of budgets by the period, in the drawers of tokens, users and channels. */
import type { TextsLike } from '../../texts-like.ts';
import type { texts as chinese } from '../zh/budgets.ts';

export const texts: TextsLike<typeof chinese> = {
  title: 'Budgets',
  hint: 'Take effect at once. When one is spent, calls are refused or go to other channels until the next period begins; a new limit does not clear what is used.',
  none: 'No budget is set',
  own: {
    title: 'Budgets of the account',
    hint: 'Set by administrators; once one is spent, calls are refused until the next period begins.',
  },
  kind: { quota: 'Quota', tokens: 'Tokens', requests: 'Answered calls' },
  per: { hour: 'Per hour', day: 'Per day', week: 'Per week', month: 'Per month' },
  resets: 'Begins anew {time} ({zone})',
  share: '{name} used, {period}',
  field: { per: 'Period', kind: 'Kind', limit: 'Limit' },
  set: { verb: 'Set budget', wrong: 'Enter a whole number above 0' },
  remove: {
    act: 'Delete',
    title: 'Delete the budget: {name}, {period}?',
    text: 'There will be no limit; what is used stays counted until the period ends.',
    verb: 'Delete budget',
  },
};

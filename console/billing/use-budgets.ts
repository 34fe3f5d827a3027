/** Budgets of the rows of a list, in one call. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { BudgetView } from '../../daemon/contract/budgets.ts';
import { budgets } from './budget-calls.ts';

const pageSize = 500;

/**
 * By whom they hold for, as `user:3`; absent for those who have none, and while nothing is known.
 * @param subjects at most a hundred, as many as a list has rows
 */
export function useBudgets(subjects: readonly string[]): ReadonlyMap<string, readonly BudgetView[]> {
  const on = subjects.join(',');
  const { data } = useQuery({
    queryKey: ['budgets', 'of', on],
    enabled: on !== '',
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const found: BudgetView[] = [];
      for (let page = 1, total = 1; found.length < total; page += 1) {
        const answer = await budgets.list({ on, page, page_size: pageSize }, { signal });
        if (answer.items.length === 0) break;
        found.push(...answer.items);
        total = answer.total;
      }
      return found;
    },
  });
  return useMemo(() => {
    const byOwner = new Map<string, BudgetView[]>();
    for (const budget of data ?? []) byOwner.set(budget.on, [...(byOwner.get(budget.on) ?? []), budget]);
    return byOwner;
  }, [data]);
}

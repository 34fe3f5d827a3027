/** Budgets of channels in declared state: the limit by what is counted and its period, such as `quota/month`. Pure. */
import { BudgetKind, BudgetPeriod, highestBudget } from '../contract/budgets.ts';
import type { BudgetRecord } from '../store/budgets.ts';
import type { Fields } from './declared-objects.ts';
import { readBudgets } from './subject-budgets.ts';

/** As a document writes what is stored, in the order of the names. */
export function budgetFields(stored: string): Fields {
  const named = readBudgets(stored).map(({ kind, per, limit }) => [`${kind}/${per}`, limit] as const);
  return Object.fromEntries(named.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** As they are stored; what is no budget is none. */
export function budgetRecords(fields: unknown): BudgetRecord[] {
  if (typeof fields !== 'object' || fields === null) return [];
  return Object.entries(fields).flatMap(([name, limit]) => {
    const [word = '', period = ''] = name.split('/');
    const kind = BudgetKind.options.find((known) => known === word);
    const per = BudgetPeriod.options.find((known) => known === period);
    const isLimit = Number.isSafeInteger(limit) && limit >= 1 && limit <= highestBudget;
    return kind !== undefined && per !== undefined && isLimit ? [{ kind, per, limit }] : [];
  });
}

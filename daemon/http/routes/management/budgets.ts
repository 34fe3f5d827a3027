/** Routes of budgets by the period (cli.md 7.2, E14). */
import { contract } from '../../../contract/index.ts';
import type { BudgetService } from '../../../domain/budgets.ts';
import { implement, type Route } from '../../implement.ts';
import { presentBudget, readBudgetOwner } from '../../present/budgets.ts';

export const budgetRoutes = (budgets: BudgetService): Route[] => [
  implement(contract.budgets.list, async ({ actor, input: { on }, page }) => {
    const owners = on?.split(',').map(readBudgetOwner);
    const { items, total } = await budgets.list(actor, owners, page);
    return { items: items.map(presentBudget), total };
  }),
  implement(contract.budgets.set, async ({ actor, input: { on, kind, per, limit } }) =>
    presentBudget(await budgets.set(actor, { ...readBudgetOwner(on), kind, per }, limit)),
  ),
  implement(contract.budgets.delete, async ({ actor, input: { on, kind, per } }) =>
    budgets.delete(actor, { ...readBudgetOwner(on), kind, per }),
  ),
];

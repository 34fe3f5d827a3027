/** Limits and budgets as they are set and shown: their services and routes. */
import type { OptionsView } from '../contract/options.ts';
import { BudgetPeriods } from '../domain/budget-periods.ts';
import { BudgetService } from '../domain/budgets.ts';
import { LimitService, type LimitServiceDeps } from '../domain/limit-service.ts';
import type { Route } from '../http/implement.ts';
import { budgetRoutes } from '../http/routes/management/budgets.ts';
import { limitRoutes } from '../http/routes/management/limits.ts';
import type { Foundation } from './foundation.ts';

/** Builds the routes of both. */
export function buildLimits(
  foundation: Foundation,
  parts: Pick<LimitServiceDeps, 'optionService' | 'tokens' | 'keys'> & { readonly options: () => OptionsView },
): Route[] {
  const { config, database, bus, counters, nowSeconds } = foundation;
  const periods = new BudgetPeriods(config.site.time_zone);
  return [
    ...budgetRoutes(new BudgetService({ database, bus, periods, nowSeconds })),
    ...limitRoutes(new LimitService({ database, counters, nowSeconds, ...parts })),
  ];
}

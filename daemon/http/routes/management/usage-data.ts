/** Routes of the dashboard's figures (management-api.md 3.15). */
import { contract } from '../../../contract/index.ts';
import type { UsageDataService } from '../../../domain/usage-data.ts';
import { implement, type Route } from '../../implement.ts';
import { presentUsageData } from '../../present/usage-data.ts';

export const usageDataRoutes = (usageData: UsageDataService): Route[] => [
  implement(contract.usageData.list, async ({ input }) => ({
    items: (await usageData.list(input)).map(presentUsageData),
  })),
  implement(contract.usageData.listOwn, async ({ actor, input }) => ({
    items: (await usageData.listOwn(actor, input)).map(presentUsageData),
  })),
];

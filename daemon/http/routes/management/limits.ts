/** Routes of limits by the minute (cli.md 7.2, E14). */
import { contract } from '../../../contract/index.ts';
import type { LimitService } from '../../../domain/limit-service.ts';
import { implement, type Route } from '../../implement.ts';

export const limitRoutes = (limits: LimitService): Route[] => [
  implement(contract.limits.list, async ({ actor }) =>
    (await limits.list(actor)).map(({ on, kind, limit, used = null, resetsAt = null }) => {
      return { on, kind, limit, used, resets_at: resetsAt };
    }),
  ),
  implement(contract.limits.set, async ({ actor, input: { on, ...wish } }) => limits.set(actor, on, wish)),
  implement(contract.limits.delete, async ({ actor, input: { on } }) => limits.delete(actor, on)),
];

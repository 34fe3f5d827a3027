/** The routes of redemption codes over a test's database, for tests of codes and of calls that may be repeated. */
import { MemoryCounters } from '../../../../../daemon/cluster/memory-counters.ts';
import { RedemptionService } from '../../../../../daemon/domain/redemptions.ts';
import type { Route } from '../../../../../daemon/http/implement.ts';
import { redemptionRoutes } from '../../../../../daemon/http/routes/management/redemptions.ts';
import type { DomainWorld } from '../../../../support/domain-world.ts';

export function codeRoutes({ database, snapshots, nowSeconds }: DomainWorld): readonly Route[] {
  return redemptionRoutes(
    new RedemptionService({
      database,
      options: () => snapshots.current().options,
      language: 'en',
      balanceChanged: () => undefined,
      counters: new MemoryCounters({ now: () => performance.now() }),
      nowSeconds,
    }),
  );
}

/** Request limits of one node, of which only counting is limited. */
import { MemoryCounters } from '../../daemon/cluster/memory-counters.ts';
import { ModelRequestLimits } from '../../daemon/domain/limits.ts';
import type { RequestLimits } from '../../daemon/gateway/admit.ts';
import { requestLimits } from '../../daemon/gateway/request-limits.ts';

export function openCounters(countsPerMinute: number): RequestLimits {
  const counters = new MemoryCounters({ now: () => performance.now() });
  return requestLimits(new ModelRequestLimits({ counters, countsPerMinute }));
}

import type { Leases } from '../cluster/leases.ts';
import type { ChannelCheckService } from '../domain/channel-checks.ts';
import type { Job } from './scheduler.ts';
import { takesTurn } from './turns.ts';

export interface ChannelJobDeps {
  readonly checks: Pick<ChannelCheckService, 'run' | 'runBalances'>;
  readonly leases: Leases;
  /** Minutes between two tests of all channels; 0 = never. */
  readonly testEveryMinutes: number;
  /** Minutes between two balance queries of all channels; 0 = never. */
  readonly balanceEveryMinutes: number;
}

/** Tests all channels and asks for their balances, each at its interval; none of what is not wanted. */
export function channelJobs({ checks, leases, testEveryMinutes, balanceEveryMinutes }: ChannelJobDeps): Job[] {
  const wanted = [
    { name: 'channel-test', minutes: testEveryMinutes, work: (signal: AbortSignal) => checks.run(signal) },
    {
      name: 'channel-balance',
      minutes: balanceEveryMinutes,
      work: (signal: AbortSignal) => checks.runBalances(signal),
    },
  ];
  return wanted
    .filter(({ minutes }) => minutes > 0)
    .map(({ name, minutes, work }) => {
      const everyMs = minutes * 60_000;
      return {
        name,
        everyMs,
        scope: 'node',
        run: async (signal) => {
          if (await takesTurn(leases, name, everyMs)) await work(signal);
        },
      };
    });
}

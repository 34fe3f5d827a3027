import type { Leases } from '../cluster/leases.ts';
import type { Job } from './scheduler.ts';
import { takesTurn } from './turns.ts';

/** What asks one platform's upstreams once about all that is not final. */
export interface TaskRound {
  round(signal: AbortSignal): Promise<void>;
}

const everyMs = 15_000;

/**
 * Follows up drawings and songs, each platform by itself, so that one whose upstreams are slow delays no other. However
 * many nodes there are, an upstream is asked once an interval (relay.md 8.8).
 */
export function taskFollowUpJobs(platforms: Readonly<Record<string, TaskRound>>, leases: Leases): Job[] {
  return Object.entries(platforms).map(([platform, poller]) => {
    const name = `${platform}-follow-up`;
    return {
      name,
      everyMs,
      scope: 'cluster',
      run: async (signal) => {
        if (await takesTurn(leases, name, everyMs)) await poller.round(signal);
      },
    };
  });
}

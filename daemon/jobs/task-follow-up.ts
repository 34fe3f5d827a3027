import type { Job } from './scheduler.ts';

/** What asks one platform's upstreams once about all that is not final. */
export interface TaskRound {
  round(signal: AbortSignal): Promise<void>;
}

/** Follows up drawings and songs, each platform by itself, so that one whose upstreams are slow delays no other. */
export function taskFollowUpJobs(platforms: Readonly<Record<string, TaskRound>>): Job[] {
  return Object.entries(platforms).map(([name, poller]) => ({
    name: `${name}-follow-up`,
    everyMs: 15_000,
    scope: 'cluster',
    run: (signal) => poller.round(signal),
  }));
}

import { type RetentionDeps, removeOld } from '../domain/retention.ts';
import type { Job } from './scheduler.ts';

/** Removes log rows, texts and kept answers that are past their days. */
export function retentionJob(deps: RetentionDeps): Job {
  return {
    name: 'retention',
    everyMs: 3_600_000,
    scope: 'cluster',
    run: async (signal) => {
      await removeOld(deps, signal);
    },
  };
}

import type { HourlyUsage } from '../domain/usage-log-hourly.ts';
import type { Job } from './scheduler.ts';

/**
 * Writes the hourly figures of this node. Looks every minute, as the interval is an option (`DataExportInterval`);
 * shutdown flushes too.
 */
export function hourlyUsageJob(deps: {
  readonly hourly: HourlyUsage;
  /** Minutes between two flushes, 1 or more; read at every look. */
  readonly intervalMinutes: () => number;
}): Job {
  let minutes = 0;
  return {
    name: 'hourly-usage',
    everyMs: 60_000,
    scope: 'node',
    run: async () => {
      minutes += 1;
      if (minutes < deps.intervalMinutes()) return;
      minutes = 0;
      await deps.hourly.flush();
    },
  };
}

import type { AlertService } from '../domain/alerts.ts';
import type { Job } from './scheduler.ts';

export interface AlertJobDeps {
  readonly alerts: Pick<AlertService, 'judgeBalances' | 'judgeErrorRates'>;
  /** Forgets what was told so long ago that it may be told again. */
  readonly forgetTold: () => Promise<unknown>;
}

const minute = 60_000;

/** Looks for what is worth an alert and shows itself only over time. */
export function alertJobs({ alerts, forgetTold }: AlertJobDeps): Job[] {
  return [
    // Every node brings the calls it has counted; what one has told the others do not repeat.
    { name: 'alert-error-rate', everyMs: minute, scope: 'node', run: () => alerts.judgeErrorRates() },
    { name: 'alert-channel-balance', everyMs: minute, scope: 'cluster', run: () => alerts.judgeBalances() },
    {
      name: 'notice-marks',
      everyMs: 60 * minute,
      scope: 'cluster',
      run: async () => {
        await forgetTold();
      },
    },
  ];
}

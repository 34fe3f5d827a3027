import { type LedgerRetentionDeps, removeClosedHolds } from '../domain/ledger-retention.ts';
import type { Job } from './scheduler.ts';

/** Removes closed holds that no longer serve as a record. */
export function holdRetention(deps: LedgerRetentionDeps): Job {
  return {
    name: 'hold-retention',
    everyMs: 3_600_000,
    scope: 'cluster',
    run: async (signal) => {
      await removeClosedHolds(deps, signal);
    },
  };
}

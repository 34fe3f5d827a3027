import { foldLogSums, type LogFoldingDeps } from '../domain/log-folding.ts';
import type { Job } from './scheduler.ts';

/** Folds new log rows into the sums that lists, chips and reports are answered from. */
export function logSumsJob(deps: LogFoldingDeps): Job {
  return { name: 'log-sums', everyMs: 60_000, scope: 'cluster', run: (signal) => foldLogSums(deps, signal) };
}

import { removeExpiredSessions } from '../domain/sessions.ts';
import type { Job } from './scheduler.ts';

/** Removes sessions and mailed codes that are past their time. */
export function sessionCleanup(deps: Parameters<typeof removeExpiredSessions>[0]): Job {
  return {
    name: 'session-cleanup',
    everyMs: 600_000,
    scope: 'cluster',
    run: (signal) => removeExpiredSessions(deps, signal),
  };
}

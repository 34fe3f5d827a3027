import { removeExpiredCliSignIns } from '../domain/cli-sign-ins.ts';
import { removeExpiredMachineTokens } from '../domain/machine-tokens.ts';
import { removeExpiredSessions } from '../domain/sessions.ts';
import type { Job } from './scheduler.ts';

type Deps = Parameters<typeof removeExpiredSessions>[0] &
  Parameters<typeof removeExpiredMachineTokens>[0] &
  Parameters<typeof removeExpiredCliSignIns>[0];

/** Removes sessions, mailed codes and sign-ins that are past their time, and machine tokens that have long been. */
export function sessionCleanup(deps: Deps): Job {
  return {
    name: 'session-cleanup',
    everyMs: 600_000,
    scope: 'cluster',
    run: async (signal) => {
      await removeExpiredSessions(deps, signal);
      await removeExpiredCliSignIns(deps);
      await removeExpiredMachineTokens(deps);
    },
  };
}

import type { Ledger } from '../domain/ledger.ts';
import type { Job } from './scheduler.ts';

/**
 * Gives back holds that nobody will ever settle. Every node looks after its own; those of dead nodes may be found by
 * several at once, which does no harm: the change of state lets one of them win.
 */
export function holdSweeper(deps: { readonly ledger: Ledger }): Job {
  return {
    name: 'hold-sweeper',
    everyMs: 60_000,
    scope: 'node',
    atStart: true,
    run: async () => {
      await deps.ledger.sweep();
    },
  };
}

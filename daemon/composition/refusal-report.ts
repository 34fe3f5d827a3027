/** What operators are told of calls that Tollgate refused: a line by whose request id the reason is found (REQ-32). */
import type { FinishListener } from '../gateway/record.ts';
import { type RefusalListener, type RefusedCall, refusedCall } from '../gateway/refused-call.ts';
import type { Foundation } from './foundation.ts';

/** Whoever is refused asks again at once, or for ever. */
const LINES_A_SECOND = 20;

/** What says something of this node and not of the call; other lines tell it once. */
const OF_THE_NODE: ReadonlySet<string> = new Set([
  'accounting_unavailable',
  'internal_error',
  'over_capacity',
  'setup_required',
  'shutting_down',
]);

/** What whoever has no key that is known is told: anybody may bring it about, and nobody here can be helped by it. */
const OF_STRANGERS: ReadonlySet<string> = new Set(['access_denied', 'auth_required']);

export interface RefusalReport {
  /** Of calls that were refused before they were served. */
  readonly refused: RefusalListener;
  /** Of calls that were held and settled, and that nobody upstream was asked about. */
  readonly finished: FinishListener;
}

/** Tells of strangers at the level `debug` alone, and of no more others in a second than a disk can bear. */
export function refusalReport({ log, clock }: Pick<Foundation, 'log' | 'clock'>): RefusalReport {
  let startedAt = Number.NEGATIVE_INFINITY;
  let lines = 0;
  let untold = 0;
  const tell = (call: RefusedCall) => {
    if (OF_THE_NODE.has(call.code)) return;
    if (OF_STRANGERS.has(call.code)) return log.debug({ call }, 'a call was refused');
    const now = clock.monotonic();
    if (now - startedAt >= 1000) {
      startedAt = now;
      lines = 0;
    }
    if (lines >= LINES_A_SECOND) {
      untold += 1;
      return;
    }
    lines += 1;
    log.info({ call, ...(untold > 0 ? { untold } : {}) }, 'a call was refused');
    untold = 0;
  };
  return {
    refused: tell,
    finished: ({ account, outcome }) => {
      if (outcome.error === undefined || outcome.failure !== undefined || account.trail.attempts.length > 0) return;
      tell(refusedCall(account.exchange, outcome.error));
    },
  };
}

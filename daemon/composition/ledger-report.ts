/** What the ledger tells its operators: lines of the log, and audit rows for what means a bug in the books (S1). */
import { auditBy } from '../domain/audits.ts';
import type { LedgerEvent } from '../domain/ledger-events.ts';
import type { Foundation } from './foundation.ts';

const system = { userId: 0, username: '', ip: '' } as const;

/** While the database is away every call finds that out; one line in this time is enough. */
const awayEveryMs = 5000;

/** Takes the events of the ledger. */
export function ledgerReporter(
  foundation: Pick<Foundation, 'log' | 'clock' | 'database' | 'nowSeconds'>,
): (event: LedgerEvent) => void {
  const { log, clock, database, nowSeconds } = foundation;
  let awayToldAt = Number.NEGATIVE_INFINITY;
  return (event) => {
    if (event.kind === 'database-away') {
      if (clock.monotonic() - awayToldAt < awayEveryMs) return;
      awayToldAt = clock.monotonic();
    }
    const { kind } = event;
    const level = kind === 'swept' || kind === 'replayed' ? 'info' : 'error';
    // A cause is written out with all that led to it where the logger looks for one.
    const { cause, ...ledger } = 'cause' in event ? event : { ...event, cause: undefined };
    log[level]({ ledger, ...(cause === undefined ? {} : { err: cause }) }, `ledger: ${kind}`);
    if (kind !== 'invalid-amount' && kind !== 'rejected') return;
    const { requestId } = event;
    const detail = kind === 'invalid-amount' ? { detail: event.detail } : {};
    const alert = auditBy(system, { action: `ledger.${kind}`, target: `request:${requestId}`, detail }, nowSeconds());
    database
      .transaction((stores) => stores.audits.append(alert))
      .catch((error: unknown) => log.error({ err: error, requestId }, 'an alert of the ledger was not audited'));
  };
}

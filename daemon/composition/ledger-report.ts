/** What the ledger tells its operators: lines of the log, and audit rows for what means a bug in the books (S1). */
import { auditBy } from '../domain/audits.ts';
import type { LedgerEvent } from '../domain/ledger-events.ts';
import type { Foundation } from './foundation.ts';

const system = { userId: 0, username: '', ip: '' } as const;

/** While the database is away every call finds that out, and its settlement goes to the journal: a line of each in this time. */
const OUTAGE_EVERY_MS = 5000;

/** Takes the events of the ledger. */
export function ledgerReporter(
  foundation: Pick<Foundation, 'log' | 'clock' | 'database' | 'nowSeconds'>,
): (event: LedgerEvent) => void {
  const { log, clock, database, nowSeconds } = foundation;
  const thin = thinner(clock);
  return (told) => {
    const event = thin(told);
    if (event === undefined) return;
    const { kind } = event;
    const level = kind === 'swept' || kind === 'replayed' ? 'info' : 'error';
    // A cause is written out with all that led to it where the logger looks for one.
    const { cause, ...ledger } = 'cause' in event ? event : { ...event, cause: undefined };
    log[level]({ ledger, ...(cause === undefined ? {} : { err: cause }) }, `ledger: ${kind}`);
    if (event.kind !== 'invalid-amount' && event.kind !== 'rejected') return;
    const { requestId } = event;
    const detail = event.kind === 'invalid-amount' ? { detail: event.detail } : {};
    const alert = auditBy(system, { action: `ledger.${kind}`, target: `request:${requestId}`, detail }, nowSeconds());
    database
      .transaction((stores) => stores.audits.append(alert))
      .catch((error: unknown) => log.error({ err: error, requestId }, 'an alert of the ledger was not audited'));
  };
}

/** Leaves out what an outage says again and again. A line about the journal counts those that were left out before it. */
function thinner(clock: Pick<Foundation['clock'], 'monotonic'>): (event: LedgerEvent) => LedgerEvent | undefined {
  const toldAt = { 'database-away': Number.NEGATIVE_INFINITY, journalled: Number.NEGATIVE_INFINITY };
  let untold = 0;
  return (event) => {
    const { kind } = event;
    // It counts all that was in the journal.
    if (kind === 'replayed') untold = 0;
    if (kind !== 'database-away' && kind !== 'journalled') return event;
    if (kind === 'journalled') untold += event.count;
    if (clock.monotonic() - toldAt[kind] < OUTAGE_EVERY_MS) return undefined;
    toldAt[kind] = clock.monotonic();
    if (kind === 'database-away') return event;
    const count = untold;
    untold = 0;
    return { kind, count };
  };
}

/** Removes closed holds that no longer serve as a record (management-api.md 4.13). */
import type { OptionsView } from '../contract/options.ts';
import type { Database } from '../store/database.ts';

const DAY_SECONDS = 86_400;
/** While log rows are written they are the record of a charge; its closed hold only keeps a replay from booking twice. */
const DAYS_BESIDE_LOG_ROWS = 7;
/** Rows removed in one statement, so that nobody waits long for it. */
const BATCH = 2000;

export interface LedgerRetentionDeps {
  readonly database: Database;
  readonly options: () => OptionsView;
  readonly nowSeconds: () => number;
}

/** Removes what is old enough, in batches; returns how many rows that were. Ends early when the signal says so. */
export async function removeClosedHolds(deps: LedgerRetentionDeps, signal: AbortSignal): Promise<number> {
  const options = deps.options();
  const days = options.get('LogConsumeEnabled') ? DAYS_BESIDE_LOG_ROWS : options.get('LogRetentionDays');
  // 0 keeps rows for ever.
  if (days === 0) return 0;
  const createdBefore = deps.nowSeconds() - days * DAY_SECONDS;
  let removed = 0;
  while (!signal.aborted) {
    const batch = await deps.database.stores.reservations.deleteClosed(createdBefore, BATCH);
    removed += batch;
    if (batch < BATCH) break;
  }
  return removed;
}

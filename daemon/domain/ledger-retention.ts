/** Removes closed holds that no longer serve as a record (management-api.md 4.13). */
import type { OptionsView } from '../contract/options.ts';
import type { Database } from '../store/database.ts';

const DAY_SECONDS = 86_400;
/** While log rows are written they are the record of a charge; its closed hold only keeps a replay from booking twice. */
const DAYS_BESIDE_LOG_ROWS = 7;
/** After consumption is recorded again: calls may be under way that do not know, and other nodes learn it later. */
const UNRECORDED_SECONDS = 3600;
/** Rows removed in one statement, so that nobody waits long for it. */
const BATCH = 2000;

export interface LedgerRetentionDeps {
  readonly database: Database;
  readonly options: () => OptionsView;
  readonly nowSeconds: () => number;
}

/** From when on every charge has its row in the log; undefined while consumption is not recorded. */
export async function recordedSince(deps: Omit<LedgerRetentionDeps, 'nowSeconds'>): Promise<number | undefined> {
  if (!deps.options().get('LogConsumeEnabled')) return undefined;
  const change = await deps.database.stores.optionChanges.find('LogConsumeEnabled');
  return change === undefined ? 0 : change.updatedAt + UNRECORDED_SECONDS;
}

/**
 * Removes what is old enough, in batches; returns how many rows that were. Ends early when the signal says so. What
 * ended while no log rows were written is the only record of its charge for good (relay.md 16.1).
 */
export async function removeClosedHolds(deps: LedgerRetentionDeps, signal: AbortSignal): Promise<number> {
  const retentionDays = deps.options().get('LogRetentionDays');
  const recorded = await recordedSince(deps);
  let removed = 0;
  if (recorded !== undefined) {
    const createdBefore = deps.nowSeconds() - DAYS_BESIDE_LOG_ROWS * DAY_SECONDS;
    removed += await removeCreated({ since: recorded, before: createdBefore }, deps, signal);
  }
  // 0 keeps rows for ever.
  if (retentionDays === 0) return removed;
  const createdBefore = deps.nowSeconds() - retentionDays * DAY_SECONDS;
  return removed + (await removeCreated({ since: 0, before: createdBefore }, deps, signal));
}

async function removeCreated(
  time: { readonly since: number; readonly before: number },
  { database }: LedgerRetentionDeps,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  while (!signal.aborted) {
    const batch = await database.stores.reservations.deleteClosed(time, BATCH);
    removed += batch;
    if (batch < BATCH) break;
  }
  return removed;
}

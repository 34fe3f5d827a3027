/**
 * Removes what is older than it may be kept (relay.md 16.2, REQ-29): log rows, their texts, answers for repeated calls,
 * what budgets have lost, nodes that never said goodbye.
 */
import type { OptionsView } from '../contract/options.ts';
import type { Database } from '../store/database.ts';
import { idempotencyDays } from './idempotency.ts';

export interface RetentionDeps {
  readonly database: Database;
  readonly options: () => OptionsView;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

const daySeconds = 86_400;
/** Days for which a node that fell silent is still shown. */
const silentNodeDays = 7;
/** Days for which it is known what a period has lost: no month is longer than half of it. */
const budgetDays = 62;
/** Rows of one delete statement, so that writers wait for milliseconds only. */
const batch = 1000;

/** Runs every removal once; returns how many log rows and texts are gone. Ends early when the signal says so. */
export async function removeOld(deps: RetentionDeps, signal: AbortSignal): Promise<{ rows: number; bodies: number }> {
  const { stores } = deps.database;
  const options = deps.options();
  const now = deps.nowSeconds();
  const rowDays = daysOf(options.get('LogRetentionDays'));
  const rows = await removeBefore(now - rowDays * daySeconds, signal, (before) =>
    deps.database.transaction((inside) => inside.logs.deleteBefore(before, batch)),
  );
  // No text outlives its row.
  const bodyDays = Math.min(rowDays, daysOf(options.get('LogContentRetentionDays')));
  const bodies = await removeBefore(now - bodyDays * daySeconds, signal, (before) =>
    stores.logBodies.deleteBefore(before, batch),
  );
  await removeBefore(now - idempotencyDays * daySeconds, signal, (before) =>
    stores.idempotencyKeys.deleteBefore(before, batch),
  );
  if (!signal.aborted) {
    await stores.budgets.deleteUses(now - budgetDays * daySeconds);
    await stores.nodes.deleteSilent(now - silentNodeDays * daySeconds);
  }
  return { rows, bodies };
}

/** 0 days keep everything. */
function daysOf(days: number): number {
  return days === 0 ? Number.POSITIVE_INFINITY : days;
}

/** @param before unix seconds; minus infinity for nothing */
async function removeBefore(
  before: number,
  signal: AbortSignal,
  removeSome: (before: number) => Promise<number>,
): Promise<number> {
  let removed = 0;
  while (before > 0 && !signal.aborted) {
    const some = await removeSome(before);
    removed += some;
    if (some < batch) break;
  }
  return removed;
}

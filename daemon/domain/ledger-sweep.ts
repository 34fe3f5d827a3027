/** Finds holds that nobody will ever settle and says how they end: released, once, with a row that tells why. */
import type { LedgerStore, OpenHold } from '../store/ledger.ts';
import type { Settlement } from './settlement.ts';
import { CONSUME_ROW } from './usage-log.ts';

/** A node that has been silent for so long is dead (relay.md 15.4). */
const DEAD_AFTER_SECONDS = 5 * 60;
/** Holds of dead nodes are left alone for so long. */
const ORPHAN_AFTER_SECONDS = 10 * 60;
/** Holds of this process that no request owns: the commit of a refused hold may have gone through after all. */
const DOUBTFUL_AFTER_SECONDS = 30;
/** Holds given back in one sweep; the rest waits for the next. */
const MAX_SWEPT = 1000;

export async function sweepHolds(
  ledger: LedgerStore,
  options: { readonly node: string; readonly nowMs: number; readonly active: ReadonlySet<string> },
): Promise<Settlement[]> {
  const nowSeconds = Math.floor(options.nowMs / 1000);
  const own = await ledger.findHoldsOf(options.node, nowSeconds - DOUBTFUL_AFTER_SECONDS);
  const orphans = await ledger.findOrphans({
    node: options.node,
    createdBefore: nowSeconds - ORPHAN_AFTER_SECONDS,
    aliveSince: nowSeconds - DEAD_AFTER_SECONDS,
    limit: MAX_SWEPT,
  });
  return [...own.filter(({ requestId }) => !options.active.has(requestId)), ...orphans]
    .slice(0, MAX_SWEPT)
    .map((hold) => releaseOf(hold, nowSeconds));
}

function releaseOf(hold: OpenHold, nowSeconds: number): Settlement {
  const { requestId, userId, tokenId, group } = hold;
  return {
    requestId,
    userId,
    tokenId,
    tokenLimited: hold.tokenAmount > 0,
    held: hold.amount,
    charge: 0,
    outcome: 'released',
    reason: 'shutdown',
    channelId: 0,
    counted: false,
    nowSeconds,
    rows: [
      {
        userId,
        createdAt: nowSeconds,
        type: CONSUME_ROW,
        content: 'The gateway stopped before this request ended; nothing is charged',
        username: hold.username,
        tokenName: hold.tokenName,
        modelName: '',
        quota: 0,
        promptTokens: 0,
        completionTokens: 0,
        useTime: Math.max(0, nowSeconds - hold.createdAt),
        isStream: false,
        channelId: 0,
        tokenId,
        group,
        other: JSON.stringify({
          settle_reason: 'shutdown',
          group,
          error: { type: 'tollgate_error', code: 'shutting_down', status: 503, original_status: 503 },
          admin_info: { use_channel: [], attempts: [], released_hold: hold.amount, node: hold.node },
        }),
        requestId,
        failed: true,
        ip: null,
      },
    ],
  };
}

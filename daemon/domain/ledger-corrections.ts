/**
 * Changes what a settled request was charged, afterwards: its row, its closed hold, the balance and counters of all who
 * paid, and the sums of the log, in the caller's transaction.
 */
import type { BudgetUse } from '../store/ledger-rows.ts';
import type { LogRecord } from '../store/logs.ts';
import type { Stores } from '../store/stores.ts';

/** A row as it was read, and what becomes of it. */
export interface Correction {
  readonly row: LogRecord;
  readonly quota: number;
  readonly content: string;
  readonly other: string;
  /** What budgets lose by the difference, or get back. */
  readonly budgets: readonly BudgetUse[];
}

/** Why nothing could be corrected; whoever throws it undoes what has begun. */
export class Uncorrectable extends Error {
  /**
   * `changed`: the row is not as it was read; `balance`: what the call costs beyond its charge is more than the balance,
   * or what the token may still use; `user_gone`: there is no account to charge or pay.
   */
  readonly reason: 'changed' | 'balance' | 'user_gone';

  constructor(reason: Uncorrectable['reason']) {
    super(reason);
    this.reason = reason;
  }
}

/** Throws `Uncorrectable`. */
export async function correctCharge(
  stores: Stores,
  { row, quota, content, other, budgets }: Correction,
): Promise<void> {
  if (!Number.isSafeInteger(quota) || quota < 0) throw new RangeError(`not an amount of quota: ${quota}`);
  const { ledger, logs, logSums } = stores;
  const { userId, tokenId, channelId, requestId } = row;
  const difference = quota - row.quota;
  // The sums are locked before the row, as by whoever deletes rows.
  await logSums.amend([row.id], async () => {
    const now = await logs.lock(row.id);
    if (now === undefined || now.quota !== row.quota || now.other !== row.other) throw new Uncorrectable('changed');
    await ledger.amendRows([{ ...row, quota, content, other }]);
  });
  if (difference === 0) return;
  await ledger.correctClosed(requestId, difference);
  if (!(await ledger.readUsers([userId])).has(userId)) throw new Uncorrectable('user_gone');
  const token = tokenId === 0 ? undefined : await stores.tokens.find(tokenId);
  const isLimited = token?.unlimitedQuota === false;
  if (difference > 0) await requireCover(stores, { userId, tokenId: isLimited ? tokenId : 0, amount: difference });
  // What covers a higher charge is taken by now.
  const back = Math.max(0, -difference);
  const isTokenPaid = isLimited && difference > 0;
  await ledger.applySettlements({
    users: [{ id: userId, refund: back, used: difference, requests: 0 }],
    tokens:
      tokenId === 0 || isTokenPaid
        ? []
        : [{ id: tokenId, refund: isLimited ? back : 0, used: difference, accessedTime: 0 }],
    channels: channelId === 0 ? [] : [{ id: channelId, used: difference }],
    budgets,
  });
}

async function requireCover(
  { ledger }: Stores,
  { userId, tokenId, amount }: { userId: number; tokenId: number; amount: number },
): Promise<void> {
  const paid = await ledger.debitUsers([{ id: userId, amount }]);
  if (!paid.has(userId)) throw new Uncorrectable('balance');
  if (tokenId !== 0 && !(await ledger.debitTokens([{ id: tokenId, amount }])).has(tokenId)) {
    throw new Uncorrectable('balance');
  }
}

/**
 * Changes of balances that no relay call makes: top-ups, codes, gifts, corrections by administrators, invite earnings,
 * refunds of tasks. Each runs inside the caller's transaction, with the log row that documents it (D11). Amounts are
 * whole and not negative; anything else is a bug and throws.
 */
import { TollgateError } from '../errors.ts';
import type { Stores } from '../store/database.ts';
import type { BudgetUse } from '../store/ledger-rows.ts';
import type { NewLogRow } from '../store/logs.ts';

/** What the log row of such a change says. Type: 1 top-up, 3 manage, 4 system, 5 check-in. */
export interface EventRow {
  readonly userId: number;
  readonly username: string;
  readonly type: 1 | 3 | 4 | 5;
  /** One line in the site's language. */
  readonly content: string;
  /** Change of this user's balance: credited for types 1, 4 and 5, signed for type 3; 0 when it does not move. */
  readonly quota: number;
  readonly nowSeconds: number;
  readonly requestId: string;
  /** Operator's facts; users never see them. */
  readonly adminInfo?: Readonly<Record<string, string | number>>;
}

/** The whole row of an event that is no relay call. */
export function eventRow(event: EventRow): NewLogRow {
  return {
    userId: event.userId,
    createdAt: event.nowSeconds,
    type: event.type,
    content: event.content,
    username: event.username,
    tokenName: '',
    modelName: '',
    quota: event.quota,
    promptTokens: 0,
    completionTokens: 0,
    useTime: 0,
    isStream: false,
    channelId: 0,
    tokenId: 0,
    group: '',
    other: event.adminInfo ? JSON.stringify({ admin_info: event.adminInfo }) : '',
    requestId: event.requestId,
    failed: false,
    ip: null,
  };
}

/**
 * Adds to a balance and writes the row; the new balance, undefined when there is no such user. Throws `invalid_params`
 * for a balance that would be larger than whole numbers are exact.
 */
export async function creditUser(
  stores: Stores,
  change: { readonly userId: number; readonly amount: number; readonly row: NewLogRow },
): Promise<number | undefined> {
  const { userId, amount, row } = change;
  requireAmount(amount);
  const users = [{ id: userId, refund: amount, used: 0, requests: 0 }];
  const balance = (await stores.ledger.applySettlements({ users })).get(userId);
  if (balance !== undefined) {
    requireExact(balance);
    await stores.logs.insert([row]);
  }
  return balance;
}

/** What became of a debit. */
export type DebitResult =
  | { readonly taken: true; readonly balance: number }
  /** Nothing was changed; `balance` is undefined when there is no such user. */
  | { readonly taken: false; readonly balance: number | undefined };

/** Takes from a balance that covers it and writes the row. */
export async function debitUser(
  stores: Stores,
  change: { readonly userId: number; readonly amount: number; readonly row: NewLogRow },
): Promise<DebitResult> {
  const { userId, amount, row } = change;
  requireAmount(amount);
  const paid = await stores.ledger.debitUsers([{ id: userId, amount }]);
  const balance = (await stores.ledger.readUsers([userId])).get(userId);
  if (!paid.has(userId) || balance === undefined) return { taken: false, balance };
  await stores.logs.insert([row]);
  return { taken: true, balance };
}

/**
 * Sets a balance, open holds left out of it, and writes the row that `rowOf` makes of the old one. Undefined when there
 * is no such user.
 */
export async function overrideBalance(
  stores: Stores,
  change: { readonly userId: number; readonly balance: number; readonly rowOf: (before: number) => NewLogRow },
): Promise<{ readonly before: number; readonly after: number } | undefined> {
  const { userId, balance, rowOf } = change;
  requireAmount(balance);
  const before = (await stores.ledger.readUsers([userId])).get(userId);
  if (before === undefined) return undefined;
  const users = [{ id: userId, refund: balance - before, used: 0, requests: 0 }];
  await stores.ledger.applySettlements({ users, rows: [rowOf(before)] });
  return { before, after: balance };
}

/**
 * Moves invite earnings to the balance and writes the row; the new balance, undefined when they do not suffice. Throws
 * as `creditUser`.
 */
export async function transferInviteEarnings(
  stores: Stores,
  change: { readonly userId: number; readonly amount: number; readonly row: NewLogRow },
): Promise<number | undefined> {
  requireAmount(change.amount);
  const balance = await stores.ledger.moveInviteEarnings(change.userId, change.amount);
  if (balance !== undefined) {
    requireExact(balance);
    await stores.logs.insert([change.row]);
  }
  return balance;
}

/** Sets what a token may still use, as its owner wishes; false when the user has no such token. */
export async function setTokenQuota(
  stores: Stores,
  token: { readonly id: number; readonly userId: number; readonly remain: number },
): Promise<boolean> {
  requireAmount(token.remain);
  return stores.ledger.setTokenQuota(token);
}

/**
 * Gives the charge of a task that failed later back to user, token and channel, and writes the row (type 4). The caller
 * makes sure that it happens once: by the conditional change of the task's own status in the same transaction.
 */
export async function refundTask(
  stores: Stores,
  refund: {
    readonly userId: number;
    /** 0 when no token paid. */
    readonly tokenId: number;
    readonly tokenLimited: boolean;
    readonly channelId: number;
    readonly amount: number;
    readonly row: NewLogRow;
    /** What budgets get back. */
    readonly budgets?: readonly BudgetUse[];
  },
): Promise<void> {
  const { userId, tokenId, tokenLimited, channelId, amount, row, budgets = [] } = refund;
  requireAmount(amount);
  await stores.ledger.applySettlements({
    users: [{ id: userId, refund: amount, used: -amount, requests: 0 }],
    tokens: tokenId === 0 ? [] : [{ id: tokenId, refund: tokenLimited ? amount : 0, used: -amount, accessedTime: 0 }],
    channels: channelId === 0 ? [] : [{ id: channelId, used: -amount }],
    rows: [row],
    budgets,
  });
}

function requireAmount(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount < 0) throw new RangeError(`not an amount of quota: ${amount}`);
}

function requireExact(balance: number): void {
  if (balance > Number.MAX_SAFE_INTEGER) throw new TollgateError('invalid_params');
}

/**
 * Applies a group of settlements: holds closed, balances and counters moved, log rows inserted.
 * The change of state decides: a request whose hold is closed already, or whose id is known, changes nothing.
 */
import type { LedgerStore } from '../store/ledger.ts';
import type {
  BudgetUse,
  ClosedHold,
  ClosedWithoutHold,
  HoldEnd,
  KnownHoldEnd,
  Settlements,
  TokenSettlement,
  UserSettlement,
} from '../store/ledger-rows.ts';
import type { Stores } from '../store/stores.ts';
import { type Turn, takeTurns } from './ledger-turns.ts';
import type { Settlement } from './settlement.ts';

/** What became of one settlement. */
export interface SettleResult {
  /** False when the request was closed before: nothing was changed. */
  readonly applied: boolean;
  /** The user's balance after the group; undefined when nothing changed it, or the user is gone. */
  readonly balance: number | undefined;
}

const UNCHANGED: SettleResult = { applied: false, balance: undefined };
const NO_TURNS: ReadonlyMap<Settlement, Turn> = new Map();
const NO_BUDGETS: readonly BudgetUse[] = [];
const NO_SESSIONS: ReadonlySet<Settlement> = new Set();
/** Of a group all of whose requests are told by their holds. */
export const NONE_KNOWN: ReadonlySet<string> = new Set();

/**
 * Applies the whole group in one statement, without a transaction. Undefined when it could not and nothing was changed:
 * a session is among it, a request appears twice, a hold is not as it was taken, or a request id is known already. Then
 * `settleGroup` decides.
 */
export async function settleAllAtOnce(
  ledger: LedgerStore,
  settlements: readonly Settlement[],
  node: string,
): Promise<SettleResult[] | undefined> {
  const requests = new Set<string>();
  const applied = new Map<Settlement, ClosedHold>();
  const held: KnownHoldEnd[] = [];
  const unheld: ClosedWithoutHold[] = [];
  for (const settlement of settlements) {
    const { requestId, held: amount, tokenLimited, session } = settlement;
    if (session !== undefined || requests.has(requestId)) return undefined;
    requests.add(requestId);
    const tokenAmount = tokenLimited ? amount : 0;
    applied.set(settlement, { requestId, amount, tokenAmount });
    if (amount > 0) {
      const { outcome: state, charge: charged, reason, nowSeconds: closedAt } = settlement;
      held.push({ requestId, state, charged, reason, closedAt, amount, tokenAmount });
    } else unheld.push(closedOf(settlement, node));
  }
  const balances = await ledger.settleAtOnce({ held, unheld }, changesOf(applied, NO_SESSIONS));
  return balances && settlements.map(({ userId }) => ({ applied: true, balance: balances.get(userId) }));
}

/**
 * Applies the group inside the caller's transaction, whatever the books look like.
 * @param known requests that are in the books, though no hold tells so any more
 */
export async function settleGroup(
  stores: Stores,
  settlements: readonly Settlement[],
  node: string,
  known: ReadonlySet<string> = NONE_KNOWN,
): Promise<SettleResult[]> {
  const { ledger } = stores;
  const sessions = settlements.filter(({ session }) => session !== undefined);
  const whole = settlements.filter(({ session, requestId }) => session === undefined && !known.has(requestId));
  const closed = await closeAll(ledger, whole, node);
  // A request that appears twice in one group is applied once, for its first settlement.
  const applied = new Map<Settlement, ClosedHold>();
  for (const settlement of whole) {
    const hold = closed.get(settlement.requestId);
    if (hold && closed.delete(settlement.requestId)) applied.set(settlement, hold);
  }
  const turns = sessions.length === 0 ? NO_TURNS : await takeTurns(stores, sessions);
  for (const { settlement, hold } of turns.values()) applied.set(settlement, hold);
  if (applied.size === 0) return settlements.map(() => UNCHANGED);
  const balances = await ledger.applySettlements(changesOf(applied, continuedOf(turns)));
  return settlements.map((settlement) =>
    applied.has(settlement) || turns.has(settlement)
      ? { applied: true, balance: balances.get(settlement.userId) }
      : UNCHANGED,
  );
}

/** Closes what is open and returns it by request id, with what was truly held. */
async function closeAll(
  ledger: LedgerStore,
  settlements: readonly Settlement[],
  node: string,
): Promise<Map<string, ClosedHold>> {
  const closed = new Map<string, ClosedHold>();
  const held = uniqueRequests(settlements.filter((settlement) => settlement.held > 0).map(endOf));
  for (const hold of await ledger.closeHolds(held)) closed.set(hold.requestId, hold);
  const without = settlements.filter((settlement) => settlement.held === 0);
  const unheld = uniqueRequests(without.map((settlement) => closedOf(settlement, node)));
  for (const requestId of await ledger.insertClosed(unheld)) {
    closed.set(requestId, { requestId, amount: 0, tokenAmount: 0 });
  }
  return closed;
}

function endOf({ requestId, outcome, charge, reason, nowSeconds }: Settlement): HoldEnd {
  return { requestId, state: outcome, charged: charge, reason, closedAt: nowSeconds };
}

function closedOf(settlement: Settlement, node: string): ClosedWithoutHold {
  const { userId, tokenId, rows } = settlement;
  return { ...endOf(settlement), userId, tokenId, group: rows[0]?.group ?? '', node };
}

function uniqueRequests<End extends { readonly requestId: string }>(ends: readonly End[]): End[] {
  const seen = new Set<string>();
  return ends.filter(({ requestId }) => !seen.has(requestId) && seen.add(requestId));
}

/** Settlements of sessions whose request is counted already. */
function continuedOf(turns: ReadonlyMap<Settlement, Turn>): ReadonlySet<Settlement> {
  return new Set([...turns.values()].filter(({ isContinued }) => isContinued).map(({ settlement }) => settlement));
}

/** @param continued settlements of sessions whose request is counted already */
function changesOf(applied: ReadonlyMap<Settlement, ClosedHold>, continued: ReadonlySet<Settlement>): Settlements {
  return {
    users: userChanges(applied, continued),
    tokens: tokenChanges(applied),
    channels: channelChanges(applied),
    rows: [...applied.keys()].flatMap((settlement) => settlement.rows),
    budgets: budgetChanges(applied),
  };
}

function userChanges(
  applied: ReadonlyMap<Settlement, ClosedHold>,
  continued: ReadonlySet<Settlement>,
): UserSettlement[] {
  const changes = new Map<number, { id: number; refund: number; used: number; requests: number }>();
  for (const [settlement, { amount }] of applied) {
    const { userId, charge, counted } = settlement;
    const change = changes.get(userId) ?? { id: userId, refund: 0, used: 0, requests: 0 };
    change.refund += amount - charge;
    if (counted) {
      change.used += charge;
      change.requests += continued.has(settlement) ? 0 : 1;
    }
    changes.set(userId, change);
  }
  return [...changes.values()].filter(({ refund, used, requests }) => refund !== 0 || used !== 0 || requests !== 0);
}

function tokenChanges(applied: ReadonlyMap<Settlement, ClosedHold>): TokenSettlement[] {
  const changes = new Map<number, { id: number; refund: number; used: number; accessedTime: number }>();
  for (const [{ tokenId, tokenLimited, charge, nowSeconds }, { tokenAmount }] of applied) {
    if (tokenId === 0) continue;
    const change = changes.get(tokenId) ?? { id: tokenId, refund: 0, used: 0, accessedTime: 0 };
    // What was held of a limited token counts as used since the hold; of an unlimited one nothing does yet.
    if (tokenLimited) change.refund += tokenAmount - charge;
    change.used += charge - tokenAmount;
    change.accessedTime = Math.max(change.accessedTime, nowSeconds);
    changes.set(tokenId, change);
  }
  return [...changes.values()];
}

function channelChanges(applied: ReadonlyMap<Settlement, ClosedHold>) {
  const changes = new Map<number, number>();
  for (const { channelId, charge, counted } of applied.keys()) {
    if (counted && channelId !== 0 && charge > 0) changes.set(channelId, (changes.get(channelId) ?? 0) + charge);
  }
  return [...changes].map(([id, used]) => ({ id, used }));
}

/** One entry a budget, period and node: an upsert must not meet the same row twice. */
function budgetChanges(applied: ReadonlyMap<Settlement, ClosedHold>): readonly BudgetUse[] {
  let changes: Map<string, BudgetUse> | undefined;
  for (const { budgets } of applied.keys()) {
    if (budgets === undefined) continue;
    changes ??= new Map();
    for (const use of budgets) {
      const name = `${use.subject}:${use.subjectId}:${use.startsAt}:${use.kind}:${use.per}:${use.node}`;
      const known = changes.get(name);
      changes.set(name, known === undefined ? use : { ...known, amount: known.amount + use.amount });
    }
  }
  return changes === undefined ? NO_BUDGETS : [...changes.values()];
}

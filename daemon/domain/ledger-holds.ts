/**
 * Decides a group of holds. Each succeeds or fails alone: when every balance covers all that the group asks of it, one
 * conditional statement takes the sums; when one does not, its holds are decided in the order they came.
 */
import type { TollgateError } from '../errors.ts';
import type { LedgerStore } from '../store/ledger.ts';
import type { Debit, NewHold } from '../store/ledger-rows.ts';

/** A hold to take, or an open one to enlarge by `amount`. */
export interface HoldRequest {
  readonly kind: 'hold' | 'extend';
  readonly requestId: string;
  readonly userId: number;
  /** 0 when no token pays (playground). */
  readonly tokenId: number;
  /** False for unlimited tokens and the playground: then only the user's balance is held. */
  readonly tokenLimited: boolean;
  /** Quota, 1 or more. */
  readonly amount: number;
  /** The group that is billed. */
  readonly group: string;
}

/**
 * Refusals name what is left; `closed` means that there is no open hold to enlarge; `failed` that nothing could be
 * decided.
 */
export type HoldResult =
  | { readonly outcome: 'held' }
  | { readonly outcome: 'user-short' | 'token-short'; readonly remaining: number }
  | { readonly outcome: 'closed' }
  | { readonly outcome: 'failed'; readonly error: TollgateError };

export const HELD: HoldResult = { outcome: 'held' };

/** What is written into every hold besides the request's own facts. */
export interface HoldPlace {
  readonly node: string;
  readonly nowSeconds: number;
}

/**
 * Takes the whole group in one statement, without a transaction. False when it could not and nothing was changed: some
 * balance is short, or a hold is to be enlarged. Then `holdGroup` decides.
 */
export async function holdAllAtOnce(
  ledger: LedgerStore,
  requests: readonly HoldRequest[],
  place: HoldPlace,
): Promise<boolean> {
  if (requests.some((request) => request.kind === 'extend')) return false;
  const limited = requests.filter((request) => request.tokenLimited);
  return ledger.takeHolds({
    users: sums(requests, (request) => request.userId),
    tokens: sums(limited, (request) => request.tokenId),
    holds: requests.map((request) => newHold(request, place)),
  });
}

/** Decides a group inside the caller's transaction; one result a request, in order. */
export async function holdGroup(
  ledger: LedgerStore,
  requests: readonly HoldRequest[],
  place: HoldPlace,
): Promise<HoldResult[]> {
  const extended = requests.filter((request) => request.kind === 'extend').map((request) => request.requestId);
  const open = await ledger.lockOpen(extended);
  const asked = requests.filter((request) => request.kind === 'hold' || open.has(request.requestId));
  const refused = await takeQuota(ledger, asked);
  const granted = asked.filter((request) => !refused.has(request));
  await writeHolds(ledger, granted, place);
  const grantedSet = new Set(granted);
  return requests.map((request) => {
    if (grantedSet.has(request)) return HELD;
    return refused.get(request) ?? { outcome: 'closed' };
  });
}

/** Takes what can be taken and returns the refusals. */
async function takeQuota(ledger: LedgerStore, asked: readonly HoldRequest[]): Promise<Map<HoldRequest, HoldResult>> {
  const users = sums(asked, (request) => request.userId);
  const limited = asked.filter((request) => request.tokenLimited);
  const tokens = sums(limited, (request) => request.tokenId);
  const paidUsers = await ledger.debitUsers(users);
  const paidTokens = await ledger.debitTokens(tokens);
  if (paidUsers.size === users.length && paidTokens.size === tokens.length) return new Map();

  const shortUsers = new Set(users.filter(({ id }) => !paidUsers.has(id)).map(({ id }) => id));
  for (const request of limited) if (!paidTokens.has(request.tokenId)) shortUsers.add(request.userId);
  const contested = asked.filter((request) => shortUsers.has(request.userId));
  return decideInOrder(ledger, contested, { users: paidUsers, tokens: paidTokens });
}

/** Reads the balances back as they were before the group, grants in order of arrival, and corrects what was taken. */
async function decideInOrder(
  ledger: LedgerStore,
  contested: readonly HoldRequest[],
  paid: { readonly users: ReadonlySet<number>; readonly tokens: ReadonlySet<number> },
): Promise<Map<HoldRequest, HoldResult>> {
  const askedOfUsers = sums(contested, (request) => request.userId);
  const limited = contested.filter((request) => request.tokenLimited);
  const askedOfTokens = sums(limited, (request) => request.tokenId);
  const userPurses = pursesOf(await ledger.readUsers(askedOfUsers.map(({ id }) => id)), askedOfUsers, paid.users);
  const tokenPurses = pursesOf(await ledger.readTokens(askedOfTokens.map(({ id }) => id)), askedOfTokens, paid.tokens);
  const refused = new Map<HoldRequest, HoldResult>();
  for (const request of contested) {
    const user = userPurses.get(request.userId);
    const token = request.tokenLimited ? tokenPurses.get(request.tokenId) : undefined;
    if (!user || user.left < request.amount) {
      refused.set(request, { outcome: 'user-short', remaining: user?.left ?? 0 });
    } else if (request.tokenLimited && (!token || token.left < request.amount)) {
      refused.set(request, { outcome: 'token-short', remaining: token?.left ?? 0 });
    } else {
      user.left -= request.amount;
      if (token) token.left -= request.amount;
    }
  }
  await correct(userPurses, (debits) => ledger.debitUsers(debits));
  await correct(tokenPurses, (debits) => ledger.debitTokens(debits));
  return refused;
}

/** What a balance has left as holds are granted, and what the database has now. */
interface Purse {
  left: number;
  readonly stored: number;
}

function pursesOf(
  balances: ReadonlyMap<number, number>,
  asked: readonly Debit[],
  paid: ReadonlySet<number>,
): Map<number, Purse> {
  const purses = new Map<number, Purse>();
  for (const { id, amount } of asked) {
    const stored = balances.get(id);
    if (stored !== undefined) purses.set(id, { left: paid.has(id) ? stored + amount : stored, stored });
  }
  return purses;
}

async function correct(
  purses: ReadonlyMap<number, Purse>,
  debit: (debits: readonly Debit[]) => Promise<ReadonlySet<number>>,
): Promise<void> {
  const debits: Debit[] = [];
  for (const [id, { left, stored }] of purses) if (left !== stored) debits.push({ id, amount: stored - left });
  const paid = await debit(debits);
  if (paid.size !== debits.length) throw new Error('a locked balance changed under the ledger');
}

async function writeHolds(ledger: LedgerStore, granted: readonly HoldRequest[], place: HoldPlace): Promise<void> {
  const holds = granted.filter((request) => request.kind === 'hold');
  await ledger.insertHolds(holds.map((request) => newHold(request, place)));
  await ledger.extendHolds(mergedExtensions(granted));
}

function newHold(request: HoldRequest, { node, nowSeconds }: HoldPlace): NewHold {
  const { requestId, userId, tokenId, tokenLimited, group, amount } = request;
  return {
    requestId,
    userId,
    tokenId,
    group,
    amount,
    tokenAmount: tokenLimited ? amount : 0,
    node,
    createdAt: nowSeconds,
  };
}

/** One entry a request, as `UPDATE ... FROM` applies only one row to each. */
function mergedExtensions(granted: readonly HoldRequest[]) {
  const merged = new Map<string, { requestId: string; amount: number; tokenAmount: number }>();
  for (const { kind, requestId, amount, tokenLimited } of granted) {
    if (kind !== 'extend') continue;
    const entry = merged.get(requestId) ?? { requestId, amount: 0, tokenAmount: 0 };
    entry.amount += amount;
    entry.tokenAmount += tokenLimited ? amount : 0;
    merged.set(requestId, entry);
  }
  return [...merged.values()];
}

function sums(requests: readonly HoldRequest[], idOf: (request: HoldRequest) => number): Debit[] {
  const totals = new Map<number, number>();
  for (const request of requests) totals.set(idOf(request), (totals.get(idOf(request)) ?? 0) + request.amount);
  return [...totals].map(([id, amount]) => ({ id, amount }));
}

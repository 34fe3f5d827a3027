/**
 * Decides a group of holds inside one transaction. Each succeeds or fails alone: when a balance covers all that the
 * group asks of it, one conditional update takes the sum; when it does not, its holds are decided in the order they came.
 */
import type { TollgateError } from '../errors.ts';
import type { Debit, LedgerStore } from '../store/ledger.ts';

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

const HELD: HoldResult = { outcome: 'held' };

export async function holdGroup(
  ledger: LedgerStore,
  requests: readonly HoldRequest[],
  where: { readonly node: string; readonly nowSeconds: number },
): Promise<HoldResult[]> {
  const extended = requests.filter((request) => request.kind === 'extend').map((request) => request.requestId);
  const open = await ledger.lockOpen(extended);
  const asked = requests.filter((request) => request.kind === 'hold' || open.has(request.requestId));
  const refused = await takeQuota(ledger, asked);
  const granted = asked.filter((request) => !refused.has(request));
  await writeHolds(ledger, granted, where);
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

async function writeHolds(
  ledger: LedgerStore,
  granted: readonly HoldRequest[],
  { node, nowSeconds }: { readonly node: string; readonly nowSeconds: number },
): Promise<void> {
  const holds = granted.filter((request) => request.kind === 'hold');
  await ledger.insertHolds(
    holds.map((request) => ({
      requestId: request.requestId,
      userId: request.userId,
      tokenId: request.tokenId,
      group: request.group,
      amount: request.amount,
      tokenAmount: request.tokenLimited ? request.amount : 0,
      node,
      createdAt: nowSeconds,
    })),
  );
  await ledger.extendHolds(mergedExtensions(granted));
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

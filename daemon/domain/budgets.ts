/** Setting and showing budgets by the period (REQ-22): users those of their own keys, administrators those of all. */
import type { Bus } from '../cluster/bus.ts';
import type { BudgetKind, BudgetPeriod } from '../contract/budgets.ts';
import { roles } from '../contract/roles.ts';
import { TollgateError } from '../errors.ts';
import type { BudgetFilter, BudgetOwner, BudgetRecord, ListedBudget } from '../store/budgets.ts';
import type { Database, Stores } from '../store/database.ts';
import type { Page, Window } from '../store/paging.ts';
import type { UserRecord } from '../store/users.ts';
import type { Actor } from './actor.ts';
import { auditBy } from './audits.ts';
import type { BudgetPeriods } from './budget-periods.ts';
import { managementRefusal } from './permissions.ts';
import { readBudgets } from './subject-budgets.ts';

/** A budget with what is known of its period. */
export interface BudgetState extends ListedBudget {
  /** Taken by calls that have ended, on all nodes. */
  readonly used: number;
  /** Unix seconds. */
  readonly resetsAt: number;
}

/** Names a budget: a subject has one of each kind and period at most. */
export interface BudgetName extends BudgetOwner {
  readonly kind: BudgetKind;
  readonly per: BudgetPeriod;
}

export interface BudgetServiceDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'announce'>;
  readonly periods: BudgetPeriods;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

/** Where a change is announced, and which entry it makes stale. */
interface Change {
  readonly topic: 'tokens' | 'users' | 'channels';
  readonly detail: string;
  readonly revision: number;
}

const topics = { token: 'tokens', user: 'users', channel: 'channels' } as const;

export class BudgetService {
  readonly #deps: BudgetServiceDeps;

  constructor(deps: BudgetServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Those of some subjects, or all that the actor may see; of several subjects without those that the actor may not see.
   * Throws for one alone `token_not_found`, `user_not_found`, `channel_not_found`, `user_same_level`.
   */
  async list(actor: Actor, owners: readonly BudgetOwner[] | undefined, window: Window): Promise<Page<BudgetState>> {
    const { stores } = this.#deps.database;
    const [owner] = owners?.length === 1 ? owners : [];
    if (owner !== undefined) await requireSubject(stores, actor, { owner, action: 'read' });
    const { items, total } = await stores.budgets.list({ ...seenBy(actor), owners }, window);
    return { items: await this.#states(items), total };
  }

  /** Adds a budget or changes its limit. Throws as `list`; `forbidden_role` where a user reaches beyond own keys. */
  async set(actor: Actor, name: BudgetName, limit: number): Promise<BudgetState> {
    const subjectName = await this.#change(actor, name, (budgets) => [
      ...without(budgets, name),
      { ...named(name), limit },
    ]);
    const { subject, subjectId, kind, per } = name;
    const [state] = await this.#states([{ subject, subjectId, kind, per, limit, name: subjectName }]);
    if (!state) throw new Error('a budget that was just set is not there');
    return state;
  }

  /** Throws as `set`, and `budget_not_found`. */
  async delete(actor: Actor, name: BudgetName): Promise<void> {
    await this.#change(actor, name, (budgets) => {
      const rest = without(budgets, name);
      if (rest.length === budgets.length) throw new TollgateError('budget_not_found');
      return rest;
    });
  }

  async #change(
    actor: Actor,
    name: BudgetName,
    edit: (budgets: readonly BudgetRecord[]) => BudgetRecord[],
  ): Promise<string> {
    const { database, bus, nowSeconds } = this.#deps;
    const { subject, subjectId } = name;
    const changed = await database.transaction(async (stores) => {
      const topic = topics[subject];
      // The bump comes first: its row lock makes writers wait for each other, so that no list is written over.
      const revision = await stores.revisions.bump(topic);
      const found = await requireSubject(stores, actor, { owner: name, action: 'edit' });
      const budgets = edit(readBudgets(found.budgets));
      await stores.budgets.set(name, budgets);
      const set = budgets.find((budget) => budget.kind === name.kind && budget.per === name.per);
      const detail = { kind: name.kind, per: name.per, ...(set ? { limit: set.limit } : {}) };
      const action = set ? 'budget.set' : 'budget.delete';
      const row = auditBy(actor, { action, target: `${subject}:${subjectId}`, detail }, nowSeconds());
      await stores.audits.append(row);
      const change: Change = { topic, detail: found.cacheKey, revision };
      return { change, name: found.name };
    });
    const { topic, revision, detail } = changed.change;
    await bus.announce(topic, revision, detail);
    return changed.name;
  }

  async #states(budgets: readonly ListedBudget[]): Promise<BudgetState[]> {
    const { database, periods, nowSeconds } = this.#deps;
    const now = nowSeconds();
    const spans = budgets.map(({ per }) => periods.at(per, now));
    const startsAt = [...new Set(spans.map((span) => span.startsAt))];
    // No node counts under no name: all of it comes back as that of others.
    const sums = await database.stores.budgets.sums(budgets, startsAt, '');
    const used = new Map(sums.map((sum) => [keyOf(sum, sum.startsAt), sum.others]));
    return budgets.map((budget, at) => {
      const { startsAt: begun = 0, endsAt: resetsAt = 0 } = spans[at] ?? {};
      return { ...budget, used: used.get(keyOf(budget, begun)) ?? 0, resetsAt };
    });
  }
}

/** Gives a new key its budgets, each with its audit row, in the transaction that makes the key. */
export async function setFirstBudgets(
  stores: Stores,
  key: {
    readonly actor: Actor;
    readonly tokenId: number;
    readonly budgets: readonly BudgetRecord[];
    readonly nowSeconds: number;
  },
): Promise<void> {
  const { actor, tokenId, budgets, nowSeconds } = key;
  await stores.budgets.set({ subject: 'token', subjectId: tokenId }, budgets);
  for (const { kind, per, limit } of budgets) {
    const act = { action: 'budget.set', target: `token:${tokenId}`, detail: { kind, per, limit } };
    await stores.audits.append(auditBy(actor, act, nowSeconds));
  }
}

interface Subject {
  readonly name: string;
  readonly budgets: string;
  /** What the caches of nodes know it by. */
  readonly cacheKey: string;
}

/** What `requireSubject` lets the actor read, as a filter: of administrators, only the super administrator sees peers. */
function seenBy({ userId, role }: Actor): Pick<BudgetFilter, 'userId' | 'seenBy'> {
  if (role < roles.admin) return { userId };
  return role < roles.root ? { seenBy: { userId, role } } : {};
}

/** The subject, if the actor may see it, or edit its budgets; a key or a user that is edited is locked. */
async function requireSubject(
  stores: Stores,
  actor: Actor,
  { owner: { subject, subjectId }, action }: { owner: BudgetOwner; action: 'read' | 'edit' },
): Promise<Subject> {
  const isAdmin = actor.role >= roles.admin;
  if (subject === 'token') {
    const token = action === 'edit' ? await stores.tokens.lock(subjectId) : await stores.tokens.find(subjectId);
    if (!token || (!isAdmin && token.userId !== actor.userId)) throw new TollgateError('token_not_found');
    if (token.userId !== actor.userId) requireUser(actor, await stores.users.find(token.userId), action);
    return { name: token.name, budgets: token.budgets, cacheKey: token.keyHash };
  }
  if (subject === 'user') {
    if (!isAdmin && (action === 'edit' || subjectId !== actor.userId)) throw new TollgateError('forbidden_role');
    const user = action === 'edit' ? await stores.users.lock(subjectId) : await stores.users.find(subjectId);
    return requireUser(actor, user, action);
  }
  if (!isAdmin) throw new TollgateError('forbidden_role');
  const channel = await stores.channels.find(subjectId);
  if (!channel) throw new TollgateError('channel_not_found');
  return { name: channel.name, budgets: channel.budgets, cacheKey: String(channel.id) };
}

function requireUser(actor: Actor, user: UserRecord | undefined, action: 'read' | 'edit'): Subject {
  if (!user) throw new TollgateError('user_not_found');
  // Everybody sees their own; whoever could lift them need not ask.
  const refusal = user.id === actor.userId && action === 'read' ? undefined : managementRefusal(actor, user, action);
  if (refusal) throw new TollgateError(refusal);
  return { name: user.username, budgets: user.budgets, cacheKey: String(user.id) };
}

function named({ kind, per }: BudgetName): Pick<BudgetRecord, 'kind' | 'per'> {
  return { kind, per };
}

function without(budgets: readonly BudgetRecord[], { kind, per }: BudgetName): BudgetRecord[] {
  return budgets.filter((budget) => budget.kind !== kind || budget.per !== per);
}

function keyOf(budget: BudgetOwner & { readonly kind: string; readonly per: string }, startsAt: number): string {
  return `${budget.subject}:${budget.subjectId}:${budget.kind}:${budget.per}:${startsAt}`;
}

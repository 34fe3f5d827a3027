/**
 * The one door of money (D11): holds before a call, settlements after it. All holds that wait at one moment share a
 * transaction, all settlements another; each hold ends exactly once, keyed by its request id.
 */
import type { Language } from '../contract/error-codes.ts';
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { isSchemaAway } from '../store/dialect.ts';
import { Patience } from '../store/patience.ts';
import { BudgetPeriods } from './budget-periods.ts';
import { GroupCommit } from './group-commit.ts';
import { LedgerBacklog } from './ledger-backlog.ts';
import type { LedgerEvent } from './ledger-events.ts';
import { HELD, type HoldRequest, type HoldResult, holdAllAtOnce, holdGroup } from './ledger-holds.ts';
import { LedgerJournal } from './ledger-journal.ts';
import { NONE_KNOWN, type SettleResult, settleAllAtOnce, settleGroup } from './ledger-settlements.ts';
import { sweepHolds } from './ledger-sweep.ts';
import { MAX_CHARGE } from './pricing.ts';
import { checkedSettlement, type Settlement } from './settlement.ts';

export interface LedgerDeps {
  readonly database: Database;
  /** Names this process among all that ever ran on the database; written into every hold. */
  readonly node: string;
  /** False while another process may be alive under the name of this node; left out, it never is. */
  readonly ownsName?: () => boolean;
  /** Folder of the journal; this process alone writes there. */
  readonly dataDir: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly report: (event: LedgerEvent) => void;
  /** Quota as the site shows it, for the texts of refusals. */
  readonly formatQuota: (quota: number) => string;
  /** Of the budgets from which a session that nobody settled is taken; left out, days are those of UTC. */
  readonly periods?: BudgetPeriods;
  /** The site's, for what the log says of holds that nobody settled. */
  readonly language: Language;
  /** Told after the commit of every settlement that changed the books, with the user's new balance where it moved. */
  readonly settled?: (settlement: Settlement, balance: number | undefined) => void;
  /** Told of every call that a token's own quota could not pay: what it needed. */
  readonly tokenShort?: (tokenId: number, needed: number) => void;
  readonly limits?: Partial<LedgerLimits>;
}

export interface LedgerLimits {
  /** Holds in one transaction. */
  readonly maxHolds: number;
  /** Settlements in one transaction. When more wait, holds let them go first. */
  readonly maxSettlements: number;
  /** Holds, and settlements, that may wait; beyond that new calls are refused with `over_capacity`. */
  readonly maxWaiting: number;
  /** How long a group of holds may wait for the database. */
  readonly holdDeadlineMs: number;
  /** The same after a group has waited in vain, until the database has answered one. */
  readonly stalledDeadlineMs: number;
  readonly retryDelaysMs: readonly number[];
  readonly replayDelayMs: number;
  /** How long the database may take when the process ends, until the journal takes what it has not. */
  readonly stopPatienceMs: number;
}

const DEFAULT_LIMITS: LedgerLimits = {
  maxHolds: 500,
  maxSettlements: 500,
  maxWaiting: 10_000,
  holdDeadlineMs: 10_000,
  stalledDeadlineMs: 1000,
  retryDelaysMs: [50, 200, 500],
  replayDelayMs: 1000,
  stopPatienceMs: 5000,
};

/** No closed hold is removed before: until then it tells that a settlement is in the books already. */
const CLOSED_HOLDS_STAY_SECONDS = 86_400;
/** Seconds after which a client may try again while the books cannot be reached. */
const RETRY_AFTER_SECONDS = 5;

export class Ledger {
  readonly #deps: LedgerDeps;
  readonly #limits: LedgerLimits;
  readonly #holds: GroupCommit<HoldRequest, HoldResult>;
  readonly #backlog: LedgerBacklog;
  /** Requests of this process whose hold may be open; the sweeper leaves them alone. */
  readonly #active = new Set<string>();
  readonly #patience: Patience;
  readonly #sinceSeconds: number;
  /** What the last sweep found. */
  #heartbeats: ReadonlyMap<string, number> = new Map();

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
    this.#limits = { ...DEFAULT_LIMITS, ...deps.limits };
    this.#sinceSeconds = Math.floor(deps.now() / 1000);
    const { maxHolds, maxSettlements, maxWaiting, holdDeadlineMs, stalledDeadlineMs } = this.#limits;
    this.#patience = new Patience({ usualMs: holdDeadlineMs, stalledMs: stalledDeadlineMs });
    this.#holds = new GroupCommit({ commit: (group) => this.#commitHolds(group), maxGroup: maxHolds, maxWaiting });
    this.#backlog = new LedgerBacklog({
      apply: (group) => this.#applySettlements(group),
      closed: (settlement, { applied, balance }) => {
        if (settlement.session !== 'goes-on') this.#active.delete(settlement.requestId);
        if (applied) deps.settled?.(settlement, balance);
      },
      journal: new LedgerJournal(deps.dataDir),
      report: deps.report,
      maxGroup: maxSettlements,
      retryDelaysMs: this.#limits.retryDelaysMs,
      replayDelayMs: this.#limits.replayDelayMs,
    });
  }

  /** Puts into the books what an earlier process could only journal. Call it before the first sweep. */
  start(): Promise<void> {
    return this.#backlog.start();
  }

  /**
   * Takes `amount` from the user's balance and, where `tokenLimited`, from the token's remaining quota. An amount of 0
   * takes nothing. Throws `insufficient_user_quota`, `insufficient_token_quota`, `accounting_unavailable`, `over_capacity`.
   */
  async hold(request: Omit<HoldRequest, 'kind'>): Promise<void> {
    if (this.#backlog.waiting >= this.#limits.maxWaiting) throw overCapacity();
    if (!this.#isWhole(request)) throw new TollgateError('internal_error');
    if (request.amount === 0) return;
    if (this.#active.has(request.requestId)) throw new TollgateError('internal_error', {}, { cause: 'held already' });
    this.#active.add(request.requestId);
    try {
      const { requestId, userId, tokenId, tokenLimited, amount, group } = request;
      await this.#submit({ kind: 'hold', requestId, userId, tokenId, tokenLimited, amount, group });
    } catch (error) {
      this.#active.delete(request.requestId);
      throw error;
    }
  }

  /**
   * Adds `amount` to an open hold. Throws as `hold`; the hold stays as it was. A hold that is no longer open is
   * `accounting_unavailable`.
   */
  async extend(request: Omit<HoldRequest, 'kind' | 'group'>): Promise<void> {
    if (!this.#isWhole(request)) throw new TollgateError('internal_error');
    if (request.amount > 0) await this.#submit({ ...request, kind: 'extend', group: '' });
  }

  /**
   * Ends a request, or charges a session that goes on: closes its hold, moves balances and counters, inserts its log
   * rows, all in one transaction, once per request id. Resolves when that is in the books, or safe in the journal.
   * Nobody who answers a client waits for it. Amounts that cannot be right are reported, settled at the amount held,
   * and then thrown as `internal_error`.
   */
  settle(settlement: Settlement): Promise<void> {
    const { sound, fault } = checkedSettlement(settlement);
    if (sound.charge >= MAX_CHARGE) this.#deps.report({ kind: 'charge-cut', requestId: sound.requestId });
    const secured = this.#backlog.submit(sound);
    if (fault === undefined) return secured;
    this.#deps.report({ kind: 'invalid-amount', requestId: settlement.requestId, detail: fault });
    const failed = secured.then(() => {
      throw new TollgateError('internal_error', {}, { cause: fault });
    });
    // Callers on the hot path do not wait; the report above is what counts.
    failed.catch(() => undefined);
    return failed;
  }

  /** Resolves when all holds and settlements given so far are in the books, or safe in the journal. */
  async drain(): Promise<void> {
    await this.#holds.idle();
    await this.#backlog.drain();
  }

  /** `drain`, and no more looking whether the database is back; one that stays silent is not waited for. */
  async stop(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#limits.stopPatienceMs);
    });
    // A hold that is not decided by then belongs to no call any more: the sweep gives it back.
    await Promise.race([this.#holds.idle(), late]);
    await this.#backlog.stop(late);
    clearTimeout(timer);
  }

  /** Gives back holds that nobody will ever settle: of dead nodes, and of this one if no running request owns them. */
  async sweep(): Promise<number> {
    const { database, node, now, report, language, ownsName = () => true } = this.#deps;
    const { periods = new BudgetPeriods('UTC') } = this.#deps;
    const { releases, heartbeats } = await sweepHolds(database.stores, {
      node,
      nowMs: now(),
      sinceSeconds: this.#sinceSeconds,
      active: this.#active,
      ownsName: ownsName(),
      heartbeats: this.#heartbeats,
      language,
      periods,
    });
    this.#heartbeats = heartbeats;
    await Promise.all(releases.map((settlement) => this.#backlog.submit(settlement)));
    if (releases.length > 0) report({ kind: 'swept', count: releases.length });
    return releases.length;
  }

  /** Holds that this process has taken and not yet closed. */
  get openHolds(): number {
    return this.#active.size;
  }

  async #submit(request: HoldRequest): Promise<void> {
    const result = await this.#holds.submit(request);
    if (result.outcome === 'held') return;
    if (result.outcome === 'failed') throw result.error;
    if (result.outcome === 'closed') throw unavailable(`hold ${request.requestId} is not open`);
    const { formatQuota } = this.#deps;
    if (result.outcome === 'token-short') this.#deps.tokenShort?.(request.tokenId, request.amount);
    const code = result.outcome === 'user-short' ? 'insufficient_user_quota' : 'insufficient_token_quota';
    throw new TollgateError(code, { remaining: formatQuota(result.remaining), needed: formatQuota(request.amount) });
  }

  /** One transaction for the group. When it fails for a reason of its own, halves find the request at fault. */
  async #commitHolds(group: readonly HoldRequest[]): Promise<HoldResult[]> {
    const { report } = this.#deps;
    try {
      return await this.#patience.outlast(this.#takeQuota(group), (ms) => unavailable(`no commit within ${ms} ms`));
    } catch (cause) {
      const [first, ...rest] = group;
      if (cause instanceof TollgateError && cause.kind === 'unavailable') {
        // Whether the commit went through is unknown; the sweep gives back what no request owns.
        report({ kind: 'database-away', cause });
      } else if (rest.length > 0) {
        const half = group.length >> 1;
        const left = await this.#commitHolds(group.slice(0, half));
        return [...left, ...(await this.#commitHolds(group.slice(half)))];
      } else if (first) {
        report({ kind: 'hold-failed', requestId: first.requestId, cause });
      }
      const error = unavailable(cause);
      return group.map(() => ({ outcome: 'failed', error }));
    }
  }

  async #takeQuota(group: readonly HoldRequest[]): Promise<HoldResult[]> {
    const { database, node, now } = this.#deps;
    // Holds are cheaper than settlements: without this they would run ahead until the backlog is full.
    await this.#backlog.below(this.#limits.maxSettlements);
    const place = { node, nowSeconds: Math.floor(now() / 1000) };
    if (await holdAllAtOnce(database.stores.ledger, group, place)) return group.map(() => HELD);
    return database.transaction((stores) => holdGroup(stores.ledger, group, place));
  }

  async #applySettlements(group: readonly Settlement[]): Promise<readonly SettleResult[]> {
    const { database, node } = this.#deps;
    try {
      const known = await this.#longKnown(group);
      if (known.size > 0) return await database.transaction((stores) => settleGroup(stores, group, node, known));
      const results = await settleAllAtOnce(database.stores.ledger, group, node);
      return results ?? (await database.transaction((stores) => settleGroup(stores, group, node)));
    } catch (cause) {
      throw isSchemaAway(cause) ? unavailable(cause) : cause;
    }
  }

  /**
   * Requests without a hold that the log alone still knows: from the journal of a node that stood still for days, while
   * others removed what was closed. Without their hold, their row tells that they were booked.
   */
  async #longKnown(group: readonly Settlement[]): Promise<ReadonlySet<string>> {
    const { database, now } = this.#deps;
    const before = now() / 1000 - CLOSED_HOLDS_STAY_SECONDS;
    const old = group.filter(({ held, nowSeconds }) => held === 0 && nowSeconds < before);
    if (old.length === 0) return NONE_KNOWN;
    return new Set((await database.stores.ledger.rowIds(old.map(({ requestId }) => requestId))).keys());
  }

  #isWhole({ requestId, amount }: { requestId: string; amount: number }): boolean {
    if (Number.isSafeInteger(amount) && amount >= 0) return true;
    this.#deps.report({ kind: 'invalid-amount', requestId, detail: `hold of ${amount}` });
    return false;
  }
}

function unavailable(cause: unknown): TollgateError {
  return new TollgateError('accounting_unavailable', {}, { cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function overCapacity(): TollgateError {
  return new TollgateError('over_capacity', {}, { retryAfterSeconds: 1 });
}

/** True for a hold or its extension that the balance of the user or of the key does not reach for. */
export function isQuotaRefusal(error: unknown): error is TollgateError {
  return (
    error instanceof TollgateError &&
    (error.code === 'insufficient_user_quota' || error.code === 'insufficient_token_quota')
  );
}

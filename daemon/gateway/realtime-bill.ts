/**
 * The bill of a realtime session while it runs (relay.md 5.13): every turn is charged when it is done, and as much is
 * held ahead of the next as the opening held, so that a session never runs on nothing.
 */
import { attemptCost } from '../domain/attempt-cost.ts';
import type { Ledger } from '../domain/ledger.ts';
import { computeCharge, type GroupRatio, type Price, runningCost } from '../domain/pricing.ts';
import { TollgateError } from '../errors.ts';
import type { Usage } from '../relay/canonical/usage.ts';
import { sum } from '../relay/realtime/realtime-meter.ts';

/** What a session has come to. */
export interface SessionSums {
  /** Sum of all turns; undefined when there was none. */
  readonly usage: Usage | undefined;
  /** Quota of all turns together. */
  readonly charge: number;
  /** What all turns together cost the operator. */
  readonly cost: number;
}

export interface SessionBillDeps {
  readonly price: Price;
  readonly group: GroupRatio;
  /** The part of the list price that the operator pays. */
  readonly share: GroupRatio;
  /** What is held at the opening. */
  readonly held: number;
  /** Puts the sums into the books; resolves when they are there, or safe in the journal. Throws what a budget refuses. */
  readonly charge: (sums: SessionSums) => Promise<void>;
  /** Enlarges the hold by so much. Throws the ledger's refusals. */
  readonly extend: (amount: number) => ReturnType<Ledger['extend']>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** So long a session goes on while nothing can be held for it: the books may be away, or have given its hold back. */
const GRACE_MS = 60_000;

export class SessionBill {
  readonly #deps: SessionBillDeps;
  #sums: SessionSums = { usage: undefined, charge: 0, cost: 0 };
  /** What is left of the hold. */
  #held: number;
  /** Changes of the books are made one behind the other. */
  #last: Promise<void> = Promise.resolve();
  /** Since when the hold could not be renewed; undefined while it can. */
  #uncoveredSinceMs: number | undefined;
  #isReviewing = false;
  #isClosed = false;

  constructor(deps: SessionBillDeps) {
    this.#deps = deps;
    this.#held = deps.held;
  }

  /**
   * Charges a turn that is done and renews the hold. Throws refusals of the ledger and of budgets, and
   * `accounting_unavailable` only when the hold could not be renewed for a minute; the turn stays charged.
   */
  turn(usage: Usage): Promise<void> {
    const cost = this.#add(usage);
    return this.#behind(async () => {
      await this.#deps.charge(this.#sums);
      this.#held = Math.max(0, this.#held - cost);
      await this.#keepAhead(0);
    });
  }

  /** Looks at what the answer under way has cost so far; undefined when there is none. Throws as `turn`. */
  async review(usage: Usage | undefined): Promise<void> {
    const { price, group } = this.#deps;
    const isMetered = usage !== undefined && price.mode === 'token';
    const running = isMetered ? runningCost({ price, group, usage }) : 0;
    const isSpent = running > 0 && running >= this.#held;
    if (this.#isReviewing || (!isSpent && this.#uncoveredSinceMs === undefined)) return;
    this.#isReviewing = true;
    try {
      await this.#behind(() => this.#keepAhead(running));
    } finally {
      this.#isReviewing = false;
    }
  }

  /** Adds what an unfinished turn has used, and resolves to the sums when nothing is under way any more. */
  async close(rest: Usage | undefined): Promise<SessionSums> {
    this.#isClosed = true;
    if (rest !== undefined) this.#add(rest);
    // An extension that is under way belongs to the hold that is settled.
    await this.#last;
    return this.#sums;
  }

  /** Each turn is rounded for itself; a price by call is due once a session. */
  #add(turn: Usage): number {
    const { price, group, share } = this.#deps;
    const { usage, charge, cost: paid } = this.#sums;
    const isDue = price.mode === 'token' || usage === undefined;
    const cost = isDue ? computeCharge({ price, group, usage: turn }).quota : 0;
    const due = isDue ? attemptCost({ price, share, usage: turn }) : 0;
    this.#sums = { usage: sum(usage, turn), charge: charge + cost, cost: paid + due };
    return cost;
  }

  async #keepAhead(running: number): Promise<void> {
    const { held } = this.#deps;
    const missing = running + held - this.#held;
    // A session that was free to open has no hold to enlarge.
    if (held === 0 || missing <= 0) return;
    try {
      await this.#deps.extend(missing);
      this.#held += missing;
      this.#uncoveredSinceMs = undefined;
    } catch (error) {
      if (isRefusal(error)) throw error;
      const nowMs = this.#deps.now();
      this.#uncoveredSinceMs ??= nowMs;
      // Accounting trouble does not cut a session at once: the next look asks again.
      if (nowMs - this.#uncoveredSinceMs >= GRACE_MS) throw error;
    }
  }

  #behind(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(() => (this.#isClosed ? undefined : work()));
    this.#last = done.catch(() => undefined);
    return done;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof TollgateError && error.code.startsWith('insufficient_');
}

/** A task's order or a realtime session with what it holds: it is itself what its settlement asks for. */
import type { BudgetPlace } from '../domain/budget-book.ts';
import type { Ledger } from '../domain/ledger.ts';
import type { TollgateError } from '../errors.ts';
import type { Admission } from './admit.ts';
import type { Caller } from './authenticate.ts';
import type { Exchange } from './exchange.ts';
import { refusalOf, takeMore } from './group-hold.ts';
import type { Inspection } from './inspect.ts';
import type { Account } from './settle.ts';
import { Trail } from './trail.ts';

interface HeldCallFacts {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly inspection: Inspection;
  readonly admission: Admission;
  /** Undefined where no budget is set. */
  readonly budgets?: BudgetPlace | undefined;
  /** Why nothing is held: the first group was passed over. */
  readonly shortage?: TollgateError | undefined;
}

export class HeldCall implements Account {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly inspection: Inspection;
  readonly admission: Admission;
  readonly budgets: BudgetPlace | undefined;
  readonly shortage: TollgateError | undefined;
  readonly trail = new Trail();
  #held: number;

  constructor(facts: HeldCallFacts) {
    this.exchange = facts.exchange;
    this.caller = facts.caller;
    this.inspection = facts.inspection;
    this.admission = facts.admission;
    this.budgets = facts.budgets;
    this.shortage = facts.shortage;
    this.#held = facts.shortage === undefined ? facts.admission.held : 0;
  }

  get held(): number {
    return this.#held;
  }

  /** Takes what a group costs more, if anything. Resolves to a refusal that another group may not meet. */
  async cover(
    ledger: Pick<Ledger, 'hold' | 'extend'>,
    missing: { readonly amount: number; readonly group: string },
  ): Promise<TollgateError | undefined> {
    if (missing.amount <= 0) return undefined;
    const refusal = await refusalOf(takeMore(ledger, this, missing), this.admission.route);
    if (refusal === undefined) this.#held += missing.amount;
    return refusal;
  }
}

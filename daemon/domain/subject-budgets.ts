/** The budgets of one key, account or channel on this node, with what is known of their periods. */
import type { BudgetOwner, BudgetRecord, BudgetSum } from '../store/budgets.ts';
import type { BudgetUse } from '../store/ledger-rows.ts';
import type { BudgetPeriods } from './budget-periods.ts';

/** What one period has lost. Running calls point at the one in which they began. */
class CountedSpan {
  readonly startsAt: number;
  readonly endsAt: number;
  /** By calls of this node that have ended. */
  own = 0;
  /** Kept for calls of this node that run. */
  running = 0;
  /** By calls of other nodes, as last read. */
  others = 0;

  constructor({ startsAt, endsAt }: { readonly startsAt: number; readonly endsAt: number }) {
    this.startsAt = startsAt;
    this.endsAt = endsAt;
  }
}

/** A budget and its period. */
class BudgetLine implements BudgetRecord {
  readonly kind: BudgetRecord['kind'];
  readonly per: BudgetRecord['per'];
  readonly limit: number;
  readonly span: CountedSpan;

  constructor({ kind, per, limit }: BudgetRecord, span: CountedSpan) {
    this.kind = kind;
    this.per = per;
    this.limit = limit;
    this.span = span;
  }

  /** All that is taken or kept. */
  get taken(): number {
    return this.span.own + this.span.running + this.span.others;
  }
}

export class SubjectBudgets {
  readonly owner: BudgetOwner;
  readonly #periods: BudgetPeriods;
  #text = '[]';
  #lines: BudgetLine[] = [];
  /** Monotonic milliseconds at which the sums were read last; undefined before the first time, and when a budget was added since. */
  readAtMs: number | undefined;
  /** When that was last tried in the background. */
  triedAtMs = Number.NEGATIVE_INFINITY;

  constructor(owner: BudgetOwner, periods: BudgetPeriods) {
    this.owner = owner;
    this.#periods = periods;
  }

  /** True while a call runs that has kept a part. */
  get isBusy(): boolean {
    return this.#lines.some(({ span }) => span.running > 0);
  }

  /** Takes the budgets as they are stored now; what is known of their periods stays. */
  define(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    const before = this.#lines;
    this.#lines = readBudgets(text).map((budget) => {
      const known = before.find(({ kind, per }) => kind === budget.kind && per === budget.per);
      if (known === undefined) this.readAtMs = undefined;
      return new BudgetLine(budget, known?.span ?? NEVER);
    });
  }

  /** The budgets with the periods of a moment; what a period that is over has lost is nobody's any more. */
  lines(nowSeconds: number): readonly BudgetLine[] {
    for (const [at, line] of this.#lines.entries()) {
      if (nowSeconds < line.span.endsAt && nowSeconds >= line.span.startsAt) continue;
      this.#lines[at] = new BudgetLine(line, new CountedSpan(this.#periods.at(line.per, nowSeconds)));
    }
    return this.#lines;
  }

  /**
   * Takes what was read. What this node has counted itself is older there, but for what it counted before it forgot: a
   * call that began before a budget was deleted and set again, or a clock that went back over the edge of a period.
   */
  learn(sums: readonly BudgetSum[], at: { readonly seconds: number; readonly readAtMs: number }): void {
    this.readAtMs = at.readAtMs;
    for (const { kind, per, span } of this.lines(at.seconds)) {
      const sum = sums.find((one) => one.kind === kind && one.per === per && one.startsAt === span.startsAt);
      span.others = sum?.others ?? 0;
      span.own = Math.max(span.own, sum?.own ?? 0);
    }
  }

  /** What a call takes, as its settlement writes it. */
  use({ kind, per, span }: BudgetLine, amount: number, node: string): BudgetUse {
    return { ...this.owner, kind, per, startsAt: span.startsAt, node, amount };
  }
}

/** Before the first call. */
const NEVER = new CountedSpan({ startsAt: 0, endsAt: 0 });

/** The list in a row. It is written by this program alone; what is no list holds no budget. */
export function readBudgets(text: string): BudgetRecord[] {
  const list: unknown = JSON.parse(text);
  return Array.isArray(list) ? list : [];
}

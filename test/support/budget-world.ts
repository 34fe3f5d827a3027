/** Budgets by the period, as calls meet them: the table that nodes share, a clock, and calls that take from budgets. */
import { BudgetBook, type BudgetedCall, type BudgetPlace } from '../../daemon/domain/budget-book.ts';
import { BudgetPeriods } from '../../daemon/domain/budget-periods.ts';
import { TollgateError } from '../../daemon/errors.ts';
import type { BudgetRecord, BudgetSum } from '../../daemon/store/budgets.ts';
import type { BudgetUse } from '../../daemon/store/ledger-rows.ts';

export const midnight = Date.parse('2026-11-23T00:00:00Z');
export const list = (...budgets: BudgetRecord[]) => JSON.stringify(budgets);
export const aDay = (kind: BudgetRecord['kind'], limit: number) => list({ kind, per: 'day', limit });

/** The table that all nodes write to and read. */
class Table {
  readonly uses: BudgetUse[] = [];
  reads = 0;
  isAway = false;

  async sums(_owners: unknown, startsAt: readonly number[], node: string): Promise<BudgetSum[]> {
    this.reads += 1;
    if (this.isAway) throw new TollgateError('db_unavailable');
    const sums = new Map<string, BudgetSum>();
    for (const use of this.uses.filter((one) => startsAt.includes(one.startsAt))) {
      const name = `${use.kind} ${use.per} ${use.startsAt}`;
      const { own, others } = sums.get(name) ?? { own: 0, others: 0 };
      const isOwn = use.node === node;
      sums.set(name, { ...use, own: own + (isOwn ? use.amount : 0), others: others + (isOwn ? 0 : use.amount) });
    }
    return [...sums.values()];
  }
}

export function world() {
  const table = new Table();
  const clock = { nowMs: midnight - 3_600_000 };
  const reports: unknown[] = [];
  const node = (name: string) =>
    new BudgetBook({
      store: table,
      node: name,
      periods: new BudgetPeriods('UTC'),
      now: () => clock.nowMs,
      monotonic: () => clock.nowMs,
      formatQuota: (quota) => `$${quota}`,
      report: (cause) => reports.push(cause),
    });
  return { table, clock, reports, node };
}

export const call = (budgets: string, over: Partial<BudgetedCall> = {}): BudgetedCall => ({
  token: { id: 7, budgets },
  user: { id: 1, budgets: '[]' },
  quota: 10,
  tokens: () => ({ prompt: 10, answer: 5 }),
  ...over,
});

export async function codeOf(taking: BudgetPlace | Promise<BudgetPlace> | (() => BudgetPlace | Promise<BudgetPlace>)) {
  try {
    await (typeof taking === 'function' ? taking() : taking);
    return 'kept';
  } catch (error) {
    return error instanceof TollgateError ? error.code : String(error);
  }
}

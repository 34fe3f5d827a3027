/** Budgets beside the rows of those they hold for. */
import type { BudgetView } from '../daemon/contract/budgets.ts';
import type { CommandContext } from './context.ts';
import type { Column } from './output/columns.ts';

/** Budgets by whom they hold for, as `token:7`; absent for those who have none. */
export type BudgetsBySubject = ReadonlyMap<string, readonly BudgetView[]>;

const pageSize = 500;

/**
 * Asks for the budgets of rows, a hundred subjects a call.
 * @returns undefined for a machine token that may read the rows and not their budgets
 */
export async function budgetsOf(
  context: CommandContext,
  subjects: readonly string[],
): Promise<BudgetsBySubject | undefined> {
  const { mostBudgetSubjects } = await import('../daemon/contract/budgets.ts');
  const client = await context.client();
  const found = new Map<string, BudgetView[]>();
  for (let from = 0; from < subjects.length; from += mostBudgetSubjects) {
    const on = subjects.slice(from, from + mostBudgetSubjects).join(',');
    for (let page = 1, seen = 0, total = 1; seen < total; page += 1) {
      const answer = await unlessScopeMissing(client.budgets.list({ on, page, page_size: pageSize }));
      if (answer === undefined) return undefined;
      for (const budget of answer.items) found.set(budget.on, [...(found.get(budget.on) ?? []), budget]);
      total = answer.total;
      seen += Math.max(1, answer.items.length);
    }
  }
  return found;
}

/** What stands beside a row is left out where a machine token may not read it. */
export async function unlessScopeMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'scope_missing') return undefined;
    throw error;
  }
}

/** A row with its budgets; null where they may not be read. */
export type WithBudgets<T> = T & { readonly budgets: readonly BudgetView[] | null };

/** Rows with their budgets, a hundred at a time. */
export async function* withBudgets<T>(
  context: CommandContext,
  rows: AsyncIterable<T>,
  subjectOf: (row: T) => string,
): AsyncGenerator<WithBudgets<T>> {
  const { mostBudgetSubjects } = await import('../daemon/contract/budgets.ts');
  let waiting: T[] = [];
  const told = async () => {
    const found = await budgetsOf(context, waiting.map(subjectOf));
    return waiting.map((row) => ({ ...row, budgets: found === undefined ? null : (found.get(subjectOf(row)) ?? []) }));
  };
  for await (const row of rows) {
    waiting.push(row);
    if (waiting.length < mostBudgetSubjects) continue;
    yield* await told();
    waiting = [];
  }
  if (waiting.length > 0) yield* await told();
}

/** `quota/month 1.20 of 20`, by commas. */
export function budgetColumn(context: CommandContext): Column<WithBudgets<unknown>> {
  const money = context.moneyCells();
  const amount = ({ kind }: BudgetView, value: number) => (kind === 'quota' ? money(value) : value);
  const text = (row: BudgetView) => `${row.kind}/${row.per} ${amount(row, row.used)} of ${amount(row, row.limit)}`;
  return { heading: 'BUDGETS', value: ({ budgets }) => budgets?.map(text).join(', '), priority: 8 };
}

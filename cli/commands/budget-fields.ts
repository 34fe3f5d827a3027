/** Budgets as flags describe them. */
import type { BudgetKind, BudgetPeriod } from '../../daemon/contract/budgets.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { figureOf } from '../flags.ts';
import { both } from '../language.ts';

export const budgetKinds = ['quota', 'tokens', 'requests'] as const satisfies readonly BudgetKind[];
export const budgetPeriods = ['hour', 'day', 'week', 'month'] as const satisfies readonly BudgetPeriod[];

/** The word, if it is a known one. Throws exit 3. */
export function oneOf<T extends string>(word: string, known: readonly T[], field: string): T {
  const found = known.find((each) => each === word);
  if (found !== undefined) return found;
  const list = known.join(', ');
  throw usageError(both(`${field} is one of ${list}`, `${field} 可用：${list}`), { field });
}

/** An amount in units of its kind: money, or a whole number such as `2m`. Throws exit 3. */
export async function budgetLimit(
  context: CommandContext,
  { kind, text, field }: { kind: BudgetKind; text: string; field: string },
): Promise<number> {
  if (kind === 'quota') return context.money(text, field);
  const figure = figureOf(text);
  if (figure === undefined) throw usageError(both(`${field} is a whole number`, `${field} 须为整数`), { field });
  return figure;
}

/** Budgets as `--budget` says them: `quota=20usd/month`. Throws exit 3. */
export async function budgetsGiven(context: CommandContext, flag: unknown) {
  const field = '--budget';
  const words = Array.isArray(flag) ? flag.map(String) : [];
  return Promise.all(
    words.map(async (word) => {
      const [, kind, amount, period] = /^(\w+)=(.+)\/(\w+)$/.exec(word) ?? [];
      if (kind === undefined || amount === undefined || period === undefined) {
        throw usageError(
          both(
            `${field} is written as quota=20usd/month, not ${word}`,
            `${field} 的格式为 quota=20usd/month，而不是 ${word}`,
          ),
          { field },
        );
      }
      const named = { kind: oneOf(kind, budgetKinds, field), per: oneOf(period, budgetPeriods, field) };
      return { ...named, limit: await budgetLimit(context, { kind: named.kind, text: amount, field }) };
    }),
  );
}

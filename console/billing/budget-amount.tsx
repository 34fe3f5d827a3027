import type { BudgetKind } from '../../daemon/contract/budgets.ts';
import { formatInteger } from '../components/format.ts';
import { Quota } from '../components/quota.tsx';

/** Quota as money, other kinds as they are counted. */
export function BudgetAmount({ kind, value }: { readonly kind: BudgetKind; readonly value: number }) {
  return kind === 'quota' ? <Quota value={value} /> : <span>{formatInteger(value)}</span>;
}

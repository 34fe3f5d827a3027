/** Budgets by the period, and how a call names those they hold for. */
import type { BudgetView } from '../../contract/budgets.ts';
import type { BudgetState } from '../../domain/budgets.ts';
import type { BudgetOwner } from '../../store/budgets.ts';

export function presentBudget({ subject, subjectId, name, kind, per, limit, used, resetsAt }: BudgetState): BudgetView {
  return { on: `${subject}:${subjectId}`, name, kind, per, limit, used, resets_at: resetsAt };
}

/** From `token:7`; the contract has checked the shape. */
export function readBudgetOwner(on: string): BudgetOwner {
  const [subject, id] = on.split(':');
  return { subject: subject === 'token' || subject === 'user' ? subject : 'channel', subjectId: Number(id) };
}

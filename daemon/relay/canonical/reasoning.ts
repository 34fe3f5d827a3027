/** What a client's control of reasoning comes to, in whatever words of its dialect. */
import type { ReasoningControl } from './chat.ts';

/** The model is to give no thought to its answer. */
export function wantsNoThought({ mode, effort, budgetTokens }: ReasoningControl): boolean {
  return mode === 'disabled' || effort === 'none' || budgetTokens === 0;
}

/** The model is to think, or by how much it is. */
export function wantsThought(control: ReasoningControl): boolean {
  const { mode, effort, budgetTokens } = control;
  return !wantsNoThought(control) && (mode ?? effort ?? budgetTokens) !== undefined;
}

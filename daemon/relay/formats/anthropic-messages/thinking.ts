/**
 * Reasoning control as this wire says it: a budget up to 4.5, an effort from 4.6 on (relay.md 13.3).
 */
import type { ChatRequest, Effort, ReasoningControl } from '../../canonical/chat.ts';
import { wantsNoThought } from '../../canonical/reasoning.ts';
import type { JsonObject } from '../../json.ts';
import { asObjects, present } from '../fields.ts';
import { alwaysThinks, hidesThoughts, thinksAdaptively } from './model-rules.ts';

/** What a request's reasoning comes to; `maxTokens` is raised where the budget needs room. */
export interface Thinking {
  readonly thinking?: JsonObject;
  readonly effort?: string;
  readonly maxTokens: number;
  /** The model will think, so sampling knobs and forced tools have to go. */
  readonly isOn: boolean;
}

const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1024,
  low: 1280,
  medium: 2048,
  high: 4096,
  xhigh: 16_384,
  max: 32_768,
};

const leastBudget = 1024;
/** Room for the least budget and an answer. */
const leastMaxTokens = 1280;

/** The part of a request that says how its model is to think. */
export type ThinkingRequest = Pick<ChatRequest, 'model' | 'reasoning'>;

export function planThinking(request: ThinkingRequest, maxTokens: number): Thinking {
  const control = request.reasoning;
  if (control === undefined) return { maxTokens, isOn: alwaysThinks(request.model) };
  const isOff = wantsNoThought(control);
  if (control.raw?.dialect === 'anthropic-messages') return planRaw(control, control.raw.value, maxTokens);
  if (thinksAdaptively(request.model)) {
    if (isOff) {
      return alwaysThinks(request.model)
        ? { effort: 'low', maxTokens, isOn: true }
        : { thinking: { type: 'disabled' }, maxTokens, isOn: false };
    }
    const effort = effortWord(control);
    return present({ thinking: { type: 'adaptive' }, effort, maxTokens, isOn: true });
  }
  if (isOff) return { maxTokens, isOn: false };
  return planBudget(control, maxTokens);
}

/** The client wrote `thinking` itself; it is passed on, its budget kept below the limit. */
function planRaw(control: ReasoningControl, thinking: JsonObject, maxTokens: number): Thinking {
  const isOn = thinking.type !== 'disabled';
  const effort = control.effort;
  if (control.budgetTokens === undefined || control.budgetTokens < maxTokens) {
    return effort === undefined ? { thinking, maxTokens, isOn } : { thinking, effort, maxTokens, isOn };
  }
  const planned = planBudget(control, maxTokens);
  return { ...planned, thinking: { ...thinking, ...planned.thinking } };
}

/**
 * Clients of other dialects are shown thoughts unless they want none, and so are those of this one who asked for them by
 * the name of their model; newer models hide them from who does not ask.
 */
export function withDisplay(
  thinking: JsonObject,
  { dialect, model, reasoning }: Pick<ChatRequest, 'dialect' | 'model' | 'reasoning'>,
): JsonObject {
  const isByName = reasoning?.mode === 'adaptive' && reasoning.raw === undefined;
  if (thinking.type === 'disabled' || (dialect === 'anthropic-messages' && !isByName)) return thinking;
  if (reasoning?.show === false) return { ...thinking, display: 'omitted' };
  return thinking.type === 'adaptive' && hidesThoughts(model) ? { ...thinking, display: 'summarized' } : thinking;
}

function planBudget(control: ReasoningControl, maxTokens: number): Thinking {
  const wanted = Math.max(leastBudget, control.budgetTokens ?? budgets[control.effort ?? 'medium']);
  if (maxTokens > wanted) {
    return { thinking: { type: 'enabled', budget_tokens: wanted }, maxTokens, isOn: true };
  }
  const room = Math.max(maxTokens, leastMaxTokens);
  const budget = Math.max(leastBudget, Math.floor(0.8 * room));
  return { thinking: { type: 'enabled', budget_tokens: budget }, maxTokens: room, isOn: true };
}

/** A budget without an effort becomes the nearest word; who asks for adaptive thinking and no more gets the model's own. */
function effortWord(control: ReasoningControl): string | undefined {
  const { effort, budgetTokens, mode } = control;
  if (effort !== undefined) return effort === 'minimal' ? 'low' : effort;
  if (budgetTokens === undefined) return mode === 'adaptive' ? undefined : 'medium';
  if (budgetTokens <= 2048) return 'low';
  return budgetTokens <= 8192 ? 'medium' : 'high';
}

/**
 * True where results of calls end the conversation and their turn holds no thought: then the vendor refuses a budget
 * (`Expected thinking or redacted_thinking, but found tool_use`, seen from 2025-08 to 2026-01). So come clients that
 * keep no signed thoughts, and turns that another vendor began.
 */
export function goesOnWithoutThought(messages: readonly JsonObject[]): boolean {
  const kindsOf = ({ content }: JsonObject) => asObjects(content).map(({ type }) => type);
  const asked = messages.findLastIndex((turn) => turn.role === 'user' && !kindsOf(turn).includes('tool_result'));
  const answered = messages.slice(asked + 1);
  if (answered.at(-1)?.role !== 'user') return false;
  return !answered.some((turn) => kindsOf(turn).some((kind) => kind === 'thinking' || kind === 'redacted_thinking'));
}

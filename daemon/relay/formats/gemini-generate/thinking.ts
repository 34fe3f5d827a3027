/**
 * `thinkingConfig` by model family: a budget in 2.5, a level from 3 on (relay.md 7.2, 13.4).
 * Source: providers/gemini.md, read 2026-08.
 */
import type { ChatRequest, Effort, ReasoningControl } from '../../canonical/chat.ts';
import { wantsNoThought, wantsThought } from '../../canonical/reasoning.ts';
import type { JsonObject } from '../../json.ts';

interface BudgetRange {
  readonly least: number;
  readonly most: number;
  readonly canBeOff: boolean;
}

/** Generation in the name: 2.5 is 2.5, 3.1 is 3.1; undefined when the name is no Gemini's. */
export function geminiVersion(model: string): number | undefined {
  const found = /gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1];
  return found === undefined ? undefined : Number(found);
}

function rangeOf(model: string): BudgetRange {
  if (/-pro/.test(model)) return { least: 128, most: 32_768, canBeOff: false };
  return { least: /flash-lite/.test(model) ? 512 : 1, most: 24_576, canBeOff: true };
}

const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 512,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};

/** True where the client has a wish of how to think that `encoded` does not say: the model cannot, or cannot do without. */
export function losesThinking({ reasoning }: Pick<ChatRequest, 'reasoning'>, encoded: JsonObject | undefined): boolean {
  if (reasoning === undefined || reasoning.raw?.dialect === 'gemini-generate') return false;
  if (encoded === undefined) return wantsThought(reasoning);
  return wantsNoThought(reasoning) && encoded.thinkingBudget !== 0;
}

/** Undefined when the client said nothing, or the model cannot think. */
export function encodeThinking(
  request: Pick<ChatRequest, 'model' | 'reasoning' | 'maxTokens'>,
): JsonObject | undefined {
  const control = request.reasoning;
  if (control === undefined) return undefined;
  if (control.raw?.dialect === 'gemini-generate') return control.raw.value;
  const version = geminiVersion(request.model);
  if (version === undefined || version < 2.5 || /image|tts/.test(request.model)) return undefined;
  return version >= 3 ? level(control, request.model) : budget(control, request);
}

/** Thoughts count as output, so a budget leaves the answer a fifth of the limit. */
function budget(
  control: ReasoningControl,
  { model, maxTokens = Number.POSITIVE_INFINITY }: Pick<ChatRequest, 'model' | 'maxTokens'>,
): JsonObject {
  const range = rangeOf(model);
  if (wantsNoThought(control)) return { thinkingBudget: range.canBeOff ? 0 : range.least };
  const wanted = control.budgetTokens ?? (control.effort === undefined ? undefined : budgets[control.effort]);
  const shown = { includeThoughts: control.show ?? true };
  if (wanted === undefined) return shown;
  const room = wanted < maxTokens ? wanted : Math.floor(0.8 * maxTokens);
  return { ...shown, thinkingBudget: Math.min(range.most, Math.max(range.least, room)) };
}

/** 3 Pro knows two levels, later Pro models three; the others four, and none can be switched off. */
function level(control: ReasoningControl, model: string): JsonObject {
  const isPro = /-pro/.test(model);
  const isFirstPro = /gemini-3-pro/.test(model);
  if (wantsNoThought(control)) return { thinkingLevel: isPro ? 'low' : 'minimal' };
  const shown = { includeThoughts: control.show ?? true };
  const effort = control.effort ?? effortOfBudget(control.budgetTokens);
  if (effort === undefined) return shown;
  let word: string = effort === 'xhigh' || effort === 'max' ? 'high' : effort;
  if (isPro && word === 'minimal') word = 'low';
  if (isFirstPro && word === 'medium') word = 'high';
  return { ...shown, thinkingLevel: word };
}

function effortOfBudget(tokens: number | undefined): Effort | undefined {
  if (tokens === undefined) return undefined;
  if (tokens <= 1024) return 'low';
  return tokens <= 8192 ? 'medium' : 'high';
}

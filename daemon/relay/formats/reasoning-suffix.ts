/**
 * Claude and Gemini names that ask for reasoning by their ending (relay.md 6.1, 7.2, 12.3), and the request that they
 * mean, on both lanes. Only an upstream that speaks the family's own format is asked so: any other may know the whole
 * name. OpenAI's efforts are read with the name (`model-names.ts`) and applied here. A name that a
 * mapping wrote is never given here.
 */
import type { ChatRequest, Effort, ReasoningControl } from '../canonical/chat.ts';
import type { FormatId } from '../format.ts';
import type { JsonObject } from '../json.ts';
import { claudeVersion, leastTopP, thinksAdaptively } from './anthropic-messages/model-rules.ts';
import { goesOnWithoutThought, planThinking, withDisplay } from './anthropic-messages/thinking.ts';
import { asNumber, asObject, asObjects } from './fields.ts';
import { encodeThinking, geminiVersion } from './gemini-generate/thinking.ts';

/** The runtime options that decide which suffixes mean something. */
export interface SuffixOptions {
  /** `claude.thinking_adapter_enabled` */
  readonly claudeThinking: boolean;
  /** `claude.thinking_adapter_budget_tokens_percentage`, 0 to 1. */
  readonly claudeBudgetShare: number;
  /** `gemini.thinking_adapter_enabled` */
  readonly geminiThinking: boolean;
  /** `gemini.models_supported_thinking_budget` */
  readonly geminiBudgetModels: readonly string[];
  /** `gemini.thinking_adapter_budget_tokens_percentage`, 0 to 1. */
  readonly geminiBudgetShare: number;
}

/**
 * What a suffix asks for: a fixed control, or a budget that is a share of the request's output limit. `most` is that
 * budget where there is no limit, too. `room`: least output limit of the request; undefined leaves it as it is.
 */
export type ReasoningWish = { readonly room?: number } & (
  | { readonly kind: 'control'; readonly control: ReasoningControl }
  | { readonly kind: 'share'; readonly share: number; readonly least: number; readonly most?: number }
);

export interface SuffixedModel {
  /** The name without its suffix. */
  readonly model: string;
  readonly wish: ReasoningWish;
  /** For the log: the effort or budget in a word. */
  readonly word: string;
}

/** Each family by the format that its vendor speaks. */
const families: Readonly<
  Partial<Record<FormatId, (model: string, options: SuffixOptions) => SuffixedModel | undefined>>
> = { 'anthropic-messages': readClaudeSuffix, 'gemini-generate': readGeminiSuffix };

/** Undefined when the name carries no suffix of the family that speaks this format, or the options switch it off. */
export function readReasoningSuffix(
  format: FormatId,
  model: string,
  options: SuffixOptions,
): SuffixedModel | undefined {
  return families[format]?.(model, options);
}

/** The name without `-suffix`, and the suffix; undefined when none of the words ends it. */
function split(model: string, words: RegExp): { base: string; word: string } | undefined {
  const found = words.exec(model);
  const word = found?.[1];
  return found === null || word === undefined ? undefined : { base: model.slice(0, found.index), word };
}

const efforts: Readonly<Record<string, Effort>> = {
  none: 'none',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
};

/** The wish of an effort that was read elsewhere (`model-names.ts`); undefined for an unknown word. */
export function wishOfEffort(word: string): ReasoningWish | undefined {
  const effort = efforts[word];
  return effort === undefined ? undefined : { kind: 'control', control: { effort } };
}

function effortOf(base: string, word: string): SuffixedModel | undefined {
  const wish = wishOfEffort(word);
  return wish === undefined ? undefined : { model: base, wish, word };
}

/** Room for the smallest budget, 1024 tokens, and an answer. */
const thinkingRoom = 1280;

function readClaudeSuffix(model: string, options: SuffixOptions): SuffixedModel | undefined {
  const found = split(model, /-(thinking|low|medium|high|xhigh|max)$/);
  if (found === undefined || !options.claudeThinking || claudeVersion(found.base) === undefined) return undefined;
  const isAdaptive = thinksAdaptively(found.base);
  if (found.word !== 'thinking') return isAdaptive ? effortOf(found.base, found.word) : undefined;
  const wish: ReasoningWish = isAdaptive
    ? { kind: 'control', control: { mode: 'adaptive', effort: 'high' }, room: thinkingRoom }
    : { kind: 'share', share: options.claudeBudgetShare, least: 1024, room: thinkingRoom };
  return { model: found.base, wish, word: 'thinking' };
}

/** Of a share; who names a budget may ask the models that think longest, Pro, for more. */
const mostGeminiShare = 24_576;

function readGeminiSuffix(model: string, options: SuffixOptions): SuffixedModel | undefined {
  if (!options.geminiThinking || !/(^|\/)gemini-[^/]*$/.test(model)) return undefined;
  const found = split(model, /-(thinking(?:-\d+)?|nothinking|low|medium|high|minimal)$/);
  if (found === undefined) return undefined;
  const { base, word } = found;
  const isNewest = (geminiVersion(base) ?? 0) >= 3;
  if (!isNewest && !options.geminiBudgetModels.includes(base)) return undefined;
  if (word === 'nothinking') return { model: base, wish: { kind: 'control', control: { budgetTokens: 0 } }, word };
  const exact = /^thinking-(\d+)$/.exec(word)?.[1];
  if (exact !== undefined) {
    return { model: base, wish: { kind: 'control', control: { budgetTokens: Number(exact) } }, word };
  }
  if (word !== 'thinking') return isNewest ? effortOf(base, word) : undefined;
  return {
    model: base,
    wish: { kind: 'share', share: options.geminiBudgetShare, least: 1, most: mostGeminiShare },
    word,
  };
}

/** The output limit with the room that thinking needs; undefined where there is none to enlarge. */
function limitOf({ room = 0 }: ReasoningWish, limit: number | undefined): number | undefined {
  return limit === undefined ? undefined : Math.max(limit, room);
}

/** An effort and nothing else: it goes with whatever the client says of its thinking. */
function effortAlone(wish: ReasoningWish): Effort | undefined {
  return wish.kind === 'control' && wish.control.mode === undefined ? wish.control.effort : undefined;
}

function controlOf(wish: ReasoningWish, maxTokens: number | undefined): ReasoningControl {
  if (wish.kind === 'control') return wish.control;
  const { share, least, most } = wish;
  const budget = maxTokens === undefined || maxTokens === 0 ? (most ?? 0) : Math.floor(maxTokens * share);
  return { mode: 'enabled', budgetTokens: Math.max(least, Math.min(budget, most ?? budget)) };
}

/**
 * The request with the wish in it, for the translated lane. A client that said itself how to think is left alone, but
 * for an effort that it did not name.
 * `defaultMaxTokens` is the limit that the encoder will set where the client named none; undefined where none is set.
 */
export function applyWish(
  request: ChatRequest,
  wish: ReasoningWish,
  defaultMaxTokens: number | undefined,
): ChatRequest {
  const own = request.reasoning;
  if (own?.mode !== undefined || own?.budgetTokens !== undefined) {
    const effort = own.effort ?? effortAlone(wish);
    return effort === undefined ? request : { ...request, reasoning: { ...own, effort } };
  }
  const maxTokens = limitOf(wish, request.maxTokens ?? defaultMaxTokens);
  const reasoning = { ...own, ...controlOf(wish, maxTokens) };
  return wish.room === undefined || maxTokens === undefined
    ? { ...request, reasoning }
    : { ...request, reasoning, maxTokens };
}

/** A wish for a body whose model has this name without its suffix. */
export interface BodyWish {
  readonly model: string;
  readonly wish: ReasoningWish;
  /** The limit that the provider will set where the client named none. */
  readonly defaultMaxTokens?: number | undefined;
}

/** The body with the wish in it, for the native lane; a copy where something changes. */
export function applyWishToBody(format: FormatId, body: JsonObject, wish: BodyWish): JsonObject {
  switch (format) {
    case 'openai-chat': {
      const { effort } = controlOf(wish.wish, undefined);
      return effort === undefined ? body : { ...body, reasoning_effort: effort };
    }
    case 'openai-responses': {
      const { effort } = controlOf(wish.wish, undefined);
      return effort === undefined ? body : { ...body, reasoning: { ...asObject(body.reasoning), effort } };
    }
    case 'anthropic-messages':
      return body.thinking === undefined ? thinkingMessages(body, wish) : withEffort(body, wish.wish);
    case 'gemini-generate':
      return thinkingGemini(body, wish);
    default:
      return body;
  }
}

function withEffort(body: JsonObject, wish: ReasoningWish): JsonObject {
  const config = asObject(body.output_config);
  const effort = effortAlone(wish);
  return effort === undefined || config?.effort !== undefined
    ? body
    : { ...body, output_config: { ...config, effort } };
}

/** Thinking forbids sampling knobs and forced tools, so those go with it. */
function thinkingMessages(body: JsonObject, { model, wish, defaultMaxTokens }: BodyWish): JsonObject {
  const maxTokens = limitOf(wish, asNumber(body.max_tokens) || (defaultMaxTokens ?? 0)) ?? 0;
  const asked = { dialect: 'anthropic-messages', model, reasoning: controlOf(wish, maxTokens) } as const;
  const plan = planThinking(asked, maxTokens);
  if (plan.thinking?.type === 'enabled' && goesOnWithoutThought(asObjects(body.messages))) return body;
  const { temperature: _, top_k: __, top_p, tool_choice, ...rest } = body;
  const changed: JsonObject = { ...rest, max_tokens: plan.maxTokens };
  if (plan.thinking !== undefined) changed.thinking = withDisplay(plan.thinking, asked);
  if (plan.effort !== undefined) changed.output_config = { ...asObject(body.output_config), effort: plan.effort };
  if (typeof top_p === 'number' && top_p >= leastTopP(model)) changed.top_p = top_p;
  const choice = asObject(tool_choice);
  if (choice !== undefined) {
    const isForced = choice.type === 'any' || choice.type === 'tool';
    const { name: ___, ...general } = choice;
    changed.tool_choice = isForced ? { ...general, type: 'auto' } : choice;
  }
  return changed;
}

function thinkingGemini(body: JsonObject, { model, wish }: BodyWish): JsonObject {
  const key = body.generation_config === undefined ? 'generationConfig' : 'generation_config';
  const config = asObject(body[key]) ?? {};
  if (config.thinkingConfig !== undefined || config.thinking_config !== undefined) return body;
  const limit = asNumber(config.maxOutputTokens) ?? asNumber(config.max_output_tokens);
  const thinkingConfig = encodeThinking({ model, reasoning: controlOf(wish, limit) });
  return thinkingConfig === undefined ? body : { ...body, [key]: { ...config, thinkingConfig } };
}

/** What an upstream reports of an answer, where the words that came say more than the report (relay.md 14.1, 15.8). */
import type { SettleReason } from '../domain/settlement.ts';
import { type Usage, withCompletion } from '../relay/canonical/usage.ts';
import type { FormatId } from '../relay/format.ts';
import type { Json, JsonObject } from '../relay/json.ts';
import type { Endpoint } from './exchange.ts';
import type { AnswerMeter } from './lane.ts';

/** How an answer came to its end. */
interface Ended {
  readonly reason: SettleReason;
  readonly meter: AnswerMeter | undefined;
  readonly served: { readonly plan: { readonly call: { readonly format: FormatId } } } | undefined;
}

/** The report, with what was received in place of what it leaves out. */
export function withReceived(reported: Usage, outcome: Ended, { capability }: Pick<Endpoint, 'capability'>): Usage {
  const { meter } = outcome;
  if (meter === undefined) return reported;
  if (outcome.reason !== 'complete' && isBeforeItsReport(outcome, meter)) return withWords(reported, meter);
  return isText(capability) && leavesWordsOut(reported, meter) ? withWords(reported, meter) : reported;
}

/** Questions and answers are words, which can be counted here. */
export function isText(capability: Endpoint['capability']): boolean {
  return capability === 'chat' || capability === 'completions' || capability === 'edits';
}

/** The report counts words of the answer, and none of the question: no answer was asked for with nothing. */
export function leavesPromptOut(reported: Usage): boolean {
  return reported.prompt === 0 && reported.completion > 0;
}

/** Words came, and the report counts none: it tells of the prompt alone. */
export function leavesWordsOut(reported: Usage, meter: AnswerMeter): boolean {
  return reported.completion === 0 && !meter.isBlank();
}

/**
 * Anthropic's first event reports the prompt, and of the answer a token that stands for what is still to come: a stream
 * that broke before its last report is billed for the text that was received and the tools that were seen to run.
 */
function isBeforeItsReport({ served }: Ended, meter: AnswerMeter): boolean {
  return served?.plan.call.format === 'anthropic-messages' && meter.hasSaidItsEnd?.() === false;
}

function withWords(reported: Usage, meter: AnswerMeter): Usage {
  const counted = meter.counted();
  const tools = meter.tools?.();
  const isMore = counted.completion > reported.completion;
  if (!isMore && tools === undefined) return reported;
  const told = { tools: { ...reported.tools, ...tools }, source: 'mixed' as const };
  return { ...reported, ...(isMore ? withCompletion(reported, counted) : {}), ...told };
}

/**
 * Searches under the tool that the client asked for, whose price may be another (15.6): OpenAI repeats an answer's tools
 * in it, and not every upstream of its protocol does.
 */
export function underAskedTools(usage: Usage, { served }: Pick<Ended, 'served'>, asked: JsonObject): Usage {
  if (usage.tools.web_search === undefined || served?.plan.call.format !== 'openai-responses') return usage;
  if (!asksPreview(asked)) return usage;
  const { web_search: searches, ...others } = usage.tools;
  const previews = searches + (others.web_search_preview ?? 0);
  return { ...usage, tools: { ...others, web_search_preview: previews } };
}

function asksPreview({ tools }: JsonObject): boolean {
  const types = Array.isArray(tools) ? tools.map(typeOf).filter((type) => type.startsWith('web_search')) : [];
  return types.length > 0 && types.every((type) => type.startsWith('web_search_preview'));
}

function typeOf(tool: Json): string {
  return typeof tool === 'object' && tool !== null && !Array.isArray(tool) ? String(tool.type) : '';
}

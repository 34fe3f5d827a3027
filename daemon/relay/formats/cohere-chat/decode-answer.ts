/** A whole answer of Cohere's as a chat completion. */
import type { Json, JsonObject } from '../../json.ts';
import { asList, asNumber, asObject, asObjects, asText, asWord, entryOf } from '../fields.ts';
import { completionOf, errorOf, usageOf } from '../vendor-chat.ts';

const finishWords: Readonly<Record<string, string>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool_calls',
  ERROR_TOXIC: 'content_filter',
  ERROR_LIMIT: 'length',
};

/** The chat wire's word; undefined for an answer that failed. */
export function finishOf(word: Json | undefined): string | undefined {
  return word === 'ERROR' || word === 'TIMEOUT' ? undefined : (entryOf(finishWords, asWord(word) ?? '') ?? 'stop');
}

/** What is billed, where the vendor says so: its token counts hold a hidden template too. */
export function readUsage(value: Json | undefined): JsonObject | undefined {
  const usage = asObject(value);
  const billed = asObject(usage?.billed_units);
  if (asNumber(billed?.input_tokens) !== undefined || asNumber(billed?.output_tokens) !== undefined) {
    return usageOf(billed?.input_tokens, billed?.output_tokens);
  }
  const counted = asObject(usage?.tokens);
  if (counted === undefined) return undefined;
  const details = { cached_tokens: asNumber(usage?.cached_tokens) ?? 0 };
  return { ...usageOf(counted.input_tokens, counted.output_tokens), prompt_tokens_details: details };
}

/**
 * How likely each piece of text was; undefined where nothing is told. A piece may be several tokens, whose own texts
 * nobody knows: it is as likely as all of them together.
 */
export function readLogprobs(value: Json | undefined): JsonObject | undefined {
  const content = asObjects(value).flatMap(({ text, logprobs }): JsonObject[] => {
    const odds = asList(logprobs).flatMap((one) => asNumber(one) ?? []);
    const token = asText(text) ?? '';
    const logprob = odds.reduce((sum, one) => sum + one, 0);
    return odds.length === 0 ? [] : [{ token, logprob, bytes: [...Buffer.from(token)], top_logprobs: [] }];
  });
  return content.length === 0 ? undefined : { content };
}

export function readAnswer(body: JsonObject): JsonObject {
  const message = asObject(body.message);
  if (message === undefined) return errorOf(undefined, body.message);
  const finish = finishOf(body.finish_reason);
  if (finish === undefined) return errorOf(body.finish_reason, 'the answer failed', 502);
  const parts = asObjects(message.content);
  const join = (member: string) => parts.flatMap((part) => asText(part[member]) ?? []).join('');
  const text = typeof message.content === 'string' ? message.content : join('text');
  const thought = join('thinking') + (asText(message.tool_plan) ?? '');
  const made: JsonObject = { content: text === '' ? null : text };
  if (thought !== '') made.reasoning_content = thought;
  if (asObjects(message.tool_calls).length > 0) made.tool_calls = message.tool_calls ?? [];
  return completionOf(body, made, { finish, usage: readUsage(body.usage), logprobs: readLogprobs(body.logprobs) });
}

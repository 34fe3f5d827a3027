/** Baidu's Wenxin workshop chat, whole and streamed. Source: providers/baidu.md (V1), read 2026-11. */
import type { Scope, WireEvent } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asNumber, asObject, asObjects, asText, asTexts, asWord, entryOf, some } from '../fields.ts';
import { lose } from '../loss.ts';
import { noteStops, type StopRule, takenStops } from '../stop-words.ts';
import {
  chunkOf,
  completionOf,
  errorOf,
  isForced,
  payloadOf,
  textOfContent,
  usageOf,
  vendorChat,
} from '../vendor-chat.ts';

const finishWords: Readonly<Record<string, string>> = {
  normal: 'stop',
  stop: 'stop',
  length: 'length',
  content_filter: 'content_filter',
  function_call: 'tool_calls',
};

/** Wishes of this interface alone, which clients write beside OpenAI's. */
const own = ['disable_search', 'enable_citation', 'enable_trace', 'enable_system_memory', 'system_memory_id'] as const;

/** Of all models these take a word for the function to call. */
const takesChoice = /^ernie-func/i;

/** Stands where nobody said anything, but somebody must have. */
const silence = '...';

/** Messages alternate, begin and end with the user, on whose side results stand. Neighbours of one role become one. */
function encodeMessages(messages: Json | undefined, scope: Scope): { messages: JsonObject[]; system: string } {
  const system: string[] = [];
  const turns: JsonObject[] = [];
  const said = asObjects(messages);
  const placed = new Set<JsonObject>();
  for (const [index, message] of said.entries()) {
    const text = textOfContent(message.content);
    const calls = asObjects(message.tool_calls);
    if (message.role === 'system' || message.role === 'developer') system.push(text);
    else if (calls.length > 0) {
      const pairs = pairsOf(calls, resultsAfter(said, index));
      if (pairs.length < calls.length) scope.lose('messages.tool_calls[1..]');
      for (const [at, pair] of pairs.entries()) addCall(turns, pair, at === 0 ? text : '');
      for (const { result } of pairs) if (result !== undefined) placed.add(result);
    } else if (message.role !== 'tool') addTurn(turns, { role: message.role ?? 'user', content: text });
    else if (!placed.has(message)) scope.lose('messages.tool');
  }
  if (turns.at(-1)?.role === 'assistant') {
    scope.lose('messages[-1]');
    turns.pop();
  }
  return { messages: turns, system: system.join('\n') };
}

/** The first result of each call that stands behind a message, by the call's id. */
function resultsAfter(messages: readonly JsonObject[], index: number): ReadonlyMap<Json | undefined, JsonObject> {
  const results = new Map<Json | undefined, JsonObject>();
  for (let at = index + 1; at < messages.length; at += 1) {
    const message = messages[at];
    if (message?.role !== 'tool') break;
    if (!results.has(message.tool_call_id)) results.set(message.tool_call_id, message);
  }
  return results;
}

interface CallPair {
  readonly call: JsonObject;
  readonly result: JsonObject | undefined;
}

/** A turn holds one call: those that were made at once follow one another, each with its result. */
function pairsOf(
  calls: readonly JsonObject[],
  results: ReadonlyMap<Json | undefined, JsonObject>,
): readonly CallPair[] {
  const pairs = calls.map((call) => ({ call, result: results.get(call.id) }));
  const answered = pairs.filter(({ result }) => result !== undefined);
  return answered.length > 0 ? answered : pairs.slice(0, 1);
}

function addCall(turns: JsonObject[], { call, result }: CallPair, text: string): void {
  const { name = '', arguments: given = '{}' } = asObject(call.function) ?? {};
  addTurn(turns, { role: 'assistant', content: text, function_call: { name, arguments: given } });
  if (result !== undefined) addTurn(turns, { role: 'function', name, content: asJson(textOfContent(result.content)) });
}

function addTurn(turns: JsonObject[], turn: JsonObject): void {
  const last = turns.at(-1);
  const isJoined = last?.role === turn.role && turn.role !== 'function';
  if (last !== undefined && isJoined && (last.function_call ?? turn.function_call) === undefined) {
    last.content = `${textOfContent(last.content)}\n${textOfContent(turn.content)}`;
    return;
  }
  const isAnswer = turn.role === 'assistant';
  const isAnswersTurn = last !== undefined && last.role !== 'assistant';
  if (isAnswer !== isAnswersTurn) turns.push({ role: isAnswer ? 'user' : 'assistant', content: silence });
  turns.push(turn);
}

/** Results are JSON texts here. */
function asJson(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify({ result: text });
  }
}

/** The longest answer of a model, beyond which it refuses the request; of others than Baidu's own none is known. */
function mostTokens(model: string): number {
  if (!/^ernie/i.test(model)) return Number.POSITIVE_INFINITY;
  return /128k/i.test(model) ? 4096 : 2048;
}

const stopRule: StopRule = { most: 4, fits: (word) => [...word].length <= 20 };

function encode(body: JsonObject, scope: Scope): JsonObject {
  const { messages, system } = encodeMessages(body.messages, scope);
  const wire: JsonObject = { messages };
  if (system !== '') wire.system = system;
  if (body.stream === true) wire.stream = true;
  const temperature = asNumber(body.temperature);
  if (temperature !== undefined) wire.temperature = Math.min(1, Math.max(0.01, temperature));
  const topP = asNumber(body.top_p);
  if (topP !== undefined) wire.top_p = Math.min(1, Math.max(0, topP));
  const penalty = asNumber(body.frequency_penalty) ?? asNumber(body.presence_penalty);
  if (asNumber(body.frequency_penalty) !== undefined) lose(scope, { presence_penalty: body.presence_penalty });
  if (penalty !== undefined) wire.penalty_score = penalty <= 0 ? 1 : Math.min(2, 1 + penalty);
  const limit = asNumber(body.max_tokens) ?? asNumber(body.max_completion_tokens);
  if (limit !== undefined) wire.max_output_tokens = Math.max(2, Math.min(limit, mostTokens(asText(body.model) ?? '')));
  const asked = asTexts(body.stop);
  const taken = takenStops(asked, stopRule);
  noteStops('stop', { asked, taken }, scope);
  if (taken.length > 0) wire.stop = taken;
  if (asWord(body.user) !== undefined) wire.user_id = body.user ?? '';
  const functions = asObjects(body.tools).flatMap((tool) => some(asObject(tool.function)));
  if (functions.length > 0 && body.tool_choice !== 'none') wire.functions = functions.map(encodeFunction);
  const chosen = asObject(body.tool_choice);
  if (chosen !== undefined && takesChoice.test(asWord(body.model) ?? '')) wire.tool_choice = chosen;
  else if (isForced(body.tool_choice)) scope.lose('tool_choice');
  const format = asWord(asObject(body.response_format)?.type);
  if (format === 'json_schema') scope.lose('response_format.json_schema');
  if (format !== undefined) wire.response_format = format === 'text' ? 'text' : 'json_object';
  for (const name of own) {
    const value = body[name];
    if (value !== undefined && value !== null) wire[name] = value;
  }
  return wire;
}

function encodeFunction({ name, description, parameters }: JsonObject): JsonObject {
  const schema = asObject(parameters);
  const isEmpty = schema === undefined || Object.keys(schema).length === 0;
  return {
    name: name ?? '',
    description: description ?? '',
    parameters: isEmpty ? { type: 'object', properties: {} } : schema,
  };
}

/** An error stands in a success, with a number of its own. */
function readError(body: JsonObject): JsonObject | undefined {
  const code = asNumber(body.error_code);
  return code === undefined || code === 0 ? undefined : errorOf(String(code), body.error_msg);
}

function messageOf(body: JsonObject): JsonObject {
  const message: JsonObject = { content: body.result ?? '' };
  const call = asObject(body.function_call);
  if (call === undefined) return message;
  const id = `call_${asWord(body.id) ?? asWord(call.name) ?? '0'}`;
  const made = { name: call.name ?? '', arguments: call.arguments ?? '{}' };
  message.tool_calls = [{ index: 0, id, type: 'function', function: made }];
  return message;
}

function finishOf(body: JsonObject): string {
  if (body.function_call !== undefined) return 'tool_calls';
  if (body.need_clear_history === true) return 'content_filter';
  if (body.is_truncated === true) return 'length';
  return entryOf(finishWords, asWord(body.finish_reason) ?? '') ?? 'stop';
}

function readUsage(body: JsonObject): JsonObject | undefined {
  const usage = asObject(body.usage);
  if (usage === undefined) return undefined;
  const rest = (asNumber(usage.total_tokens) ?? 0) - (asNumber(usage.prompt_tokens) ?? 0);
  return usageOf(usage.prompt_tokens, usage.completion_tokens ?? Math.max(0, rest));
}

function readEvent(event: WireEvent): JsonObject[] {
  const body = payloadOf(event);
  if (body === undefined) return [];
  const error = readError(body);
  if (error !== undefined) return [error];
  const chunk = chunkOf(body, messageOf(body), body.is_end === true ? finishOf(body) : undefined);
  const usage = readUsage(body);
  return [usage === undefined ? chunk : { ...chunk, usage }];
}

export const baiduWenxin = vendorChat({
  id: 'baidu-wenxin',
  takes: [
    'temperature',
    'top_p',
    'frequency_penalty',
    'presence_penalty',
    'max_tokens',
    'max_completion_tokens',
    'stop',
    'user',
    'tools',
    'tool_choice',
    'response_format',
    ...own,
  ],
  reads: { parts: [], members: ['tool_calls', 'tool_call_id'] },
  encode,
  answer: (body) =>
    readError(body) ?? completionOf(body, messageOf(body), { finish: finishOf(body), usage: readUsage(body) }),
  reader: () => ({ push: readEvent }),
});

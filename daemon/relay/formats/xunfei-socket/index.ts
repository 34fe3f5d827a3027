/** iFlytek Spark over a socket: one frame asks, frames answer. Source: providers/xunfei.md, read 2026-11. */
import type { Scope, WireEvent } from '../../format.ts';
import type { JsonObject } from '../../json.ts';
import { asNumber, asObject, asObjects, asText, asWord, parseJson, some } from '../fields.ts';
import {
  type ChunkReader,
  chunkOf,
  completionOf,
  errorOf,
  isForced,
  payloadOf,
  textOfContent,
  usageChunk,
  usageOf,
  vendorChat,
} from '../vendor-chat.ts';
import { isCutByFilter, isThinking } from '../xunfei-spark/index.ts';

/** Longest name of an end user. */
const longestUser = 32;

function encode(body: JsonObject, scope: Scope): JsonObject {
  const model = asWord(body.model) ?? '';
  const frame: JsonObject = {
    header: { uid: (asText(body.user) ?? '').slice(0, longestUser) },
    parameter: { chat: chatParameters(body, model, scope) },
    payload: { message: { text: asObjects(body.messages).map(encodeMessage) } },
  };
  const functions = asObjects(body.tools).flatMap((tool) => some(asObject(tool.function)));
  if (isForced(body.tool_choice)) scope.lose('tool_choice');
  if (functions.length === 0 || body.tool_choice === 'none') return frame;
  const text = functions.map(
    ({ name, description, parameters }): JsonObject => ({
      name: name ?? '',
      description: description ?? '',
      parameters: parameters ?? { type: 'object', properties: {} },
    }),
  );
  return { ...frame, payload: { ...asObject(frame.payload), functions: { text } } };
}

function chatParameters(body: JsonObject, model: string, scope: Scope): JsonObject {
  const chat: JsonObject = { domain: model, auditing: 'default' };
  const temperature = asNumber(body.temperature);
  if (temperature !== undefined) chat.temperature = Math.min(1, Math.max(0.01, temperature));
  const topK = asNumber(body.top_k);
  if (topK !== undefined) chat.top_k = Math.min(6, Math.max(1, Math.round(topK)));
  const limit = asNumber(body.max_tokens) ?? asNumber(body.max_completion_tokens);
  if (limit !== undefined) chat.max_tokens = limit;
  const thinks = isThinking(model);
  for (const field of ['presence_penalty', 'frequency_penalty']) {
    const value = asNumber(body[field]);
    if (value === undefined) continue;
    if (thinks) chat[field] = value;
    else if (value !== 0) scope.lose(field);
  }
  const effort = asWord(body.reasoning_effort);
  if (effort !== undefined && thinks) chat.thinking = { type: effort === 'none' ? 'disabled' : 'enabled' };
  else if (effort !== undefined && effort !== 'none') scope.lose('reasoning_effort');
  return chat;
}

/** There are two sides and a system: results are told by the user, calls by what they say. */
function encodeMessage({ role, content, tool_calls: calls }: JsonObject): JsonObject {
  const called = asObjects(calls).map((call) => {
    const { name, arguments: input } = asObject(call.function) ?? {};
    return `${asText(name) ?? ''}(${asText(input) ?? ''})`;
  });
  const text = [textOfContent(content), ...called].filter((line) => line !== '').join('\n');
  if (role === 'system' || role === 'developer') return { role: 'system', content: text };
  return { role: role === 'assistant' ? 'assistant' : 'user', content: text };
}

function readError(body: JsonObject): JsonObject | undefined {
  const header = asObject(body.header);
  const code = asNumber(header?.code);
  return code === undefined || code === 0 ? undefined : errorOf(String(code), header?.message);
}

interface Said {
  readonly delta: JsonObject;
  readonly id: JsonObject[string];
  readonly isLast: boolean;
  readonly isCall: boolean;
  readonly usage: JsonObject | undefined;
}

function readFrame(body: JsonObject): Said {
  const header = asObject(body.header);
  const payload = asObject(body.payload);
  const [text] = asObjects(asObject(payload?.choices)?.text);
  const delta: JsonObject = {};
  const thought = asWord(text?.reasoning_content);
  if (thought !== undefined) delta.reasoning_content = thought;
  if (asText(text?.content) !== undefined) delta.content = text?.content ?? '';
  const call = asObject(text?.function_call);
  const isCall = asWord(call?.name) !== undefined;
  if (isCall) {
    const made = { name: call?.name ?? '', arguments: callArguments(call) };
    delta.tool_calls = [{ index: 0, id: `call_${asText(header?.sid) ?? '0'}`, type: 'function', function: made }];
  }
  const usage = asObject(asObject(payload?.usage)?.text);
  return {
    delta,
    id: header?.sid ?? null,
    isLast: asNumber(header?.status) === 2,
    isCall,
    usage: usage && usageOf(usage.prompt_tokens, usage.completion_tokens),
  };
}

function callArguments(call: JsonObject | undefined): string {
  const text = asText(call?.arguments) ?? '';
  return parseJson(text) === undefined ? '{}' : text;
}

/** The last frame says so, and what was used. */
class FrameReader implements ChunkReader {
  #hasBegun = false;
  #hasCalls = false;
  #isOver = false;

  push(event: WireEvent): JsonObject[] {
    const body = payloadOf(event);
    if (body === undefined) return [];
    const error = readError(body);
    if (error !== undefined) {
      const chunk = this.#hasBegun && isCutByFilter(error) ? chunkOf({}, {}, 'content_filter') : error;
      this.#isOver = true;
      return [chunk];
    }
    const { delta, id, isLast, isCall, usage } = readFrame(body);
    this.#hasBegun = true;
    if (isCall) this.#hasCalls = true;
    const chunks = [chunkOf({ id }, delta)];
    if (isLast) chunks.push(...this.end());
    return usage === undefined ? chunks : [...chunks, usageChunk({ id }, usage)];
  }

  end(): JsonObject[] {
    if (this.#isOver || !this.#hasBegun) return [];
    this.#isOver = true;
    return [chunkOf({}, {}, this.#hasCalls ? 'tool_calls' : 'stop')];
  }
}

function readAnswer(body: JsonObject): JsonObject {
  const error = readError(body);
  if (error !== undefined) return error;
  const { delta, id, isCall, usage } = readFrame(body);
  return completionOf({ id }, delta, { finish: isCall ? 'tool_calls' : 'stop', usage });
}

export const xunfeiSocket = vendorChat({
  id: 'xunfei-socket',
  takes: [
    'temperature',
    'top_k',
    'max_tokens',
    'max_completion_tokens',
    'presence_penalty',
    'frequency_penalty',
    'reasoning_effort',
    'user',
    'tools',
    'tool_choice',
  ],
  reads: { parts: [], members: ['tool_calls', 'tool_call_id'] },
  encode,
  answer: readAnswer,
  reader: () => new FrameReader(),
});

/** Ollama's own chat: lines of JSON, and options that its compatible interface cannot say. Source: providers/ollama.md, read 2026-11. */
import { argumentsObject, argumentsText } from '../../canonical/arguments.ts';
import { MarkedNumbers } from '../../canonical/exact-numbers.ts';
import type { Scope, WireEvent } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asNumber, asObject, asObjects, asText, asTexts, asWord, entryOf, inexpressible } from '../fields.ts';
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

const samplers = ['temperature', 'top_p', 'top_k', 'seed', 'presence_penalty', 'frequency_penalty'] as const;
/** Members that go on as they are, some of which only clients of this server write. */
const passed = ['keep_alive', 'truncate', 'shift', 'logprobs', 'top_logprobs'] as const;
const efforts: Readonly<Record<string, Json>> = {
  none: false,
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'max',
  max: 'max',
};

function encode(body: JsonObject, scope: Scope): JsonObject {
  const options: JsonObject = {};
  for (const name of samplers) {
    const value = body[name];
    if (asNumber(value) !== undefined) options[name] = value ?? 0;
  }
  const limit = asNumber(body.max_tokens) ?? asNumber(body.max_completion_tokens);
  if (limit !== undefined) options.num_predict = limit;
  const stop = asTexts(body.stop);
  if (stop.length > 0) options.stop = [...stop];
  Object.assign(options, asObject(body.options));
  const wire: JsonObject = {
    model: body.model ?? '',
    messages: encodeMessages(asObjects(body.messages)),
    // Left out, it would mean yes.
    stream: body.stream === true,
    options,
  };
  if (asObjects(body.tools).length > 0 && body.tool_choice !== 'none') wire.tools = body.tools ?? [];
  if (isForced(body.tool_choice)) scope.lose('tool_choice');
  const format = formatOf(asObject(body.response_format));
  if (format !== undefined) wire.format = format;
  const think = body.think ?? entryOf(efforts, asWord(body.reasoning_effort) ?? '');
  if (think !== undefined) wire.think = think;
  for (const name of passed) {
    const value = body[name];
    if (value !== undefined) wire[name] = value;
  }
  return wire;
}

function formatOf(wished: JsonObject | undefined): Json | undefined {
  if (wished?.type === 'json_object') return 'json';
  return wished?.type === 'json_schema' ? (asObject(wished.json_schema)?.schema ?? 'json') : undefined;
}

function encodeMessages(messages: readonly JsonObject[]): JsonObject[] {
  const names = new Map<string, string>();
  return messages.map((message) => {
    const role = message.role === 'developer' ? 'system' : (message.role ?? 'user');
    const wire: JsonObject = { role, content: textOfContent(message.content) };
    const images = asObjects(message.content).flatMap(imageOf);
    if (images.length > 0) wire.images = images;
    if (asWord(message.reasoning_content) !== undefined) wire.thinking = message.reasoning_content ?? '';
    const calls = asObjects(message.tool_calls).map((call) => encodeCall(call, names));
    if (calls.length > 0) wire.tool_calls = calls;
    const answered = asWord(message.tool_call_id);
    if (answered !== undefined) {
      wire.tool_call_id = answered;
      const name = names.get(answered);
      if (name !== undefined) wire.tool_name = name;
    }
    return wire;
  });
}

/** The bare bytes; addresses were fetched before. */
function imageOf(part: JsonObject): string[] {
  const given = asObject(part.image_url)?.url ?? part.image_url;
  const url = asWord(given);
  if (url === undefined) return [];
  if (!url.startsWith('data:')) throw inexpressible('image', 'must be given by its bytes');
  return [url.slice(url.indexOf(',') + 1)];
}

/** Arguments are an object here. Keeps the name for the result, which has to tell it. */
function encodeCall(call: JsonObject, names: Map<string, string>): JsonObject {
  const own = asObject(call.function) ?? {};
  const id = asWord(call.id);
  const name = asText(own.name) ?? '';
  if (id !== undefined) names.set(id, name);
  const made = { name, arguments: argumentsObject(argumentsText(own.arguments) ?? '') };
  return id === undefined ? { function: made } : { id, function: made };
}

function decodeMessage(value: Json | undefined, scope: Pick<Scope, 'newId'>, first: number): JsonObject {
  const wire = asObject(value) ?? {};
  const message: JsonObject = {};
  if (asWord(wire.thinking) !== undefined) message.reasoning_content = wire.thinking ?? '';
  if (asText(wire.content) !== undefined) message.content = wire.content ?? '';
  const calls = asObjects(wire.tool_calls).map((call, at): JsonObject => {
    const own = asObject(call.function) ?? {};
    const made = { name: own.name ?? '', arguments: argumentsText(own.arguments) ?? '{}' };
    return { index: first + at, id: asWord(call.id) ?? scope.newId('call_'), type: 'function', function: made };
  });
  if (calls.length > 0) message.tool_calls = calls;
  return message;
}

/** How likely each token was, in the chat wire's own words; undefined where nothing is told. */
function oddsIn(body: JsonObject): JsonObject | undefined {
  const content = asObjects(body.logprobs);
  return content.length === 0 ? undefined : { content: [...content] };
}

function finishOf(body: JsonObject, hasCalls: boolean): string {
  if (hasCalls) return 'tool_calls';
  return body.done_reason === 'length' ? 'length' : 'stop';
}

/** A prompt that was in memory already counts as nothing, or is not counted: its tokens, and no others, are counted here then. */
function usageIn(body: JsonObject): JsonObject | undefined {
  return asNumber(body.eval_count) === undefined ? undefined : usageOf(body.prompt_eval_count, body.eval_count);
}

/** A line in which calls have arguments as text, since what is parsed of numbers has lost digits. Undefined: it has none such. */
function exactly(line: string): Json | undefined {
  return line.includes('"tool_calls"') ? MarkedNumbers.in(line)?.withTexts('arguments') : undefined;
}

class LineReader implements ChunkReader {
  readonly #scope: Scope;
  /** Calls come whole, each in a line of its own. */
  #calls = 0;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  push(event: WireEvent): JsonObject[] {
    const body = asObject(exactly(event.data)) ?? payloadOf(event);
    if (body === undefined) return [];
    if (body.error !== undefined) return [errorOf(undefined, body.error)];
    const known = { model: body.model };
    const delta = decodeMessage(body.message, this.#scope, this.#calls);
    this.#calls += asObjects(delta.tool_calls).length;
    const said = [chunkOf(known, delta)];
    const logprobs = oddsIn(body);
    if (logprobs !== undefined) said.push({ choices: [{ index: 0, delta: {}, finish_reason: null, logprobs }] });
    if (body.done !== true) return said;
    const usage = usageIn(body);
    const last = [...said, chunkOf(known, {}, finishOf(body, this.#calls > 0))];
    return usage === undefined ? last : [...last, usageChunk(known, usage)];
  }
}

function readAnswer(body: JsonObject, scope: Pick<Scope, 'newId'>): JsonObject {
  if (body.error !== undefined) return errorOf(undefined, body.error);
  const message = decodeMessage(body.message, scope, 0);
  const finish = finishOf(body, message.tool_calls !== undefined);
  return completionOf({ model: body.model }, message, { finish, usage: usageIn(body), logprobs: oddsIn(body) });
}

export const ollamaChat = vendorChat({
  id: 'ollama-chat',
  inlines: ['image'],
  takes: [
    ...samplers,
    'max_tokens',
    'max_completion_tokens',
    'stop',
    'tools',
    'tool_choice',
    'response_format',
    'reasoning_effort',
    'options',
    'think',
    ...passed,
  ],
  reads: { parts: ['image_url'], members: ['tool_calls', 'tool_call_id', 'reasoning_content'] },
  encode,
  answer: readAnswer,
  reader: (scope) => new LineReader(scope),
});

/** DashScope's own chat, for texts and for what has pictures and sound in it. Source: providers/ali.md, read 2026-11. */
import type { Scope, WireEvent } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asNumber, asObject, asObjects, asText, asWord, inexpressible } from '../fields.ts';
import {
  type ChunkReader,
  chunkOf,
  completionOf,
  errorOf,
  payloadOf,
  textOfContent,
  usageChunk,
  usageOf,
  vendorChat,
} from '../vendor-chat.ts';

/** Fields that stand among the parameters under their own name. */
const parameters = [
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'stop',
  'presence_penalty',
  'repetition_penalty',
  'tools',
  'parallel_tool_calls',
  'response_format',
  'enable_search',
  'search_options',
  'enable_thinking',
  'thinking_budget',
  'logprobs',
  'top_logprobs',
  'reasoning_effort',
] as const;

/** Models that see or hear have a service of their own, where every content is a list. */
export function readsMedia(model: string): boolean {
  return /-(?:vl|omni|audio|ocr)(?:-|$)|^qvq/.test(model);
}

function encode(body: JsonObject, scope: Scope): JsonObject {
  const wire: JsonObject = { result_format: 'message' };
  // Otherwise each event repeats all that was said before.
  if (body.stream === true) wire.incremental_output = true;
  for (const name of parameters) {
    const value = body[name];
    if (value !== undefined) wire[name] = value;
  }
  const limit = asNumber(body.max_tokens) ?? asNumber(body.max_completion_tokens);
  if (limit !== undefined) wire.max_tokens = limit;
  if (body.tool_choice === 'required') scope.lose('tool_choice');
  if (body.tool_choice !== undefined) wire.tool_choice = body.tool_choice === 'required' ? 'auto' : body.tool_choice;
  const form = readsMedia(asWord(body.model) ?? '') ? 'parts' : 'text';
  return {
    model: body.model ?? '',
    input: { messages: asObjects(body.messages).map((message) => encodeMessage(message, form)) },
    parameters: wire,
  };
}

function encodeMessage({ role, content, ...rest }: JsonObject, form: 'parts' | 'text'): JsonObject {
  const message: JsonObject = { role: role === 'developer' ? 'system' : (role ?? 'user') };
  const isMixed = asObjects(content).some(({ type }) => type !== 'text');
  if (form === 'text' && isMixed) throw inexpressible('content', 'this model reads text alone');
  if (form === 'text') message.content = textOfContent(content);
  else message.content = typeof content === 'string' ? [{ text: content }] : asObjects(content).map(encodePart);
  for (const name of ['name', 'tool_calls', 'tool_call_id', 'reasoning_content']) {
    const value = rest[name];
    if (value !== undefined) message[name] = value;
  }
  return message;
}

/** Parts have no type: the name of the one member says it. */
function encodePart(part: JsonObject): JsonObject {
  const image = asWord(asObject(part.image_url)?.url);
  if (image !== undefined) return { image };
  const video = asWord(asObject(part.video_url)?.url);
  if (video !== undefined) return { video };
  const audio = asObject(part.input_audio);
  if (audio !== undefined)
    return { audio: `data:audio/${asWord(audio.format) ?? 'wav'};base64,${asText(audio.data) ?? ''}` };
  if (part.type !== 'text') throw inexpressible('content', `${asText(part.type) ?? 'a part'} cannot be sent`);
  return { text: part.text ?? '' };
}

/** A refusal, or a failure in the middle of a stream. */
function readError(body: JsonObject): JsonObject | undefined {
  return asObject(body.output) === undefined && asWord(body.code) !== undefined
    ? errorOf(body.code, body.message)
    : undefined;
}

interface Said {
  readonly message: JsonObject;
  /** Undefined while the answer goes on, which the vendor writes as a word. */
  readonly finish: string | undefined;
}

/** In the form of messages, or in the older one of bare text. */
function readOutput(body: JsonObject): Said {
  const output = asObject(body.output) ?? {};
  const [choice] = asObjects(output.choices);
  const source = asObject(choice?.message) ?? { content: output.text ?? '' };
  const message: JsonObject = { content: textIn(source.content) };
  if (asWord(source.reasoning_content) !== undefined) message.reasoning_content = source.reasoning_content ?? '';
  const calls = asObjects(source.tool_calls).map(withoutEmptyId);
  if (calls.length > 0) message.tool_calls = calls;
  const word = asWord(choice?.finish_reason) ?? asWord(output.finish_reason);
  return { message, finish: word === 'null' ? undefined : word };
}

/** The pages that a search found, where the chat wire has them. */
function foundPages(body: JsonObject): JsonObject {
  const found = asObjects(asObject(asObject(body.output)?.search_info)?.search_results);
  return found.length === 0 ? {} : { search_results: [...found] };
}

function textIn(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return asObjects(content)
    .flatMap((part) => asText(part.text) ?? [])
    .join('');
}

/** Later pieces of a call repeat its id as an empty text. */
function withoutEmptyId(call: JsonObject): JsonObject {
  if (call.id !== '') return call;
  const { id: _, ...rest } = call;
  return rest;
}

function readUsage(body: JsonObject): JsonObject | undefined {
  const usage = asObject(body.usage);
  if (asNumber(usage?.input_tokens) === undefined) return undefined;
  const wire: JsonObject = usageOf(usage?.input_tokens, usage?.output_tokens);
  const cached = asNumber(asObject(usage?.prompt_tokens_details)?.cached_tokens);
  if (cached !== undefined) wire.prompt_tokens_details = { cached_tokens: cached };
  const thought = asNumber(asObject(usage?.output_tokens_details)?.reasoning_tokens);
  if (thought !== undefined) wire.completion_tokens_details = { reasoning_tokens: thought };
  return wire;
}

class ResultReader implements ChunkReader {
  #isFinished = false;

  push(event: WireEvent): JsonObject[] {
    const body = payloadOf(event);
    if (body === undefined) return [];
    const error = readError(body);
    if (error !== undefined) return [error];
    const { message, finish } = readOutput(body);
    const known = { id: body.request_id };
    const chunk = chunkOf(known, message, this.#isFinished ? undefined : finish);
    const chunks = [{ ...chunk, ...foundPages(body) }];
    if (finish !== undefined) this.#isFinished = true;
    const usage = readUsage(body);
    return usage === undefined ? chunks : [...chunks, usageChunk(known, usage)];
  }
}

function readAnswer(body: JsonObject): JsonObject {
  const error = readError(body);
  if (error !== undefined) return error;
  const { message, finish } = readOutput(body);
  const completion = completionOf({ id: body.request_id }, message, {
    finish: finish ?? 'stop',
    usage: readUsage(body),
  });
  return { ...completion, ...foundPages(body) };
}

export const dashscopeChat = vendorChat({
  id: 'dashscope-chat',
  inlines: ['document'],
  takes: [...parameters, 'max_tokens', 'max_completion_tokens', 'tool_choice'],
  reads: {
    parts: ['image_url', 'video_url', 'input_audio'],
    members: ['name', 'tool_calls', 'tool_call_id', 'reasoning_content'],
  },
  encode,
  answer: readAnswer,
  reader: () => new ResultReader(),
});

/** Cohere's chat, first version: kept for channels whose owner asks for it. Source: providers/cohere.md, read 2026-11. */
import type { WireEvent } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { finishOf, readUsage } from '../cohere-chat/decode-answer.ts';
import { sharedFields } from '../cohere-chat/index.ts';
import { asObject, asObjects, asText, asTexts, asWord } from '../fields.ts';
import {
  type ChunkReader,
  chunkOf,
  completionOf,
  errorOf,
  payloadOf,
  textOfContent,
  usageChunk,
  vendorChat,
} from '../vendor-chat.ts';

const speakers: Readonly<Record<string, string>> = { user: 'USER', assistant: 'CHATBOT', tool: 'TOOL' };
/** A name that ends so asks for search. */
const searchSuffix = '-internet';

function encode(body: JsonObject): JsonObject {
  const { messages, stop, top_p: p, top_k: k, max_completion_tokens: limit, ...wire } = body;
  const spoken = asObjects(messages);
  const isInstruction = ({ role }: JsonObject) => role === 'system' || role === 'developer';
  const preamble = spoken.filter(isInstruction).map(({ content }) => textOfContent(content));
  const turns = spoken.filter((message) => !isInstruction(message));
  const last = turns.findLastIndex(({ role }) => role === 'user');
  if (limit !== undefined) wire.max_tokens ??= limit;
  const stops = asTexts(stop);
  if (stops.length > 0) wire.stop_sequences = [...stops];
  if (p !== undefined) wire.p = p;
  if (k !== undefined) wire.k = k;
  const model = asWord(wire.model) ?? '';
  if (model.endsWith(searchSuffix)) {
    wire.model = model.slice(0, -searchSuffix.length);
    wire.connectors = [{ id: 'web-search' }];
  }
  return {
    ...wire,
    message: textOfContent(turns[last]?.content),
    chat_history: turns.filter((_, place) => place !== last).map(encodeTurn),
    ...(preamble.length === 0 ? {} : { preamble: preamble.join('\n\n') }),
  };
}

function encodeTurn({ role, content }: JsonObject): JsonObject {
  return { role: speakers[asWord(role) ?? ''] ?? 'USER', message: textOfContent(content) };
}

function readAnswer(body: JsonObject): JsonObject {
  const content = asText(body.text);
  if (content === undefined) return errorOf(undefined, body.message);
  const finish = finishOf(body.finish_reason);
  if (finish === undefined) return errorOf(body.finish_reason, 'the answer failed', 502);
  return completionOf({ id: body.generation_id }, { content }, { finish, usage: readUsage(body.meta) });
}

class CohereV1Reader implements ChunkReader {
  #id: Json | undefined;

  push(event: WireEvent): JsonObject[] {
    const body = payloadOf(event);
    if (body === undefined) return [];
    switch (body.event_type) {
      case 'stream-start':
        this.#id = body.generation_id;
        return [chunkOf({ id: this.#id }, { role: 'assistant' })];
      case 'text-generation':
        return [chunkOf({ id: this.#id }, { content: asText(body.text) ?? '' })];
      case 'stream-end':
        return this.#end(body);
      default:
        // A refusal may stand where the stream was due.
        return body.event_type === undefined && asWord(body.message) !== undefined
          ? [errorOf(undefined, body.message)]
          : [];
    }
  }

  #end(body: JsonObject): JsonObject[] {
    const response = asObject(body.response);
    const word = body.finish_reason ?? response?.finish_reason;
    const finish = finishOf(word);
    if (finish === undefined) return [errorOf(word, body.error ?? 'the answer failed', 502)];
    const usage = readUsage(response?.meta);
    const known = { id: this.#id };
    return [chunkOf(known, {}, finish), ...(usage === undefined ? [] : [usageChunk(known, usage)])];
  }
}

export const cohereV1Chat = vendorChat({
  id: 'cohere-v1-chat',
  takes: sharedFields,
  reads: { parts: [], members: [] },
  encode,
  answer: readAnswer,
  reader: () => new CohereV1Reader(),
});

/** Chats with Coze bots (v3), which are always asked for a stream. Source: providers/coze.md, read 2026-11. */
import type { WireEvent } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asNumber, asObject, asObjects, asText, asWord, inexpressible } from '../fields.ts';
import { chunkOf, errorOf, payloadOf, textOfContent, usageChunk, usageOf, vendorChat } from '../vendor-chat.ts';

/** Most messages that one call carries. */
const mostMessages = 100;

function encode(body: JsonObject): JsonObject {
  const messages = asObjects(body.messages);
  const system = messages.flatMap(({ role, content }) =>
    role === 'system' || role === 'developer' ? [textOfContent(content)] : [],
  );
  const turns = messages.filter(({ role }) => role === 'user' || role === 'assistant').map(encodeTurn);
  const first = turns.findIndex(({ role }) => role === 'user');
  const opening = turns[first];
  if (system.length > 0 && opening?.content_type === 'text') {
    turns[first] = { ...opening, content: [...system, textOfContent(opening.content)].join('\n\n') };
  }
  return {
    bot_id: (asWord(body.model) ?? '').replace(/^bot-/, ''),
    user_id: body.user ?? '',
    stream: true,
    auto_save_history: false,
    additional_messages: turns.slice(-mostMessages),
  };
}

function encodeTurn({ role, content }: JsonObject): JsonObject {
  const type = role === 'assistant' ? 'answer' : 'question';
  const isPlain = typeof content === 'string' || asObjects(content).every((part) => part.type === 'text');
  const shown: JsonObject = isPlain
    ? { content: textOfContent(content), content_type: 'text' }
    : { content: JSON.stringify(asObjects(content).map(encodePart)), content_type: 'object_string' };
  return { role: role ?? 'user', type, ...shown };
}

function encodePart(part: JsonObject): JsonObject {
  const url = asWord(asObject(part.image_url)?.url);
  if (url === undefined) return { type: 'text', text: asText(part.text) ?? '' };
  if (url.startsWith('data:')) throw inexpressible('image', 'must be given by its address');
  return { type: 'image', file_url: url };
}

function readEvent(event: WireEvent): JsonObject[] {
  const body = payloadOf(event);
  if (body === undefined) return [];
  const known = { id: body.chat_id ?? body.id };
  switch (event.event) {
    case 'conversation.message.delta':
      return readDelta(body);
    case 'conversation.chat.completed': {
      const usage = asObject(body.usage);
      const last = chunkOf(known, {}, 'stop');
      return usage === undefined ? [last] : [last, usageChunk(known, usageOf(usage.input_count, usage.output_count))];
    }
    case 'conversation.chat.failed':
      return [reported(asObject(body.last_error) ?? body)];
    case 'conversation.chat.requires_action':
      return [errorOf('requires_action', 'the bot waits for a tool of its own')];
    case 'error':
      return [reported(body)];
    default:
      // A refusal may stand where the stream was due.
      return event.event === undefined && (asNumber(body.code) ?? 0) !== 0 ? [reported(body)] : [];
  }
}

function readDelta(body: JsonObject): JsonObject[] {
  if (body.role !== 'assistant' || body.type !== 'answer') return [];
  const delta: JsonObject = {};
  const thought = asWord(body.reasoning_content);
  if (thought !== undefined) delta.reasoning_content = thought;
  delta.content = asText(body.content) ?? '';
  return [chunkOf({ id: body.chat_id }, delta)];
}

function reported({ code, msg }: { readonly [name: string]: Json | undefined }): JsonObject {
  return errorOf(String(code ?? ''), msg);
}

export const cozeChat = vendorChat({
  id: 'coze-chat',
  takes: ['user'],
  encode,
  answer: (body) =>
    (asNumber(body.code) ?? 0) === 0 ? errorOf('not_streamed', 'the chat was not streamed', 502) : reported(body),
  reader: () => ({ push: readEvent }),
});

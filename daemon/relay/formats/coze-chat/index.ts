/** Chats with Coze bots (v3), which are always asked for a stream. Source: providers/coze.md, read 2026-11. */
import type { FileUploads, Scope, WireEvent } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asNumber, asObject, asObjects, asText, asWord, parseJson } from '../fields.ts';
import { isOpen, typeOfAudioFormat } from '../media.ts';
import { chunkOf, errorOf, payloadOf, textOfContent, usageChunk, usageOf, vendorChat } from '../vendor-chat.ts';

/** Most messages that one call carries. */
const mostMessages = 100;
/** What clients that know Coze say to a bot beside the conversation. */
const ownFields = ['custom_variables', 'parameters', 'meta_data', 'extra_params'] as const;

function encode(body: JsonObject, scope: Scope): JsonObject {
  const messages = asObjects(body.messages);
  const system = messages.flatMap(({ role, content }) =>
    role === 'system' || role === 'developer' ? [textOfContent(content)] : [],
  );
  const spoken = messages.filter(({ role }) => role === 'user' || role === 'assistant');
  if (messages.some(({ role }) => role === 'tool')) scope.lose('messages.tool');
  const kept = spoken.slice(-mostMessages);
  if (kept.length < spoken.length) scope.lose(`messages[..${spoken.length - kept.length}]`);
  const first = kept.find(({ role }) => role === 'user');
  if (first === undefined && system.length > 0) scope.lose('messages.system');
  const own: JsonObject = {};
  for (const name of ownFields) {
    const value = body[name];
    if (value !== undefined) own[name] = value;
  }
  const turns = kept.map((message) => encodeTurn(message === first ? instructed(message, system) : message));
  return {
    ...own,
    bot_id: (asWord(body.model) ?? '').replace(/^bot-/, ''),
    user_id: asWord(body.user) ?? scope.endUser ?? 'tollgate',
    stream: true,
    auto_save_history: false,
    additional_messages: turns,
  };
}

/** The message with the instructions in front, for which there is no place of their own. */
function instructed({ content, ...message }: JsonObject, system: readonly string[]): JsonObject {
  if (system.length === 0) return { ...message, content: content ?? '' };
  if (!Array.isArray(content)) return { ...message, content: [...system, textOfContent(content)].join('\n\n') };
  return { ...message, content: [{ type: 'text', text: system.join('\n\n') }, ...content] };
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
  const sound = asObject(part.input_audio);
  if (sound !== undefined) return fileAt('audio', soundUrl(sound));
  const image = asWord(asObject(part.image_url)?.url);
  if (image !== undefined) return fileAt('image', image);
  const file = asWord(asObject(part.file)?.file_data);
  return file === undefined ? { type: 'text', text: asText(part.text) ?? '' } : fileAt('file', file);
}

function soundUrl({ data, format }: JsonObject): string {
  if (isOpen(asText(data) ?? '')) return asText(data) ?? '';
  return `data:${typeOfAudioFormat(asWord(format) ?? 'wav')};base64,${asText(data) ?? ''}`;
}

/** A file by its address; what lies inside the request stands with its data until it is handed in. */
function fileAt(type: string, url: string): JsonObject {
  return url.startsWith('data:') ? { type, file_id: url } : { type, file_url: url };
}

/** The content of a message that holds more than text; undefined for any other. */
function partsIn(message: JsonObject): readonly JsonObject[] | undefined {
  if (message.content_type !== 'object_string') return undefined;
  return asObjects(parseJson(asText(message.content) ?? ''));
}

const uploads: FileUploads = {
  list: (body) =>
    asObjects(body.additional_messages)
      .flatMap((message) => partsIn(message) ?? [])
      .map(({ file_id: id }) => asWord(id) ?? '')
      .filter((id) => id.startsWith('data:')),
  form: (file) => ({ file }),
  readId: (answer) => ((asNumber(answer.code) ?? 0) === 0 ? asWord(asObject(answer.data)?.id) : undefined),
  place: (body, ids) => ({
    ...body,
    additional_messages: asObjects(body.additional_messages).map((message) => {
      const parts = partsIn(message)?.map((part) => {
        const id = ids.get(asWord(part.file_id) ?? '');
        return id === undefined ? part : { ...part, file_id: id };
      });
      return parts === undefined ? message : { ...message, content: JSON.stringify(parts) };
    }),
  }),
};

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
  inlines: ['document', 'audio'],
  takes: ['user', ...ownFields],
  reads: { parts: ['image_url', 'input_audio', 'file'], members: [] },
  encode,
  uploads,
  answer: (body) =>
    (asNumber(body.code) ?? 0) === 0 ? errorOf('not_streamed', 'the chat was not streamed', 502) : reported(body),
  reader: () => ({ push: readEvent }),
});

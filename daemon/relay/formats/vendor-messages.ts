/**
 * What vendors' own chat formats have no words for in the messages of a conversation, told before such a format is
 * written: nobody's prompt is shortened without a word (relay.md 13.1).
 */
import type { Scope } from '../format.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { asObject, asObjects, asText, inexpressible, present } from './fields.ts';
import { lossOfMember } from './loss.ts';

/** Kinds of content beside text, as the chat wire names them. */
export type MediaPart = 'image_url' | 'input_audio' | 'video_url' | 'file';

/** Members of a message beside role and content. */
export type MessageMember = 'name' | 'tool_calls' | 'tool_call_id' | 'reasoning_content';

/** What a vendor reads of messages beside roles and text. */
export interface MessageWords {
  readonly parts: readonly MediaPart[];
  readonly members: readonly MessageMember[];
}

/**
 * The messages in the vendor's reach, refusals told as text. Notes each member that is lost; throws
 * `convert_request_failed` for content that would be missing from what the model reads.
 */
export function sayableMessages(
  messages: readonly JsonObject[],
  words: MessageWords,
  scope: Pick<Scope, 'lose'>,
): JsonObject[] {
  const parts = new Set<string>(words.parts);
  const members = new Set<string>(words.members);
  return messages.map((message) => {
    const isInstruction = message.role === 'system' || message.role === 'developer';
    for (const part of asObjects(message.content)) checkPart(part, isInstruction ? textAlone : parts);
    const { refusal, ...told } = message;
    for (const member of Object.keys(told)) {
      if (member !== 'role' && member !== 'content' && !members.has(member)) scope.lose(lossOfMember(member));
    }
    return refusal === undefined ? message : { ...told, content: withText(told.content, asText(refusal) ?? '') };
  });
}

/**
 * The body without marks of what is to be cached, which chat clients borrow from Anthropic's dialect and such a format
 * has no place for. Notes them where there are any.
 */
export function withoutMarks(body: JsonObject, scope: Pick<Scope, 'lose'>): JsonObject {
  const messages = unmarkedList(body.messages, (message) =>
    unmarkedMember(unmarkedMember(unmarked(message), 'content'), 'tool_calls'),
  );
  const tools = unmarkedList(body.tools, unmarked);
  if (messages !== body.messages) scope.lose('cache_control');
  if (tools !== body.tools) scope.lose('tools.cache_control');
  return { ...body, ...present({ messages, tools }) };
}

/** The same list where no entry has changed. */
function unmarkedList(list: Json | undefined, change: (entry: JsonObject) => JsonObject): Json | undefined {
  if (!Array.isArray(list)) return list;
  const changed = list.map((entry) => (isObject(entry) ? change(entry) : entry));
  return changed.every((entry, at) => entry === list[at]) ? list : changed;
}

function unmarkedMember(message: JsonObject, member: 'content' | 'tool_calls'): JsonObject {
  const list = unmarkedList(message[member], unmarked);
  return list === undefined || list === message[member] ? message : { ...message, [member]: list };
}

function unmarked(entry: JsonObject): JsonObject {
  if (entry.cache_control === undefined) return entry;
  const { cache_control: _, ...rest } = entry;
  return rest;
}

const textAlone: ReadonlySet<string> = new Set();

function checkPart(part: JsonObject, known: ReadonlySet<string>): void {
  const kind = asText(part.type) ?? 'a part without a type';
  if (kind === 'text') return;
  if (!known.has(kind)) throw inexpressible('content', `${kind} cannot be sent to this channel`);
  if (kind === 'file' && asText(asObject(part.file)?.file_data) === undefined) {
    throw inexpressible('content', 'files by id cannot be sent to this channel');
  }
}

function withText(content: JsonObject[string] | undefined, text: string): JsonObject[string] {
  if (Array.isArray(content)) return [...content, { type: 'text', text }];
  return [asText(content) ?? '', text].filter((said) => said !== '').join('\n');
}

/** A channel's own instructions, in every dialect's place for them (relay.md 5.2). */
import type { ChatItem, ChatRequest, ContentPart } from '../canonical/chat.ts';
import type { FormatId } from '../format.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { asList, asObject } from './fields.ts';
import { partsIn } from './gemini-generate/wire.ts';

export interface SystemPrompt {
  /** Never empty. */
  readonly text: string;
  /** `absent`: only for requests without instructions; `front`: before the client's own too. */
  readonly place: 'absent' | 'front';
}

/** What a channel's setting says; undefined where it says nothing. */
export function readSystemPrompt(setting: Readonly<Record<string, unknown>>): SystemPrompt | undefined {
  const { system_prompt: text, system_prompt_override: wins } = setting;
  if (typeof text !== 'string' || text === '') return undefined;
  return { text, place: wins === true ? 'front' : 'absent' };
}

/** The request with the instructions, for the translated lane. */
export function addSystemPrompt(request: ChatRequest, prompt: SystemPrompt): ChatRequest {
  const at = request.items.findIndex((item) => item.type === 'system');
  const own = request.items[at];
  if (own?.type !== 'system') {
    const parts: ContentPart[] = [{ type: 'text', text: prompt.text }];
    const item: ChatItem = { type: 'system', role: 'system', parts, apart: true };
    return { ...request, items: [item, ...request.items] };
  }
  if (prompt.place === 'absent') return request;
  const [first, ...others] = own.parts;
  const parts: ContentPart[] =
    first?.type === 'text'
      ? [{ ...first, text: `${prompt.text}\n${first.text}` }, ...others]
      : [{ type: 'text', text: `${prompt.text}\n` }, ...own.parts];
  return { ...request, items: request.items.with(at, { ...own, parts }) };
}

/** The body with the instructions, for the native lane; the same object where nothing changes. */
export function addSystemPromptToBody(format: FormatId, body: JsonObject, prompt: SystemPrompt): JsonObject {
  switch (format) {
    case 'openai-chat':
      return inMessages(body, prompt);
    case 'openai-responses': {
      if (prompt.place === 'absent' && isInstructed(body.input)) return body;
      const instructions = joined(body.instructions, prompt);
      return instructions === undefined ? body : { ...body, instructions };
    }
    case 'anthropic-messages': {
      const system = joined(body.system, prompt);
      return system === undefined ? body : { ...body, system };
    }
    case 'gemini-generate':
      return inInstruction(body, prompt);
    default:
      return body;
  }
}

function inMessages(body: JsonObject, prompt: SystemPrompt): JsonObject {
  const messages = asList(body.messages);
  const at = messages.findIndex(isInstruction);
  const own = messages[at];
  if (!isObject(own)) return { ...body, messages: [{ role: 'system', content: prompt.text }, ...messages] };
  const content = joined(own.content, prompt);
  return content === undefined ? body : { ...body, messages: messages.with(at, { ...own, content }) };
}

function inInstruction(body: JsonObject, prompt: SystemPrompt): JsonObject {
  const key = body.system_instruction === undefined ? 'systemInstruction' : 'system_instruction';
  const own = asObject(body[key]);
  const parts = partsIn(own);
  if (parts.length > 0 && prompt.place === 'absent') return body;
  const text = parts.length === 0 ? prompt.text : `${prompt.text}\n`;
  return { ...body, [key]: { ...own, parts: [{ text }, ...parts] } };
}

/** Instructions in front of others; undefined where those others are left alone. */
function joined(own: Json | undefined, { text, place }: SystemPrompt): Json | undefined {
  const isEmpty = own === undefined || own === null || own === '' || (Array.isArray(own) && own.length === 0);
  if (isEmpty) return text;
  if (place === 'absent') return undefined;
  return Array.isArray(own) ? [{ type: 'text', text: `${text}\n` }, ...own] : `${text}\n${String(own)}`;
}

function isInstruction(message: Json): boolean {
  return isObject(message) && (message.role === 'system' || message.role === 'developer');
}

/** Some clients of Responses put their instructions among the items. */
function isInstructed(input: Json | undefined): boolean {
  return asList(input).some(isInstruction);
}

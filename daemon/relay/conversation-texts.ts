/**
 * A call as a conversation to be read by people: who said what in the request, and what the answer said, without
 * reasoning, tool declarations and media. Reads the client's wire on both sides.
 */
import type { FormatId } from './format.ts';
import { asObject, asObjects, asText, parseJson } from './formats/fields.ts';
import { partsIn } from './formats/gemini-generate/wire.ts';
import { SseParser } from './framing/sse.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

/** One message; instructions have the role `system`. */
export interface Said {
  readonly role: string;
  readonly content: string;
}

interface Conversation {
  readonly asked: (body: JsonObject) => Said[];
  /** Text of a whole answer, or what one event of a stream adds to it. */
  readonly answered: (body: JsonObject) => string;
}

const conversations: { readonly [F in FormatId]?: Conversation } = {
  'openai-chat': { asked: (body) => messagesOf(body.messages), answered: chatAnswer },
  'openai-completions': {
    asked: (body) => [{ role: 'user', content: contentText(body.prompt) }],
    answered: firstText,
  },
  'openai-edits': {
    asked: (body) => [...instructions(body.instruction), { role: 'user', content: contentText(body.input) }],
    answered: firstText,
  },
  'openai-responses': { asked: responsesAsked, answered: responsesAnswer },
  // What it says anew is sealed; the rest is the conversation itself.
  'openai-responses-compact': { asked: responsesAsked, answered: () => '' },
  'anthropic-messages': {
    asked: (body) => [...instructions(body.system), ...messagesOf(body.messages)],
    answered: messagesAnswer,
  },
  'gemini-generate': {
    asked: (body) => [
      ...instructions(partsIn(body.systemInstruction ?? body.system_instruction)),
      ...asObjects(body.contents).map((content) => said(content.role, partsIn(content))),
    ],
    answered: (body) => {
      const parts = asObject(asObjects(body.candidates)[0]?.content)?.parts;
      return joined(
        asObjects(parts).filter((part) => part.thought !== true),
        '',
      );
    },
  },
};

/** What the request says, in its order; undefined for formats that are no conversation. */
export function askedIn(format: FormatId, body: JsonObject): Said[] | undefined {
  return conversations[format]?.asked(body);
}

/** Visible text of an answer of which at least the beginning is there: one JSON body, a JSON array, or events. */
export function answeredIn(format: FormatId, answer: Buffer): string {
  const read = conversations[format]?.answered;
  if (read === undefined) return '';
  const text = answer.toString('utf8');
  const events = /^\s*[[{]/.test(text) ? [text] : eventsOf(answer);
  return events
    .map(parseJson)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .map((value) => (isObject(value) ? read(value) : ''))
    .join('');
}

function eventsOf(answer: Buffer): string[] {
  return new SseParser().push(answer).map(({ data }) => data);
}

function said(role: Json | undefined, content: Json | undefined): Said {
  return { role: asText(role) ?? 'user', content: contentText(content) };
}

function instructions(content: Json | undefined): Said[] {
  const isNone = content === undefined || (Array.isArray(content) && content.length === 0);
  return isNone ? [] : [said('system', content)];
}

/** A developer's message instructs like a system's. */
function messagesOf(messages: Json | undefined): Said[] {
  return asObjects(messages).map(({ role, content }) => said(role === 'developer' ? 'system' : role, content));
}

function contentText(content: Json | undefined): string {
  return typeof content === 'string' ? content : Array.isArray(content) ? joined(content, '\n') : '';
}

function joined(parts: readonly Json[], between: string): string {
  return parts
    .map((part) => (typeof part === 'string' ? part : isObject(part) ? partText(part) : ''))
    .filter((text) => text !== '')
    .join(between);
}

function partText(part: JsonObject): string {
  const text = asText(part.text) ?? mediaText(part);
  if (text !== undefined) return text;
  return contentText(part.content) || contentText(part.output);
}

/** Media by kind and size instead of its bytes; undefined for a part without media. */
function mediaText(part: JsonObject): string | undefined {
  const url = asText(part.image_url) ?? asText(asObject(part.image_url)?.url);
  const data = /^data:([^;,]*)(?:;[^,]*)?,(.*)$/s.exec(url ?? '');
  if (data !== null) return media(data[1], data[2]);
  const inline =
    asObject(part.inlineData) ?? asObject(part.inline_data) ?? asObject(part.source) ?? asObject(part.input_audio);
  const bytes = asText(inline?.data);
  if (bytes === undefined) return url;
  return media(
    asText(inline?.mimeType) ?? asText(inline?.mime_type) ?? asText(inline?.media_type) ?? asText(inline?.format),
    bytes,
  );
}

function media(type: string | undefined, base64: string | undefined): string {
  return `[${type ?? 'media'}, ${Math.floor(((base64 ?? '').length * 3) / 4)} bytes]`;
}

function firstText(body: JsonObject): string {
  return asText(asObjects(body.choices)[0]?.text) ?? '';
}

function chatAnswer(body: JsonObject): string {
  const choice = asObjects(body.choices)[0];
  return contentText((asObject(choice?.message) ?? asObject(choice?.delta))?.content);
}

function messagesAnswer(body: JsonObject): string {
  const delta = asObject(body.delta);
  if (body.type === 'content_block_delta') return delta?.type === 'text_delta' ? (asText(delta.text) ?? '') : '';
  return body.type === 'message' ? joined(asObjects(body.content), '') : '';
}

function responsesAsked(body: JsonObject): Said[] {
  const items = typeof body.input === 'string' ? [said('user', body.input)] : messagesOf(body.input);
  return [...instructions(body.instructions), ...items.filter(({ content }) => content !== '')];
}

function responsesAnswer(body: JsonObject): string {
  if (body.type === 'response.output_text.delta') return asText(body.delta) ?? '';
  if (body.object !== 'response') return '';
  const messages = asObjects(body.output).filter((item) => item.type === 'message');
  return messages.map((item) => joined(asObjects(item.content), '')).join('');
}

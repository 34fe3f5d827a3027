/**
 * Codecs of vendors whose own chat format says what OpenAI's says in other words, or less. Such a format is written
 * as a change of the chat wire: what its codec knows is the vendor's words alone. Knows no vendor itself.
 */
import type { TollgateError, UpstreamFailure } from '../../errors.ts';
import type { ChatEvent, ChatItem, ChatRequest, ContentPart } from '../canonical/chat.ts';
import type { MediaKind } from '../canonical/remote-media.ts';
import type { FormatId, Machine, Scope, UpstreamFormat, WireEvent } from '../format.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { inFunctionForm } from './client-tools.ts';
import { asNumber, asObjects, asText, asWord, parseJson } from './fields.ts';
import { loseOfThinking, loseOfTurns, refuseSeveral } from './loss.ts';
import { openaiChat } from './openai-chat/index.ts';
import { type MessageWords, sayableMessages, withoutMarks } from './vendor-messages.ts';

/** Reads one stream. Chunks and errors (`{error}`) are those of the chat wire. */
export interface ChunkReader {
  push(event: WireEvent): JsonObject[];
  /** What the end of the body completes. */
  end?(): JsonObject[];
}

/** One vendor's words. */
export interface VendorChat {
  readonly id: FormatId;
  readonly inlines?: readonly MediaKind[];
  /** Fields of the chat wire that the vendor has a word for, beside model, messages and stream. */
  readonly takes: readonly string[];
  /** What it reads of messages beside roles and text. `all`: they go as the chat wire has them. */
  readonly reads: MessageWords | 'all';
  /** The vendor's body. `body` holds no field that `takes`, and no content that `reads` does not name. */
  encode(body: JsonObject, scope: Scope, request: ChatRequest): Json;
  /** A chat completion, or `{error}`. */
  answer(body: JsonObject, scope: Pick<Scope, 'newId'>): JsonObject;
  reader(scope: Scope): ChunkReader;
  readonly followUp?: UpstreamFormat['followUp'];
  readonly uploads?: UpstreamFormat['uploads'];
}

const always: ReadonlySet<string> = new Set(['model', 'messages', 'stream']);

const hasOwn = (held: ChatItem | ContentPart): boolean => 'extensions' in held;

/** The request without members of turns and parts that one dialect alone knows; itself where nothing has any. */
function withoutOwnMembers(request: ChatRequest): ChatRequest {
  if (!request.items.some((item) => hasOwn(item) || ('parts' in item && item.parts.some(hasOwn)))) return request;
  const items = request.items.map((item): ChatItem => {
    const own = plain(item);
    return 'parts' in own ? { ...own, parts: own.parts.map(plain) } : own;
  });
  return { ...request, items };
}

function plain<T extends ChatItem | ContentPart>(held: T): T {
  if (!('extensions' in held)) return held;
  const { extensions: _, ...rest } = held;
  // What is left out is optional in each of them.
  return rest as T;
}

/** The codec of a vendor's chat format. */
export function vendorChat(vendor: VendorChat): UpstreamFormat {
  const takes = new Set(vendor.takes);
  return {
    id: vendor.id,
    ...(vendor.inlines === undefined ? {} : { inlines: vendor.inlines }),
    ...(vendor.followUp === undefined ? {} : { followUp: vendor.followUp }),
    ...(vendor.uploads === undefined ? {} : { uploads: vendor.uploads }),
    encodeRequest(request, scope) {
      // Vendors that know calls know them as calls of tools, and tools as functions.
      // Of the words that end an answer each takes as many as its own encoder knows.
      const asked = { ...withoutOwnMembers(inFunctionForm(request)), legacyFunctions: false };
      if (request.dialect === 'openai-chat') {
        loseOfTurns(request, undefined, scope);
        loseOfThinking(request, scope);
      }
      const wire = openaiChat.encodeRequest(asked, { ...scope, traits: { ...scope.traits, ownStops: true } });
      if (!isObject(wire)) return wire;
      const body = withoutMarks(wire, scope);
      for (const field of Object.keys(body)) {
        if (always.has(field) || takes.has(field)) continue;
        if (field === 'n') refuseSeveral(body.n);
        delete body[field];
        if (field !== 'stream_options' && field !== 'n') scope.lose(field);
      }
      if (vendor.reads !== 'all') body.messages = sayableMessages(asObjects(body.messages), vendor.reads, scope);
      return vendor.encode(body, scope, request);
    },
    decodeResponse: (body, scope) =>
      openaiChat.decodeResponse(isObject(body) ? vendor.answer(body, scope) : body, scope),
    decodeStream: (scope) => new VendorStream(vendor.reader(scope), openaiChat.decodeStream(scope)),
    readUsage: (body) =>
      isObject(body) ? openaiChat.readUsage(vendor.answer(body, { newId: (prefix) => prefix })) : undefined,
  };
}

class VendorStream implements Machine<WireEvent, ChatEvent> {
  readonly #reader: ChunkReader;
  readonly #inner: Machine<WireEvent, ChatEvent>;

  constructor(reader: ChunkReader, inner: Machine<WireEvent, ChatEvent>) {
    this.#reader = reader;
    this.#inner = inner;
  }

  push(event: WireEvent): ChatEvent[] {
    return this.#pass(this.#reader.push(event));
  }

  end(): ChatEvent[] {
    return [...this.#pass(this.#reader.end?.() ?? []), ...this.#inner.end()];
  }

  fail(error: TollgateError | UpstreamFailure): ChatEvent[] {
    return this.#inner.fail(error);
  }

  #pass(chunks: readonly JsonObject[]): ChatEvent[] {
    return chunks.flatMap((chunk) => this.#inner.push({ data: JSON.stringify(chunk) }));
  }
}

/** The object that an event's payload is; undefined for anything else. */
export function payloadOf(event: WireEvent): JsonObject | undefined {
  const value = parseJson(event.data);
  return isObject(value) ? value : undefined;
}

/** Members of the chat wire's envelope that a vendor knows. */
export interface Envelope {
  readonly id?: Json | undefined;
  readonly created?: Json | undefined;
  readonly model?: Json | undefined;
}

function envelope(known: Envelope): JsonObject {
  const fields: JsonObject = {};
  const id = asWord(known.id);
  const created = asNumber(known.created);
  const model = asWord(known.model);
  if (id !== undefined) fields.id = id;
  if (created !== undefined) fields.created = created;
  if (model !== undefined) fields.model = model;
  return fields;
}

/** A chunk of one choice; no finish while `finish` is undefined. */
export function chunkOf(known: Envelope, delta: JsonObject, finish?: string): JsonObject {
  return { ...envelope(known), choices: [{ index: 0, delta, finish_reason: finish ?? null }] };
}

/** A chunk that says nothing but what was used. */
export function usageChunk(known: Envelope, usage: JsonObject): JsonObject {
  return { ...envelope(known), choices: [], usage };
}

/** A whole answer of one choice. */
export function completionOf(
  known: Envelope,
  message: JsonObject,
  rest: { finish: string; usage?: JsonObject | undefined; logprobs?: JsonObject | undefined },
): JsonObject {
  const { finish, logprobs = null } = rest;
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish, logprobs }];
  return { ...envelope(known), choices, ...(rest.usage === undefined ? {} : { usage: rest.usage }) };
}

/** An error inside a success, as adapters read it: the vendor's code and words. */
export function errorOf(code: Json | undefined, message: Json | undefined, status?: number): JsonObject {
  const error: JsonObject = { code: code ?? null, message: asText(message) ?? '' };
  if (status !== undefined) error.status = status;
  return { error };
}

/** What the chat wire calls usage, of two counts. */
export function usageOf(prompt: Json | undefined, completion: Json | undefined): JsonObject {
  return { prompt_tokens: asNumber(prompt) ?? 0, completion_tokens: asNumber(completion) ?? 0 };
}

/** True for a choice that makes the model call a tool. */
export function isForced(choice: Json | undefined): boolean {
  return choice !== undefined && choice !== 'auto' && choice !== 'none';
}

/** The text of a message's content, parts joined by line breaks. */
export function textOfContent(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return asObjects(content)
    .flatMap((part) => asText(part.text) ?? [])
    .join('\n');
}

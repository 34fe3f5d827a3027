/**
 * Conversation items as messages of the chat wire. Answers use the same pieces (`encode-response.ts`).
 */
import type {
  Annotation,
  AssistantItem,
  CacheMark,
  ChatRequest,
  ContentPart,
  MediaSource,
  ReasoningItem,
  Seal,
  SystemItem,
  ToolCallItem,
  ToolResultItem,
  UserItem,
} from '../../canonical/chat.ts';
import type { AudioPart } from '../../canonical/content.ts';
import { flatToolName } from '../../canonical/tool-names.ts';
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { writeCacheMark } from '../cache-mark.ts';
import { functionInput } from '../client-tools.ts';
import { inexpressible } from '../fields.ts';
import { dropHostedItem, noteDocument, refusePart } from '../loss.ts';
import { formatOfAudioType, isTextType, openUrlOf, urlOfSource } from '../media.ts';
import { isReasoningModel } from './model-rules.ts';
import { thoughtSignature } from './thought-signature.ts';

/** Writes the messages of one request; holds what belongs to a message that is not finished yet. */
export class MessageWriter {
  readonly messages: JsonObject[] = [];
  readonly #request: ChatRequest;
  readonly #scope: Scope;
  /** The assistant message that further items of the same turn join. */
  #assistant: JsonObject | undefined;
  /** Images of tool results wait for the user message that follows them. */
  #heldImages: JsonObject[] = [];

  constructor(request: ChatRequest, scope: Scope) {
    this.#request = request;
    this.#scope = scope;
  }

  write(): JsonObject[] {
    for (const item of this.#request.items) {
      switch (item.type) {
        case 'system':
          this.#system(item);
          break;
        case 'user':
          this.#user(item);
          break;
        case 'tool-result':
          this.#result(item);
          break;
        case 'assistant':
          this.#say(item);
          break;
        case 'reasoning':
          this.#reason(item);
          break;
        case 'tool-call':
          this.#call(item);
          break;
        case 'hosted':
          if (item.text !== undefined) this.#say(textItem(item.text));
          else if (item.dialect !== 'openai-chat') dropHostedItem(item, this.#scope);
      }
    }
    this.#release();
    return this.messages.filter((message) => message.role !== 'assistant' || !this.#isEmpty(message));
  }

  /** A thought alone makes no message here, so it goes with the message that it would have made. */
  #isEmpty(message: JsonObject): boolean {
    if (!isEmpty(message)) return false;
    if (message.reasoning_content !== undefined) this.#scope.lose('reasoning');
    return true;
  }

  #add(message: JsonObject): void {
    this.#assistant = undefined;
    this.messages.push(message);
  }

  #system(item: SystemItem): void {
    this.#release();
    const content = this.#content(item.parts);
    if (content === '' && !this.#isNative) return;
    const keeps = item.role === 'developer' && (this.#isNative || isReasoningModel(this.#request.model));
    this.#add({ role: keeps ? 'developer' : 'system', content });
  }

  #user(item: UserItem): void {
    const held = this.#heldImages;
    this.#heldImages = [];
    const content = this.#content(item.parts);
    if (held.length === 0 && content === '') return;
    const message: JsonObject = { role: 'user', content: held.length === 0 ? content : [...held, ...asParts(content)] };
    if (item.name !== undefined) message.name = item.name;
    this.#add(message);
  }

  #result(item: ToolResultItem): void {
    const images = item.parts.filter((part) => part.type !== 'text');
    const texts = item.parts.filter((part) => part.type === 'text');
    const content = this.#content(texts);
    const spoken = item.isError === true ? asError(content) : content;
    if (this.#request.legacyFunctions === true && item.name !== undefined) {
      this.#add({ role: 'function', name: item.name, content: spoken });
    } else {
      const message: JsonObject = { role: 'tool', tool_call_id: item.callId, content: spoken };
      if (item.cache !== undefined) this.#markResult(message, item.cache);
      this.#add(message);
    }
    for (const part of images) {
      const encoded = this.#part(part);
      if (encoded !== undefined) this.#heldImages.push(encoded);
    }
  }

  /** On the message, as this dialect's clients write it; for other clients on its last part, where vendors look. */
  #markResult(message: JsonObject, cache: CacheMark): void {
    if (this.#isNative) message.cache_control = writeCacheMark(cache);
    if (this.#isNative || !this.#keepsMarks) return;
    const parts = asParts(message.content);
    const last = parts.pop();
    if (last === undefined) this.#scope.lose('cache_control');
    else message.content = [...parts, marked(last, cache)];
  }

  #say(item: AssistantItem): void {
    const message = this.#open();
    const words = item.parts.flatMap((part) => (part.type === 'audio' ? this.#spoken(part) : part));
    const content = this.#content(
      words.filter((part) => part.type !== 'refusal'),
      '',
    );
    const { content: said } = message;
    if (typeof said === 'string' && said !== '') message.content = asParts(said);
    if (isFilled(message.content)) append(message, 'content', asParts(content));
    else message.content = content === '' ? null : content;
    const refusal = item.parts.flatMap((part) => (part.type === 'refusal' ? part.text : []));
    if (refusal.length > 0) message.refusal = refusal.join('');
    if (item.name !== undefined) message.name = item.name;
    Object.assign(message, item.extensions?.['openai-chat']);
  }

  /** What the model said aloud goes back in words, if there are any: none but users may be heard. */
  #spoken({ transcript }: AudioPart): ContentPart[] {
    this.#scope.lose('assistant.audio');
    return transcript === undefined ? [] : [{ type: 'text', text: transcript }];
  }

  #reason(item: ReasoningItem): void {
    const { seal } = item;
    if (seal !== undefined && this.#isNative) this.#seal(item, seal);
    const text = item.texts.join('\n\n');
    const isReplayed = this.#isNative || this.#scope.traits?.replayReasoning === true;
    if (!isReplayed || (text === '' && seal === undefined)) this.#scope.lose('reasoning');
    else if (text !== '') {
      const message = this.#open();
      message.reasoning_content =
        typeof message.reasoning_content === 'string' ? `${message.reasoning_content}${text}` : text;
    }
  }

  /** These blocks are Anthropic's. Another vendor's seal that came back in their place is for that vendor alone. */
  #seal(item: ReasoningItem, seal: Seal): void {
    if (seal.origin !== 'anthropic-messages') {
      this.#scope.lose('reasoning');
      return;
    }
    append(this.#open(), 'thinking_blocks', [thinkingBlock(item, seal.data)]);
  }

  #call(item: ToolCallItem): void {
    const message = this.#open();
    const name = flatToolName(item.name, item.namespace);
    if (this.#request.legacyFunctions === true) {
      message.function_call = { name, arguments: item.input };
      return;
    }
    append(message, 'tool_calls', [encodeCall(item, this.#isNative)]);
    if (item.cache !== undefined && !this.#isNative && this.#keepsMarks) this.#scope.lose('cache_control');
  }

  /** The assistant message of this turn, begun if need be. */
  #open(): JsonObject {
    this.#release();
    if (this.#assistant === undefined) {
      this.#assistant = { role: 'assistant', content: null };
      this.messages.push(this.#assistant);
    }
    return this.#assistant;
  }

  /** Images that no user message follows get one of their own. */
  #release(): void {
    if (this.#heldImages.length === 0) return;
    const content = this.#heldImages;
    this.#heldImages = [];
    this.#add({ role: 'user', content });
  }

  /** A client of this very dialect: its private fields may be written back. */
  get #isNative(): boolean {
    return this.#request.dialect === 'openai-chat';
  }

  get #keepsMarks(): boolean {
    return this.#isNative || this.#scope.traits?.cacheMarks === true;
  }

  /**
   * Text alone is a string; anything else, or marks that the upstream understands, is a list of parts. `between`: what
   * the model said goes on from part to part, in the middle of a sentence where it cited something.
   */
  #content(parts: readonly ContentPart[], between: '' | '\n' = '\n'): string | JsonObject[] {
    const isPlain = parts.every((part) => part.type === 'text');
    const keepsMarks = this.#keepsMarks;
    const isMarked = parts.some((part) => 'cache' in part && part.cache !== undefined);
    const isBare = !this.#isNative || (parts.length < 2 && parts.every((part) => !('extensions' in part)));
    if (isPlain && !(isMarked && keepsMarks) && isBare) {
      return parts.map((part) => (part.type === 'text' ? part.text : '')).join(between);
    }
    return parts.flatMap((part) => {
      const encoded = this.#part(part);
      if (encoded === undefined) return [];
      const cache = 'cache' in part ? part.cache : undefined;
      const own = this.#isNative && 'extensions' in part ? part.extensions?.['openai-chat'] : undefined;
      const whole = own === undefined ? encoded : { ...encoded, ...own };
      return [keepsMarks && cache !== undefined ? marked(whole, cache) : whole];
    });
  }

  #part(part: ContentPart): JsonObject | undefined {
    switch (part.type) {
      case 'text':
        return part.text === '' ? undefined : { type: 'text', text: part.text };
      case 'refusal':
        return { type: 'refusal', refusal: part.text };
      case 'image': {
        const url = this.#addressOf(part.source, 'image');
        if (url === undefined) throw inexpressible('image', 'a file of another vendor cannot be sent');
        return { type: 'image_url', image_url: part.detail === undefined ? { url } : { url, detail: part.detail } };
      }
      case 'audio':
        return { type: 'input_audio', input_audio: this.#sound(part) };
      case 'video': {
        const url = this.#addressOf(part.source, 'video');
        if (url === undefined) throw inexpressible('video', 'a file of another vendor cannot be sent');
        return { type: 'video_url', video_url: { url } };
      }
      case 'document':
        return this.#document(part);
      case 'foreign':
        if (part.dialect !== 'openai-chat') return refusePart(part);
        return typeof part.raw === 'object' && part.raw !== null && !Array.isArray(part.raw) ? part.raw : undefined;
    }
  }

  /** A client of this very dialect may name what its vendor alone reads. */
  #addressOf(source: MediaSource, field: string): string | undefined {
    return this.#isNative ? urlOfSource(source) : openUrlOf(source, field);
  }

  #sound({ source, format }: Extract<ContentPart, { type: 'audio' }>): JsonObject {
    if (source.kind === 'inline') return { data: source.data, format: format ?? formatOfAudioType(source.mediaType) };
    const url = this.#fetched(source);
    if (url === undefined) throw inexpressible('audio', 'must be given inline');
    return { data: url, format: format ?? formatOfAudioType(source.mediaType ?? '') };
  }

  /** The address of a file that the upstream fetches itself. */
  #fetched(source: MediaSource): string | undefined {
    return this.#scope.traits?.filesByAddress === true ? openUrlOf(source, 'file') : undefined;
  }

  #document(part: Extract<ContentPart, { type: 'document' }>): JsonObject {
    const { source, title } = part;
    noteDocument(part, this.#scope);
    if (source.kind === 'text') return { type: 'text', text: titled(source.text, title) };
    if (source.kind === 'file-id') {
      if (source.owner !== 'openai-chat' && source.owner !== 'openai-responses') {
        throw inexpressible('file', 'a file of another vendor cannot be sent');
      }
      return { type: 'file', file: { file_id: source.id } };
    }
    if (source.kind === 'url') {
      const fetched = this.#fetched(source);
      if (fetched === undefined) throw inexpressible('file', 'must be given inline');
      return { type: 'file', file: { file_data: fetched } };
    }
    if (!this.#isNative && isTextType(source.mediaType)) {
      return { type: 'text', text: titled(Buffer.from(source.data, 'base64').toString('utf8'), title) };
    }
    const url = `data:${source.mediaType};base64,${source.data}`;
    return { type: 'file', file: { filename: title ?? 'document.pdf', file_data: url } };
  }
}

/** Errors of tools are told in words: this wire has no flag for them. */
function asError(content: string | JsonObject[]): string | JsonObject[] {
  if (typeof content === 'string') return `Error: ${content}`;
  const [first, ...others] = content;
  return [{ ...first, text: `Error: ${typeof first?.text === 'string' ? first.text : ''}` }, ...others];
}

function textItem(text: string): AssistantItem {
  return { type: 'assistant', parts: [{ type: 'text', text }] };
}

function titled(text: string, title: string | undefined): string {
  return title === undefined ? text : `${title}\n\n${text}`;
}

function asParts(content: Json | undefined): JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) => (typeof part === 'object' && part !== null && !Array.isArray(part) ? [part] : []));
}

function isFilled(content: Json | undefined): boolean {
  return Array.isArray(content) && content.length > 0;
}

/** Puts more into a list of the message, which grows in place: a client may send any number of turns without a pause. */
function append(message: JsonObject, member: string, entries: readonly JsonObject[]): void {
  const list = message[member];
  if (!Array.isArray(list)) message[member] = [...entries];
  else for (const entry of entries) list.push(entry);
}

function marked(part: JsonObject, cache: CacheMark): JsonObject {
  return { ...part, cache_control: writeCacheMark(cache) };
}

function isEmpty(message: JsonObject): boolean {
  const hasContent = message.content !== null && message.content !== '';
  return !hasContent && !message.tool_calls && !message.function_call && !message.refusal && !message.thinking_blocks;
}

/** A signed or redacted thought, in the field that other gateways share (relay.md 13.3). `signature` as shown here. */
export function thinkingBlock(item: Pick<ReasoningItem, 'texts' | 'seal'>, signature: string): JsonObject {
  if (item.seal?.redacted === true) return { type: 'redacted_thinking', data: signature };
  return { type: 'thinking', thinking: item.texts.join('\n\n'), signature };
}

/** A call for an upstream, or for a client of this dialect when `isNative`: then custom calls and seals are kept. */
export function encodeCall(item: ToolCallItem, isNative: boolean): JsonObject {
  const name = flatToolName(item.name, item.namespace);
  if (isNative && item.kind === 'custom') {
    return { id: item.callId, type: 'custom', custom: { name, input: item.input } };
  }
  const input = functionInput(item.kind, item.input);
  const call: JsonObject = {
    id: item.callId,
    type: 'function',
    // Whoever reads arguments parses them: a call without any still has an object.
    function: { name, arguments: input === '' ? '{}' : input },
  };
  if (isNative && item.seal !== undefined) call.extra_content = thoughtSignature(item.seal);
  if (isNative && item.cache !== undefined) call.cache_control = writeCacheMark(item.cache);
  return call;
}

/** Annotations of an answer; those that another dialect alone can say are left out. */
export function encodeAnnotation(annotation: Annotation): JsonObject | undefined {
  const raw = annotation.raw;
  if (raw?.dialect === 'openai-chat' && typeof raw.value === 'object' && raw.value !== null) {
    return Array.isArray(raw.value) ? undefined : raw.value;
  }
  if (annotation.kind === 'other') return undefined;
  return {
    type: 'url_citation',
    url_citation: {
      url: annotation.url,
      title: annotation.title ?? '',
      // Clients may rely on both: a source without a place stands at an empty one.
      start_index: annotation.start ?? 0,
      end_index: annotation.end ?? 0,
    },
  };
}

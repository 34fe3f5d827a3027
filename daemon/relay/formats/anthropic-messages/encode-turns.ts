/**
 * Conversation items as the strictly alternating turns of the Messages wire.
 */
import { argumentsObject } from '../../canonical/arguments.ts';
import { withOwnCallIds } from '../../canonical/call-ids.ts';
import type {
  AssistantItem,
  CacheMark,
  ChatRequest,
  ContentPart,
  ReasoningItem,
  ToolCallItem,
  ToolResultItem,
} from '../../canonical/chat.ts';
import { withPicturesFromUsers } from '../../canonical/own-pictures.ts';
import { anthropicCallId, anthropicToolName, flatToolName } from '../../canonical/tool-names.ts';
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { writeCacheMark } from '../cache-mark.ts';
import { functionInput } from '../client-tools.ts';
import { asObject, inexpressible } from '../fields.ts';
import { dropHostedItem, noteName, refusePart } from '../loss.ts';
import { isTextType, openUrlOf, sniffImage } from '../media.ts';

interface Turn {
  role: 'user' | 'assistant';
  /** Results have to stand before anything else of a user turn. */
  results: JsonObject[];
  content: JsonObject[];
}

const placeholder = '...';

/** System text as blocks, and the turns: user first, neighbours of one role merged. */
export function encodeConversation(
  request: ChatRequest,
  scope: Scope,
): { system: JsonObject[]; messages: JsonObject[] } {
  const system: JsonObject[] = [];
  const turns: Turn[] = [];
  const turn = (role: Turn['role']): Turn => {
    const last = turns.at(-1);
    if (last?.role === role) return last;
    const next: Turn = { role, results: [], content: [] };
    turns.push(next);
    return next;
  };
  const isNative = request.dialect === 'anthropic-messages';
  for (const item of withOwnCallIds(isNative ? request.items : withPicturesFromUsers(request.items))) {
    switch (item.type) {
      case 'system':
        append(system, encodeParts(item.parts, scope));
        break;
      case 'user': {
        const blocks = encodeParts(item.parts, scope);
        noteName(item, scope);
        if (blocks.length > 0) append(turn('user').content, blocks);
        break;
      }
      case 'tool-result':
        turn('user').results.push(encodeResult(item, scope));
        break;
      case 'assistant': {
        const blocks = encodeAssistant(item, scope);
        if (blocks.length > 0) append(turn('assistant').content, blocks);
        break;
      }
      case 'reasoning': {
        const block = encodeReasoning(item, scope);
        if (block !== undefined) turn('assistant').content.push(block);
        break;
      }
      case 'tool-call':
        turn('assistant').content.push(encodeCall(item));
        break;
      case 'hosted': {
        const raw = asObject(item.raw);
        if (item.dialect === 'anthropic-messages' && raw !== undefined) turn('assistant').content.push(raw);
        else if (item.text !== undefined) turn('assistant').content.push({ type: 'text', text: item.text });
        else dropHostedItem(item, scope);
      }
    }
  }
  if (turns[0]?.role !== 'user') {
    turns.unshift({ role: 'user', results: [], content: [{ type: 'text', text: placeholder }] });
  }
  trimFinalText(turns.at(-1));
  return {
    system,
    messages: turns.map(({ role, results, content }) => ({ role, content: [...results, ...content] })),
  };
}

/** One by one: a list of any length cannot be given as arguments. */
function append(list: JsonObject[], entries: readonly JsonObject[]): void {
  for (const entry of entries) list.push(entry);
}

/** The vendor refuses white space at the end of an answer that is to be continued. */
function trimFinalText(turn: Turn | undefined): void {
  const last = turn?.content.at(-1);
  if (turn?.role !== 'assistant' || last?.type !== 'text' || typeof last.text !== 'string') return;
  turn.content[turn.content.length - 1] = { ...last, text: last.text.trimEnd() };
}

/** Signed thoughts are returned to their origin as they came; unsigned and foreign ones cannot be. */
function encodeReasoning(item: ReasoningItem, scope: Scope): JsonObject | undefined {
  const { seal } = item;
  if (seal?.origin !== 'anthropic-messages') {
    scope.lose('reasoning');
    return undefined;
  }
  if (seal.redacted === true) return { type: 'redacted_thinking', data: seal.data };
  return { type: 'thinking', thinking: item.texts.join('\n\n'), signature: seal.data };
}

function encodeAssistant(item: AssistantItem, scope: Scope): JsonObject[] {
  const words = item.parts.map((part): ContentPart => {
    if (part.type === 'refusal') return { type: 'text', text: part.text };
    return part.type === 'audio' ? { type: 'text', text: part.transcript ?? '' } : part;
  });
  if (item.parts.some((part) => part.type === 'audio')) scope.lose('assistant.audio');
  noteName(item, scope);
  return encodeParts(words, scope);
}

function encodeCall(item: ToolCallItem): JsonObject {
  const block: JsonObject = {
    ...item.extensions?.['anthropic-messages'],
    type: 'tool_use',
    id: anthropicCallId(item.callId),
    name: anthropicToolName(flatToolName(item.name, item.namespace)),
    input: argumentsObject(functionInput(item.kind, item.input)),
  };
  return marked(block, item.cache);
}

function encodeResult(item: ToolResultItem, scope: Scope): JsonObject {
  const blocks = encodeParts(item.parts, scope);
  const [only] = blocks;
  // One plain text is written as a string, the shorter form that every host of this format understands.
  const isPlain = blocks.length === 1 && only?.type === 'text' && only.cache_control === undefined;
  const content: Json = isPlain && only !== undefined ? (only.text ?? '') : blocks;
  const own = item.extensions?.['anthropic-messages'];
  const block: JsonObject = { ...own, type: 'tool_result', tool_use_id: anthropicCallId(item.callId), content };
  if (blocks.length === 0) block.content = '';
  if (item.isError === true) block.is_error = true;
  return marked(block, item.cache);
}

export function marked(block: JsonObject, cache: CacheMark | undefined): JsonObject {
  return cache === undefined ? block : { ...block, cache_control: writeCacheMark(cache) };
}

/** Blank text is left out: the vendor refuses it. */
function encodeParts(parts: readonly ContentPart[], scope: Scope): JsonObject[] {
  return parts.flatMap((part) => {
    if (part.type === 'text' && part.text.trim() === '') return [];
    const block = encodePart(part, scope);
    return 'cache' in part ? [marked(block, part.cache)] : [block];
  });
}

function encodePart(part: ContentPart, scope: Scope): JsonObject {
  switch (part.type) {
    case 'text': {
      if (part.raw?.dialect === 'anthropic-messages') return part.raw.value;
      const own = (part.annotations ?? []).flatMap((annotation) =>
        annotation.raw?.dialect === 'anthropic-messages' ? [annotation.raw.value] : [],
      );
      return own.length === 0 ? { type: 'text', text: part.text } : { type: 'text', text: part.text, citations: own };
    }
    case 'refusal':
      return { type: 'text', text: part.text };
    case 'image':
      if (part.detail !== undefined && part.detail !== 'auto') scope.lose('image.detail');
      return { ...part.extensions?.['anthropic-messages'], type: 'image', source: encodeImageSource(part) };
    case 'document':
      return encodeDocument(part, scope);
    case 'audio':
    case 'video':
      if (part.type === 'video' && scope.traits?.video === true) {
        return { type: 'video', source: encodeVideoSource(part) };
      }
      throw inexpressible(part.type, 'this format reads text, images and documents');
    case 'foreign': {
      const raw = asObject(part.raw);
      return part.dialect === 'anthropic-messages' && raw !== undefined ? raw : refusePart(part);
    }
  }
}

function encodeVideoSource({ source }: Extract<ContentPart, { type: 'video' }>): JsonObject {
  if (source.kind === 'url') return { type: 'url', url: openUrlOf(source, 'video') ?? '' };
  if (source.kind === 'file-id') throw inexpressible('video', 'a file of another vendor cannot be sent');
  return { type: 'base64', media_type: source.mediaType, data: source.data };
}

function encodeImageSource(part: Extract<ContentPart, { type: 'image' }>): JsonObject {
  const { source } = part;
  if (source.kind === 'url') return { type: 'url', url: openUrlOf(source, 'image') ?? '' };
  if (source.kind === 'file-id') {
    if (source.owner !== 'anthropic-messages') throw inexpressible('image', 'a file of another vendor cannot be sent');
    return { type: 'file', file_id: source.id };
  }
  // The declared type is often wrong, and the vendor refuses a mismatch.
  const mediaType = sniffImage(source.data) ?? source.mediaType;
  if (!/^image\/(jpeg|png|gif|webp)$/.test(mediaType)) {
    throw inexpressible('image', `${mediaType} is not one of jpeg, png, gif, webp`);
  }
  return { type: 'base64', media_type: mediaType, data: source.data };
}

function encodeDocument(part: Extract<ContentPart, { type: 'document' }>, scope: Scope): JsonObject {
  if (part.raw?.dialect === 'anthropic-messages') return part.raw.value;
  const block: JsonObject = { type: 'document', source: encodeDocumentSource(part, scope) };
  if (part.title !== undefined) block.title = part.title;
  if (part.context !== undefined) block.context = part.context;
  if (part.citations !== undefined) block.citations = { enabled: part.citations };
  return block;
}

function encodeDocumentSource(part: Extract<ContentPart, { type: 'document' }>, { traits }: Scope): JsonObject {
  const { source } = part;
  switch (source.kind) {
    case 'text':
      return { type: 'text', media_type: 'text/plain', data: source.text };
    case 'url':
      return { type: 'url', url: openUrlOf(source, 'file') ?? '' };
    case 'file-id':
      if (source.owner !== 'anthropic-messages') throw inexpressible('file', 'a file of another vendor cannot be sent');
      return { type: 'file', file_id: source.id };
    case 'inline':
      if (source.mediaType === 'application/pdf' || traits?.anyDocument === true) {
        return { type: 'base64', media_type: source.mediaType, data: source.data };
      }
      if (isTextType(source.mediaType)) {
        const data = Buffer.from(source.data, 'base64').toString('utf8');
        return { type: 'text', media_type: 'text/plain', data };
      }
      throw inexpressible('file', `${source.mediaType} is neither PDF nor text`);
  }
}

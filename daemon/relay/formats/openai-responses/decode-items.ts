/**
 * Items of the Responses wire, of a request's input and of an answer's output, as conversation items.
 */
import type {
  Annotation,
  AssistantItem,
  ChatItem,
  ContentPart,
  OutputItem,
  ReasoningItem,
  ToolCallItem,
  ToolCallKind,
  ToolResultItem,
} from '../../canonical/chat.ts';
import { MarkedNumbers } from '../../canonical/exact-numbers.ts';
import { unwrapSeal } from '../../canonical/seal.ts';
import { clientToolNames } from '../../canonical/tool-names.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asList, asNumber, asObject, asObjects, asText, asWord, entryOf, invalid, present } from '../fields.ts';
import { sourceOfUrl, typeOfAudioFormat, typeOfFileName } from '../media.ts';
import { ownPartMembers } from '../openai-chat/wire.ts';
import { ofCall, ownMembers } from '../own-members.ts';
import { isItemReference } from './kept-items.ts';
import { callKinds, inputMembers, resultKinds, wordsToAgent } from './wire.ts';

/** A string, or the list of items. Throws `invalid_request` with the path of the item at fault. */
export function decodeInput(input: Json | undefined): ChatItem[] {
  if (typeof input === 'string') return [{ type: 'user', parts: [{ type: 'text', text: input }] }];
  const items = asList(input).flatMap((entry, at): ChatItem[] => {
    const item = asObject(entry);
    if (item === undefined) throw invalid(`input[${at}]`, 'must be an object');
    const decoded = decodeItem(item, `input[${at}]`);
    return decoded === undefined ? [] : [decoded];
  });
  return placeResults(items);
}

/**
 * One result for each call. What a call says after its result, as the scripts of Codex do by `notify`, goes to the end of
 * that result: no other dialect takes two. Where the model has spoken since, and where the call is not in the input, a
 * result stands for itself, as words of the user (relay.md 13.5).
 */
function placeResults(items: readonly ChatItem[]): ChatItem[] {
  const unanswered = new Map<string, number>();
  for (const item of items) {
    if (item.type === 'tool-call') unanswered.set(item.callId, (unanswered.get(item.callId) ?? 0) + 1);
  }
  const placed: ChatItem[] = [];
  /** By call, where the result stands that the model has not seen yet. */
  let unseen = new Map<string, number>();
  /** By place, what results of several pieces say together. */
  const joined = new Map<number, ContentPart[]>();
  for (const item of items) {
    if (item.type !== 'tool-result') {
      if (item.type !== 'user' && item.type !== 'system') unseen = new Map();
      placed.push(item);
      continue;
    }
    const calls = unanswered.get(item.callId) ?? 0;
    const at = unseen.get(item.callId) ?? -1;
    const earlier = placed[at];
    if (calls > 0) {
      unanswered.set(item.callId, calls - 1);
      unseen.set(item.callId, placed.length);
      placed.push(item);
    } else if (earlier?.type === 'tool-result') {
      let parts = joined.get(at);
      if (parts === undefined) {
        parts = [...earlier.parts];
        joined.set(at, parts);
        placed[at] = present({ ...earlier, parts, value: undefined });
      }
      for (const part of item.parts) parts.push(part);
    } else placed.push({ type: 'user', parts: item.parts });
  }
  return placed;
}

function decodeItem(item: JsonObject, path: string): ChatItem | undefined {
  const type = asWord(item.type) ?? (isItemReference(item) ? 'item_reference' : 'message');
  if (type === 'additional_tools') return undefined;
  if (type === 'message') return decodeMessage(item, path);
  // What one agent of Codex says to another; its first words name both.
  if (type === 'agent_message') return { type: 'user', parts: decodeContent(item.content, `${path}.content`) };
  const kind = entryOf(resultKinds, type);
  if (kind !== undefined) return decodeResult(item, kind, path);
  return decodeOutputItem(item, path, type);
}

function decodeMessage(item: JsonObject, path: string): ChatItem {
  const parts = decodeContent(item.content, `${path}.content`);
  switch (item.role ?? 'user') {
    case 'system':
    case 'developer':
      return { type: 'system', role: item.role === 'developer' ? 'developer' : 'system', parts };
    case 'user':
      return { type: 'user', parts };
    case 'assistant':
      return assistantOf(item, parts);
    default:
      throw invalid(`${path}.role`, 'must be user, assistant, system or developer');
  }
}

function assistantOf(item: JsonObject, parts: readonly ContentPart[]): AssistantItem {
  return present({ type: 'assistant', parts, id: asWord(item.id), phase: asWord(item.phase) });
}

/** An item that the model produced; kinds of hosted tools are kept whole for this dialect. */
export function decodeOutputItem(item: JsonObject, path: string, type = asWord(item.type) ?? 'unknown'): OutputItem {
  if (type === 'message') return assistantOf(item, decodeContent(item.content, `${path}.content`));
  if (type === 'reasoning') return decodeReasoning(item);
  const kind = entryOf(callKinds, type);
  // A tool search that the vendor ran itself is no call to the client.
  const isHosted = kind === 'tool-search' && item.execution === 'server';
  if (kind !== undefined && !isHosted) return decodeCall(item, kind, path);
  return { type: 'hosted', dialect: 'openai-responses', name: type, raw: item };
}

export function decodeCall(item: JsonObject, kind: ToolCallKind, path: string): ToolCallItem {
  const callId = asWord(item.call_id) ?? asWord(item.id);
  if (callId === undefined) throw invalid(`${path}.call_id`, 'is required');
  const name = callName(item, kind);
  if (name === undefined) throw invalid(`${path}.name`, 'is required');
  return present({
    type: 'tool-call',
    kind,
    callId,
    name,
    namespace: asWord(item.namespace),
    input: readCallInput(item, kind),
    id: asWord(item.id),
    extensions: ofCall(item, 'openai-responses'),
  });
}

/** Functions and custom tools are named by the item, the client's other tools by their kind. */
export function callName(item: JsonObject, kind: ToolCallKind): string | undefined {
  return asWord(item.name) ?? (kind === 'function' || kind === 'custom' ? undefined : clientToolNames[kind]);
}

/** What is asked of the tool, as text: JSON for all kinds but `custom`. */
export function readCallInput(item: JsonObject, kind: ToolCallKind): string {
  const value = item[inputMembers[kind]];
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** As `readCallInput`, of the event `data`, with the digits of numbers that it has lost by being parsed. */
export function exactInput(wire: JsonObject, kind: ToolCallKind, data: string): string {
  const numbers = MarkedNumbers.in(data);
  const again = asObject(asObject(numbers?.json)?.item);
  if (numbers === undefined || again === undefined) return readCallInput(wire, kind);
  return numbers.restored(readCallInput(again, kind));
}

function decodeResult(item: JsonObject, kind: ToolCallKind, path: string): ToolResultItem {
  const callId = asWord(item.call_id) ?? asWord(item.id);
  if (callId === undefined) throw invalid(`${path}.call_id`, 'is required');
  const output = item.output ?? item.tools;
  const isContent = kind === 'function' || kind === 'custom';
  const own = { id: asWord(item.id), extensions: ofCall(item, 'openai-responses') };
  if (isContent || typeof output === 'string') {
    return present({ type: 'tool-result', kind, callId, parts: decodeContent(output, `${path}.output`), ...own });
  }
  const text = JSON.stringify(output ?? null);
  return present({ type: 'tool-result', kind, callId, parts: [{ type: 'text', text }], value: output, ...own });
}

/** The thinking itself where it is shown, else its summaries. */
function decodeReasoning(item: JsonObject): ReasoningItem {
  const full = textsOf(item.content);
  const sealed = asWord(item.encrypted_content);
  return present({
    type: 'reasoning',
    texts: full.length > 0 ? full : textsOf(item.summary),
    form: full.length > 0 ? 'full' : 'summary',
    seal: sealed === undefined ? undefined : unwrapSeal(sealed, 'openai-responses'),
    id: asWord(item.id),
  });
}

function textsOf(value: Json | undefined): string[] {
  return asObjects(value).flatMap((part) => asWord(part.text) ?? []);
}

/** A string, or parts. */
function decodeContent(content: Json | undefined, path: string): ContentPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) throw invalid(path, 'must be a string or an array');
  return content.flatMap((entry, at) => {
    const part = asObject(entry);
    if (part === undefined) throw invalid(`${path}[${at}]`, 'must be an object');
    return withOwn(decodePart(part, `${path}[${at}]`), part);
  });
}

/** The part with what stands beside its content. */
function withOwn(decoded: ContentPart | undefined, part: JsonObject): ContentPart[] {
  if (decoded === undefined) return [];
  const extensions = ownMembers(part, 'openai-responses', ownPartMembers);
  if (extensions === undefined || decoded.type === 'foreign' || decoded.type === 'refusal') return [decoded];
  return [{ ...decoded, extensions }];
}

function decodePart(part: JsonObject, path: string): ContentPart | undefined {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text': {
      const text = asText(part.text) ?? '';
      const annotations = asList(part.annotations).flatMap((entry) => decodeAnnotation(entry) ?? []);
      if (text === '') return undefined;
      return annotations.length === 0 ? { type: 'text', text } : { type: 'text', text, annotations };
    }
    case 'refusal':
      return { type: 'refusal', text: asText(part.refusal) ?? '' };
    case 'encrypted_content': {
      const text = wordsToAgent(part);
      return text === undefined ? foreignPart(part) : { type: 'text', text };
    }
    case 'input_image': {
      const url = asWord(part.image_url) ?? asWord(asObject(part.image_url)?.url);
      const id = asWord(part.file_id);
      const detail = asWord(part.detail);
      if (url !== undefined) return present({ type: 'image', source: sourceOfUrl(url), detail });
      if (id === undefined) throw invalid(path, 'needs image_url or file_id');
      return present({ type: 'image', source: { kind: 'file-id', id, owner: 'openai-responses' }, detail });
    }
    case 'input_file':
      return decodeFile(part, path);
    case 'input_audio': {
      const audio = asObject(part.input_audio) ?? part;
      const format = asWord(audio.format) ?? 'wav';
      const data = asText(audio.data) ?? '';
      return { type: 'audio', source: { kind: 'inline', mediaType: typeOfAudioFormat(format), data }, format };
    }
    default:
      return foreignPart(part);
  }
}

function foreignPart(part: JsonObject): ContentPart {
  return { type: 'foreign', dialect: 'openai-responses', name: asText(part.type) ?? 'unknown', raw: part };
}

function decodeFile(part: JsonObject, path: string): ContentPart {
  const title = asWord(part.filename);
  const detail = asWord(part.detail);
  const url = asWord(part.file_url);
  const data = asWord(part.file_data);
  const id = asWord(part.file_id);
  if (url !== undefined) return present({ type: 'document', source: { kind: 'url', url }, title, detail });
  if (data !== undefined) {
    const source = sourceOfUrl(data);
    if (source.kind === 'inline') return present({ type: 'document', source, title, detail });
    const mediaType = typeOfFileName(title) ?? 'application/pdf';
    return present({ type: 'document', source: { kind: 'inline', mediaType, data }, title, detail });
  }
  if (id === undefined) throw invalid(path, 'needs file_data, file_url or file_id');
  return present({ type: 'document', source: { kind: 'file-id', id, owner: 'openai-responses' }, title, detail });
}

/** `{type:'url_citation', url, title, start_index, end_index}`; other kinds stay with this dialect. */
export function decodeAnnotation(value: Json | undefined): Annotation | undefined {
  const annotation = asObject(value);
  if (annotation === undefined) return undefined;
  const raw = { dialect: 'openai-responses' as const, value: annotation };
  const url = asWord(annotation.url);
  if (annotation.type !== 'url_citation' || url === undefined) return { kind: 'other', raw };
  return present({
    kind: 'url',
    url,
    title: asWord(annotation.title),
    start: asNumber(annotation.start_index),
    end: asNumber(annotation.end_index),
    raw,
  });
}

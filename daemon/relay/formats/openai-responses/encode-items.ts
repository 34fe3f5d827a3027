/**
 * Conversation items as items of the Responses wire: requests, whole answers and the ends of streamed items.
 */
import { argumentsObject } from '../../canonical/arguments.ts';
import type {
  Annotation,
  ContentPart,
  ReasoningItem,
  TokenLogprob,
  ToolCallItem,
  ToolResultItem,
} from '../../canonical/chat.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asObject, inexpressible, some } from '../fields.ts';
import { refusePart } from '../loss.ts';
import { formatOfAudioType, openUrlOf, urlOfSource } from '../media.ts';
import { callTypes, inputMembers, resultTypes } from './wire.ts';

/** Parts of a user or system message, and of a tool's result. */
export function encodeInputParts(parts: readonly ContentPart[]): JsonObject[] {
  return parts.flatMap((part) => {
    const encoded = encodeInputPart(part);
    if (encoded === undefined) return [];
    const own = 'extensions' in part ? part.extensions?.['openai-responses'] : undefined;
    return [own === undefined ? encoded : { ...encoded, ...own }];
  });
}

function encodeInputPart(part: ContentPart): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return part.text === '' ? undefined : { type: 'input_text', text: part.text };
    case 'refusal':
      return { type: 'input_text', text: part.text };
    case 'image': {
      const detail = part.detail ?? 'auto';
      if (part.source.kind === 'file-id') {
        return { type: 'input_image', file_id: ownFile(part.source.owner, part.source.id), detail };
      }
      return { type: 'input_image', image_url: openUrlOf(part.source, 'image') ?? '', detail };
    }
    case 'document':
      return encodeDocument(part);
    case 'audio': {
      if (part.source.kind !== 'inline') throw inexpressible('audio', 'must be given inline');
      const format = part.format ?? formatOfAudioType(part.source.mediaType);
      return { type: 'input_audio', input_audio: { data: part.source.data, format } };
    }
    case 'video':
      throw inexpressible('video', 'this format reads text, images, files and audio');
    case 'foreign':
      if (part.dialect !== 'openai-responses') return refusePart(part);
      return asObject(part.raw);
  }
}

function ownFile(owner: string, id: string): string {
  if (owner === 'openai-responses' || owner === 'openai-chat') return id;
  throw inexpressible('file', 'a file of another vendor cannot be sent');
}

function encodeDocument(part: Extract<ContentPart, { type: 'document' }>): JsonObject {
  const { source, title } = part;
  const about = part.detail === undefined ? {} : { detail: part.detail };
  switch (source.kind) {
    case 'text':
      return { type: 'input_text', text: title === undefined ? source.text : `${title}\n\n${source.text}` };
    case 'url':
      return { type: 'input_file', file_url: openUrlOf(source, 'file') ?? '', ...about };
    case 'file-id':
      return { type: 'input_file', file_id: ownFile(source.owner, source.id), ...about };
    case 'inline':
      return {
        type: 'input_file',
        filename: title ?? 'document.pdf',
        file_data: `data:${source.mediaType};base64,${source.data}`,
        ...about,
      };
  }
}

/** Parts of what the model said, as history or as an answer. */
export function encodeOutputParts(parts: readonly ContentPart[]): JsonObject[] {
  return parts.flatMap((part): JsonObject[] => {
    switch (part.type) {
      case 'text':
        return part.text === '' ? [] : [outputText(part.text, encodeAnnotations(part.annotations ?? []))];
      case 'refusal':
        return [{ type: 'refusal', refusal: part.text }];
      case 'image':
        return [outputText(`![image](${urlOfSource(part.source) ?? ''})`, [])];
      case 'audio':
        return part.transcript === undefined ? [] : [outputText(part.transcript, [])];
      default:
        return [];
    }
  });
}

export function outputText(text: string, annotations: JsonObject[]): JsonObject {
  return { type: 'output_text', text, annotations, logprobs: [] };
}

/** `logprobs` of a text part. */
export function encodeTokens(tokens: readonly TokenLogprob[]): JsonObject[] {
  return tokens.map((entry) => ({ ...encodeToken(entry), top_logprobs: entry.top.map(encodeToken) }));
}

function encodeToken(entry: Omit<TokenLogprob, 'top'>): JsonObject {
  return { token: entry.token, logprob: entry.logprob, bytes: [...(entry.bytes ?? [])] };
}

function encodeAnnotations(annotations: readonly Annotation[]): JsonObject[] {
  return annotations.flatMap((annotation) => some(encodeAnnotation(annotation)));
}

/** An annotation of this dialect as it came; web citations of others in this one's form. */
export function encodeAnnotation(annotation: Annotation): JsonObject | undefined {
  if (annotation.raw?.dialect === 'openai-responses') return asObject(annotation.raw.value);
  if (annotation.kind === 'other') return undefined;
  return {
    type: 'url_citation',
    url: annotation.url,
    title: annotation.title ?? '',
    // Clients may rely on both: a source without a place stands at an empty one.
    start_index: annotation.start ?? 0,
    end_index: annotation.end ?? 0,
  };
}

/** `sealed` is the encrypted content as it may be shown here; undefined when there is none. */
export function encodeReasoning(item: Pick<ReasoningItem, 'texts' | 'form'>, sealed: string | undefined): JsonObject {
  const encoded: JsonObject = {
    type: 'reasoning',
    summary: item.texts.map((text) => ({ type: 'summary_text', text })),
  };
  if (sealed !== undefined) encoded.encrypted_content = sealed;
  return encoded;
}

/** A call in the form of its kind. Only free text and functions are text on this wire, the rest objects. */
export function encodeCall(item: Omit<ToolCallItem, 'type' | 'seal'>): JsonObject {
  const { kind, callId } = item;
  const encoded: JsonObject = { ...item.extensions?.['openai-responses'], type: callTypes[kind], call_id: callId };
  if (kind === 'function' || kind === 'custom') encoded.name = item.name;
  if (item.namespace !== undefined) encoded.namespace = item.namespace;
  encoded[inputMembers[kind]] = encodeCallInput(item);
  if (kind === 'tool-search') encoded.execution = 'client';
  return encoded;
}

function encodeCallInput(item: Omit<ToolCallItem, 'type' | 'seal'>): Json {
  switch (item.kind) {
    case 'custom':
      return item.input;
    case 'function':
      return item.input === '' ? '{}' : item.input;
    case 'local-shell': {
      // What the client's tool must have stands behind what was asked, which keeps its digits as a whole.
      const asked = argumentsObject(item.input);
      return { ...asked, type: asked.type ?? 'exec', env: asked.env ?? {} };
    }
    default:
      return argumentsObject(item.input);
  }
}

/** A result; errors are told in words, for this wire has no flag for them. */
export function encodeResult(item: ToolResultItem): JsonObject {
  const own = item.extensions?.['openai-responses'];
  const encoded: JsonObject = { ...own, type: resultTypes[item.kind], call_id: item.callId };
  if (item.value !== undefined && item.kind !== 'function' && item.kind !== 'custom') {
    encoded[item.kind === 'tool-search' ? 'tools' : 'output'] = item.value;
    return encoded;
  }
  const isPlain = item.parts.every((part) => part.type === 'text' && part.extensions === undefined);
  const text = item.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  if (isPlain) encoded.output = item.isError === true ? `Error: ${text}` : text;
  else encoded.output = encodeInputParts(item.isError === true ? asError(item.parts) : item.parts);
  return encoded;
}

function asError(parts: readonly ContentPart[]): readonly ContentPart[] {
  const [first, ...others] = parts;
  if (first?.type !== 'text') return [{ type: 'text', text: 'Error:' }, ...parts];
  return [{ ...first, text: `Error: ${first.text}` }, ...others];
}

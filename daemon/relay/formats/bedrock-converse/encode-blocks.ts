/** Content blocks of Messages in Bedrock's words, where the name of the one member says what a block is. */
import type { ChatRequest, ReasoningControl } from '../../canonical/chat.ts';
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asList, asObject, asObjects, asText, asWord, inexpressible } from '../fields.ts';
import type { Family } from './families.ts';

/** What a body is written from, beside the Messages body itself. */
export interface ConverseSource {
  readonly family: Family;
  readonly request: ChatRequest;
  /** How a model that is none of Claude's is to think. */
  readonly effort: ReasoningControl | undefined;
  readonly scope: Scope;
}

export function encodeBlocks(content: Json | undefined, source: ConverseSource): JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  const blocks = asObjects(content);
  const wire = blocks.flatMap((block) => {
    const made = encodeBlock(block, source);
    if (made === undefined) return [];
    return caches(block, source) ? [made, cachePoint(block.cache_control ?? null)] : [made];
  });
  // A document is refused where nothing is said about it.
  const isMute = wire.some((block) => block.document !== undefined) && !wire.some((block) => block.text !== undefined);
  return isMute ? [{ text: '...' }, ...wire] : wire;
}

function caches(block: JsonObject, { family, scope }: ConverseSource): boolean {
  if (block.cache_control === undefined) return false;
  if (family === 'claude' || family === 'nova') return true;
  scope.lose('cache_control');
  return false;
}

function encodeBlock(block: JsonObject, source: ConverseSource): JsonObject | undefined {
  const { family, scope } = source;
  switch (block.type) {
    case 'text':
      return asWord(block.text) === undefined ? undefined : { text: block.text ?? '' };
    case 'image':
      return { image: { format: imageFormat(block), source: sourceOf(block, 'image') } };
    case 'document':
      return { document: encodeDocument(block) };
    case 'tool_use':
      return { toolUse: { toolUseId: block.id ?? '', name: block.name ?? '', input: block.input ?? {} } };
    case 'tool_result':
      return { toolResult: encodeResult(block, source) };
    case 'thinking':
    case 'redacted_thinking':
      if (family === 'claude') return { reasoningContent: encodeThought(block) };
      scope.lose('reasoning');
      return undefined;
    default:
      scope.lose(asText(block.type) ?? 'content');
      return undefined;
  }
}

function encodeThought(block: JsonObject): JsonObject {
  if (block.type === 'redacted_thinking') return { redactedContent: block.data ?? '' };
  const text: JsonObject = { text: block.thinking ?? '' };
  if (asWord(block.signature) !== undefined) text.signature = block.signature ?? '';
  return { reasoningText: text };
}

function encodeResult(block: JsonObject, source: ConverseSource): JsonObject {
  const { family } = source;
  const content = typeof block.content === 'string' ? [{ type: 'text', text: block.content }] : asList(block.content);
  const result: JsonObject = { toolUseId: block.tool_use_id ?? '', content: encodeBlocks([...content], source) };
  // The other vendors' models refuse to be told.
  if (block.is_error === true && (family === 'claude' || family === 'nova')) result.status = 'error';
  return result;
}

function imageFormat(block: JsonObject): string {
  const source = asObject(block.source);
  const type = asWord(source?.media_type)?.replace('image/', '');
  return type ?? /\.(png|jpe?g|gif|webp)$/i.exec(asText(source?.url) ?? '')?.[1]?.replace('jpg', 'jpeg') ?? 'png';
}

/** The bytes, or a place in the host's own store; nothing else is read. */
function sourceOf(block: JsonObject, kind: string): JsonObject {
  const source = asObject(block.source);
  const url = asText(source?.url);
  if (url?.startsWith('s3://')) return { s3Location: { uri: url } };
  const data = asText(source?.data);
  if (data === undefined) throw inexpressible(kind, 'must be given by its bytes');
  return { bytes: source?.type === 'text' ? Buffer.from(data).toString('base64') : data };
}

function encodeDocument(block: JsonObject): JsonObject {
  const source = asObject(block.source);
  const isText = asWord(source?.media_type)?.startsWith('text/') === true;
  const wire: JsonObject = {
    format: isText ? 'txt' : 'pdf',
    name: nameOf(asText(block.title)),
    source: sourceOf(block, 'document'),
  };
  if (asWord(block.context) !== undefined) wire.context = block.context ?? '';
  if (asObject(block.citations)?.enabled === true) wire.citations = { enabled: true };
  return wire;
}

/** Letters, digits, single spaces, hyphens and brackets are all that a name may hold. */
function nameOf(title: string | undefined): string {
  const name = (title ?? '').replace(/[^A-Za-z0-9()[\]-]+/g, ' ').trim();
  return name === '' ? 'Document' : name.slice(0, 200);
}

/** The block that stands behind what is to be cached. */
export function cachePoint(mark: Json): JsonObject {
  const ttl = asWord(asObject(mark)?.ttl);
  return { cachePoint: ttl === undefined ? { type: 'default' } : { type: 'default', ttl } };
}

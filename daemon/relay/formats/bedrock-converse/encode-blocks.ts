/** Content blocks of Messages in Bedrock's words, where the name of the one member says what a block is. */
import type { ChatRequest, ReasoningControl } from '../../canonical/chat.ts';
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { wordsOfBlock, wordsOfBlocks } from '../anthropic-messages/decode-blocks.ts';
import { ownCallMembers } from '../anthropic-messages/wire.ts';
import { asObject, asObjects, asText, asWord, entryOf, inexpressible, some } from '../fields.ts';
import { lose, noteSearchResult } from '../loss.ts';
import { isTextType } from '../media.ts';
import { ofCall } from '../own-members.ts';
import type { Family } from './families.ts';

/** What a body is written from, beside the Messages body itself. */
export interface ConverseSource {
  readonly family: Family;
  readonly request: ChatRequest;
  /** How a model that is none of Claude's is to think. */
  readonly effort: ReasoningControl | undefined;
  readonly scope: Scope;
  /** Names of documents that are given, in small letters, with their last number: the host refuses to read one twice. */
  readonly documents: Map<string, number>;
}

export function encodeBlocks(content: Json | undefined, source: ConverseSource): JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  const wire = asObjects(content).flatMap((block) => {
    const made = encodeBlock(block, source);
    if (made === undefined) return [];
    const mark = markOf(block);
    return mark !== undefined && caches(source) ? [made, cachePoint(mark)] : [made];
  });
  return withWords(wire);
}

/** A cache mark of the block, or of a block within a result, where none can stand. */
function markOf(block: JsonObject): Json | undefined {
  if (block.cache_control !== undefined || block.type !== 'tool_result') return block.cache_control;
  return asObjects(block.content).findLast((inner) => inner.cache_control !== undefined)?.cache_control;
}

function withWords(wire: JsonObject[]): JsonObject[] {
  // A document is refused where nothing is said about it.
  const isMute = wire.some((block) => block.document !== undefined) && !wire.some((block) => block.text !== undefined);
  return isMute ? [{ text: '...' }, ...wire] : wire;
}

function caches({ family, scope }: ConverseSource): boolean {
  if (family === 'claude' || family === 'nova') return true;
  scope.lose('cache_control');
  return false;
}

const said: ReadonlySet<string> = new Set([
  'text',
  'image',
  'video',
  'document',
  'search_result',
  'tool_reference',
  'tool_use',
  'tool_result',
]);

/**
 * Throws `convert_request_failed` for what a user or a tool says in a block of another kind: it would be missing from
 * what the model reads. What a vendor's own tools did in an assistant's turn may be left out.
 */
export function refuseUnread(content: Json | undefined): void {
  for (const { type, content: inner } of asObjects(content)) {
    const kind = asText(type) ?? 'a block without a type';
    if (!said.has(kind)) throw inexpressible('content', `${kind} cannot be converted`);
    if (kind === 'tool_result') refuseUnread(inner);
  }
}

function encodeBlock(block: JsonObject, source: ConverseSource): JsonObject | undefined {
  const { family, scope } = source;
  switch (block.type) {
    case 'text':
      lose(scope, { citations: block.citations });
      return asWord(block.text) === undefined ? undefined : { text: block.text ?? '' };
    case 'search_result':
    case 'tool_reference': {
      const words = wordsOfBlock(block);
      if (words === undefined) throw inexpressible('content', `${block.type} cannot be converted`);
      noteSearchResult(block, scope);
      return { text: words };
    }
    case 'image':
      lose(scope, { 'image.transformations': block.transformations });
      return { image: { format: imageFormat(block), source: sourceOf(block, 'image') } };
    case 'video': {
      const bytes = sourceOf(block, 'video');
      return { video: { format: videoFormat(block), source: bytes } };
    }
    case 'document':
      return { document: encodeDocument(block, source) };
    case 'tool_use':
      for (const name in ofCall(block, 'anthropic-messages', ownCallMembers)?.['anthropic-messages'])
        scope.lose(`tool_use.${name}`);
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
  const blocks = typeof block.content === 'string' ? [{ type: 'text', text: block.content }] : asObjects(block.content);
  const content = withWords(blocks.flatMap((inner) => some(encodeBlock(inner, source))));
  const result: JsonObject = { toolUseId: block.tool_use_id ?? '', content };
  // The other vendors' models refuse to be told.
  if (block.is_error === true && (family === 'claude' || family === 'nova')) result.status = 'error';
  return result;
}

function imageFormat(block: JsonObject): string {
  const source = asObject(block.source);
  const type = asWord(source?.media_type)?.replace('image/', '');
  return type ?? /\.(png|jpe?g|gif|webp)$/i.exec(asText(source?.url) ?? '')?.[1]?.replace('jpg', 'jpeg') ?? 'png';
}

const videoFormats: Readonly<Record<string, string>> = {
  mp4: 'mp4',
  webm: 'webm',
  mpeg: 'mpeg',
  quicktime: 'mov',
  '3gpp': 'three_gp',
  'x-matroska': 'mkv',
  'x-flv': 'flv',
  'x-ms-wmv': 'wmv',
};

function videoFormat(block: JsonObject): string {
  const type = asWord(asObject(block.source)?.media_type) ?? 'application/octet-stream';
  const known = entryOf(videoFormats, type.replace(/^video\/|;.*$/g, ''));
  if (known === undefined) throw inexpressible('video', `${type} is no video that this host reads`);
  return known;
}

/** The bytes, or a place in the host's own store; nothing else is read. */
function sourceOf(block: JsonObject, kind: string): JsonObject {
  const source = asObject(block.source);
  const url = asText(source?.url);
  if (url?.startsWith('s3://')) return { s3Location: { uri: url } };
  const words = source?.type === 'content' ? wordsOfBlocks(source.content) : undefined;
  const data = words ?? asText(source?.data);
  if (data === undefined) throw inexpressible(kind, 'must be given by its bytes');
  const isText = words !== undefined || source?.type === 'text';
  return { bytes: isText ? Buffer.from(data).toString('base64') : data };
}

function encodeDocument(block: JsonObject, { documents }: ConverseSource): JsonObject {
  const source = asObject(block.source);
  const wire: JsonObject = {
    format: source?.type === 'content' ? 'txt' : documentFormat(asWord(source?.media_type)),
    name: freeName(nameOf(asText(block.title)), documents),
    source: sourceOf(block, 'document'),
  };
  if (asWord(block.context) !== undefined) wire.context = block.context ?? '';
  if (asObject(block.citations)?.enabled === true) wire.citations = { enabled: true };
  return wire;
}

const office = 'application/vnd.openxmlformats-officedocument';

const documentFormats: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'application/msword': 'doc',
  [`${office}.wordprocessingml.document`]: 'docx',
  'application/vnd.ms-excel': 'xls',
  [`${office}.spreadsheetml.sheet`]: 'xlsx',
  'text/html': 'html',
  'text/markdown': 'md',
};

function documentFormat(mediaType = 'application/pdf'): string {
  const known = entryOf(documentFormats, mediaType) ?? (isTextType(mediaType) ? 'txt' : undefined);
  if (known === undefined)
    throw inexpressible('file', `${mediaType} is neither PDF, text nor a document of Word or Excel`);
  return known;
}

/** Letters, digits, single spaces, hyphens and brackets are all that a name may hold. */
function nameOf(title: string | undefined): string {
  const name = (title ?? '').replace(/[^A-Za-z0-9()[\]-]+/g, ' ').trim();
  return name === '' ? 'Document' : name.slice(0, longestName);
}

/** With room for a number below the 200 signs that the host takes. */
const longestName = 190;

/** The name, with a number if an earlier document has it. The same in every turn, so that caches know it again. */
function freeName(name: string, taken: Map<string, number>): string {
  const plain = name.toLowerCase();
  let count = taken.get(plain) ?? 1;
  let free = name;
  while (taken.has(free.toLowerCase())) {
    count += 1;
    free = `${name} ${count}`;
  }
  if (free !== name) taken.set(free.toLowerCase(), 1);
  taken.set(plain, count);
  return free;
}

/** The block that stands behind what is to be cached. */
export function cachePoint(mark: Json): JsonObject {
  const ttl = asWord(asObject(mark)?.ttl);
  return { cachePoint: ttl === undefined ? { type: 'default' } : { type: 'default', ttl } };
}

/**
 * Content blocks of the Messages wire as parts and items.
 */
import type { Annotation, ContentPart, OutputItem, Seal, ToolResultItem } from '../../canonical/chat.ts';
import { unwrapSeal } from '../../canonical/seal.ts';
import type { Json, JsonObject } from '../../json.ts';
import { readCacheMark } from '../cache-mark.ts';
import { asFlag, asList, asObject, asText, asWord, invalid, present } from '../fields.ts';
import { ofCall, ownMembers } from '../own-members.ts';
import { ownCallMembers, ownImageMembers } from './wire.ts';

/** A string, or the blocks of a list; anything else is refused with its path. */
export function blocksOf(content: Json | undefined, path: string): readonly JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) throw invalid(path, 'must be a string or an array');
  return content.map((block, at) => {
    const fields = asObject(block);
    if (fields === undefined) throw invalid(`${path}[${at}]`, 'must be an object');
    return fields;
  });
}

/** A block that is content to read; unknown types are kept for this dialect alone. */
export function decodePart(block: JsonObject, path: string): ContentPart | undefined {
  const cache = readCacheMark(block.cache_control);
  switch (block.type) {
    case 'text': {
      const text = asText(block.text) ?? '';
      if (text === '') return undefined;
      const annotations = asList(block.citations).flatMap((citation) => decodeCitation(citation) ?? []);
      return present({ type: 'text', text, cache, annotations: annotations.length === 0 ? undefined : annotations });
    }
    case 'image': {
      const source = asObject(block.source);
      const url = asWord(source?.url);
      const id = asWord(source?.file_id);
      const extensions = ownMembers(block, 'anthropic-messages', ownImageMembers);
      const beside = { cache, extensions };
      if (url !== undefined) return present({ type: 'image', source: { kind: 'url', url }, ...beside });
      if (id !== undefined) {
        return present({ type: 'image', source: { kind: 'file-id', id, owner: 'anthropic-messages' }, ...beside });
      }
      const data = asWord(source?.data);
      if (data === undefined) throw invalid(`${path}.source`, 'needs data, url or file_id');
      const mediaType = asWord(source?.media_type) ?? 'application/octet-stream';
      return present({ type: 'image', source: { kind: 'inline', mediaType, data }, ...beside });
    }
    case 'document':
      return decodeDocument(block, path);
    default: {
      const text = wordsOfBlock(block);
      if (text === undefined) return foreignPart(block);
      return present({ type: 'text', text, cache, raw: { dialect: 'anthropic-messages' as const, value: block } });
    }
  }
}

/** What others read in place of a block that only this dialect has; undefined where no words say it. */
export function wordsOfBlock(block: JsonObject): string | undefined {
  switch (block.type) {
    case 'tool_reference':
      // Stands for the definition of a tool that a search has found, and the request offers that tool.
      return `The tool ${asText(block.tool_name) ?? ''} can be called now.`;
    case 'search_result': {
      const said = wordsOfBlocks(block.content);
      if (said === undefined) return undefined;
      const head = [asWord(block.title), asWord(block.source)].filter((line) => line !== undefined).join('\n');
      return head === '' ? said : `${head}\n\n${said}`;
    }
    default:
      return undefined;
  }
}

function foreignPart(block: JsonObject): ContentPart {
  const name = asText(block.type) ?? 'unknown';
  return { type: 'foreign', dialect: 'anthropic-messages', name, raw: block };
}

/** The words of blocks that are text alone; undefined where anything else is among them. */
export function wordsOfBlocks(content: Json | undefined): string | undefined {
  if (typeof content === 'string') return content;
  const blocks = asList(content).map(asObject);
  if (blocks.length === 0 || blocks.some((block) => block?.type !== 'text')) return undefined;
  return blocks.map((block) => asText(block?.text) ?? '').join('\n');
}

function decodeDocument(block: JsonObject, path: string): ContentPart {
  const source = asObject(block.source);
  const about = {
    title: asWord(block.title),
    context: asWord(block.context),
    citations: asFlag(asObject(block.citations)?.enabled),
    cache: readCacheMark(block.cache_control),
  };
  const mediaType = asWord(source?.media_type);
  const data = asText(source?.data);
  const url = asWord(source?.url);
  const id = asWord(source?.file_id);
  if (source?.type === 'text' && data !== undefined) {
    return present({ type: 'document', source: present({ kind: 'text', text: data, mediaType }), ...about });
  }
  if (source?.type === 'base64' && data !== undefined) {
    const inline = { kind: 'inline', mediaType: mediaType ?? 'application/pdf', data } as const;
    return present({ type: 'document', source: inline, ...about });
  }
  if (url !== undefined) return present({ type: 'document', source: { kind: 'url', url }, ...about });
  if (id !== undefined) {
    return present({ type: 'document', source: { kind: 'file-id', id, owner: 'anthropic-messages' }, ...about });
  }
  if (source === undefined) throw invalid(`${path}.source`, 'is required');
  const said = source.type === 'content' ? wordsOfBlocks(source.content) : undefined;
  // A document with pictures among its blocks: only this dialect has it.
  if (said === undefined) return foreignPart(block);
  const raw = { dialect: 'anthropic-messages' as const, value: block };
  return present({ type: 'document', source: { kind: 'text', text: said } as const, ...about, raw });
}

/** What the model produced; also the history that a client sends back. */
export function decodeOutput(blocks: readonly JsonObject[], path: string): OutputItem[] {
  const items: OutputItem[] = [];
  let parts: ContentPart[] = [];
  const flush = (): void => {
    if (parts.length > 0) items.push({ type: 'assistant', parts });
    parts = [];
  };
  blocks.forEach((block, at) => {
    const item = decodeOutputItem(block, `${path}[${at}]`);
    if (item !== undefined) {
      flush();
      items.push(item);
      return;
    }
    const part = decodePart(block, `${path}[${at}]`);
    if (part !== undefined) parts.push(part);
  });
  flush();
  return items;
}

/** An item of its own; undefined for a block that is a part of what the model said. */
function decodeOutputItem(block: JsonObject, path: string): OutputItem | undefined {
  switch (block.type) {
    case 'thinking': {
      const thought = asText(block.thinking) ?? '';
      const signature = asWord(block.signature);
      return present({
        type: 'reasoning',
        texts: thought === '' ? [] : [thought],
        form: 'full',
        seal: signature === undefined ? undefined : unwrapSeal(signature, 'anthropic-messages'),
      });
    }
    case 'redacted_thinking': {
      const seal = decodeRedacted(block);
      return { type: 'reasoning', texts: [], form: 'full', seal };
    }
    case 'tool_use': {
      const callId = asWord(block.id);
      const name = asWord(block.name);
      if (callId === undefined || name === undefined) throw invalid(path, 'tool_use needs id and name');
      const input = JSON.stringify(block.input ?? {});
      const cache = readCacheMark(block.cache_control);
      const extensions = ofCall(block, 'anthropic-messages', ownCallMembers);
      return present({ type: 'tool-call', kind: 'function', callId, name, input, cache, extensions });
    }
    case 'text':
    case 'image':
    case 'document':
      return undefined;
    default: {
      const name = asText(block.type) ?? 'unknown';
      return { type: 'hosted', dialect: 'anthropic-messages', name, raw: block };
    }
  }
}

/** A thought that the vendor hid, or another dialect's seal that travelled in this place. */
export function decodeRedacted(block: JsonObject): Seal {
  const seal = unwrapSeal(asText(block.data) ?? '', 'anthropic-messages');
  return seal.origin === 'anthropic-messages' ? { ...seal, redacted: true } : seal;
}

export function decodeToolResult(block: JsonObject, path: string): ToolResultItem {
  const callId = asWord(block.tool_use_id);
  if (callId === undefined) throw invalid(`${path}.tool_use_id`, 'is required');
  const parts = blocksOf(block.content, `${path}.content`).flatMap(
    (entry, at) => decodePart(entry, `${path}.content[${at}]`) ?? [],
  );
  return present({
    type: 'tool-result',
    kind: 'function',
    callId,
    parts,
    isError: block.is_error === true ? true : undefined,
    cache: readCacheMark(block.cache_control),
    extensions: ownMembers(block, 'anthropic-messages', ownCallMembers),
  });
}

/** A citation as an annotation; places in documents stay with this dialect. */
export function decodeCitation(value: Json | undefined): Annotation | undefined {
  const citation = asObject(value);
  if (citation === undefined) return undefined;
  const raw = { dialect: 'anthropic-messages' as const, value: citation };
  const url = asWord(citation.url) ?? asWord(citation.source);
  if (url === undefined || !/^https?:/.test(url)) return { kind: 'other', raw };
  return present({
    kind: 'url',
    url,
    title: asWord(citation.title),
    citedText: asWord(citation.cited_text),
    raw,
  });
}

/**
 * A citation with its place in the text of the answer, in UTF-16 units: on this wire it stands with all the words that it
 * supports, a block of their own.
 */
export function citationAt(citation: Annotation, place: { readonly start: number; readonly end: number }): Annotation {
  return citation.kind === 'url' ? { ...citation, ...place } : citation;
}

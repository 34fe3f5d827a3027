/**
 * Contents of the Gemini wire, of a request and of a candidate, as conversation items.
 */
import type {
  ChatItem,
  ContentPart,
  HostedItem,
  MediaSource,
  OutputItem,
  Seal,
  ToolResultItem,
} from '../../canonical/chat.ts';
import { OpenCalls } from '../../canonical/open-calls.ts';
import { unwrapSeal } from '../../canonical/seal.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asObject, asObjects, asText, asWord, invalid, present, remainder } from '../fields.ts';
import { formatOfAudioType } from '../media.ts';
import { ownMembers } from '../own-members.ts';
import { sealToolRun } from './tool-runs.ts';
import { camelKeys, everyPartIn, knownResultFields, ownMediaMembers, ownPartMembers } from './wire.ts';

/**
 * Reads a conversation; calls and results are paired by id, else by name in order. Clients whose calls came without ids
 * may give their results some all the same (Gemini CLI does).
 */
export class ContentReader {
  readonly #open = new OpenCalls();
  #calls = 0;

  /** One entry of `contents`. Throws `invalid_request` with its path. */
  read(content: Json, path: string): ChatItem[] {
    const parts = everyPartIn(content, path).map(camelKeys);
    const fields = camelKeys(content);
    switch (fields.role ?? 'user') {
      case 'user':
      case 'function':
        return this.#user(parts, path);
      case 'model': {
        const made = new Set<string>();
        const items = decodeModelParts(parts, (name) => {
          const id = `call_${this.#calls++}_${name}`;
          made.add(id);
          return id;
        });
        for (const item of items) {
          if (item.type !== 'tool-call') continue;
          const rows = [`id ${item.callId}`, `name ${item.name}`];
          this.#open.add(item, made.has(item.callId) ? [...rows, `unnamed ${item.name}`] : rows);
        }
        return items;
      }
      default:
        throw invalid(`${path}.role`, 'must be user or model');
    }
  }

  /** Results come before the words that accompany them. */
  #user(parts: readonly JsonObject[], path: string): ChatItem[] {
    const results: ChatItem[] = [];
    const words: ContentPart[] = [];
    for (const part of parts) {
      const result = asObject(part.functionResponse);
      if (result !== undefined) results.push(this.#result(camelKeys(result), part));
      else {
        const decoded = decodePart(part, path);
        if (decoded !== undefined) words.push(decoded);
      }
    }
    return words.length === 0 ? results : [...results, { type: 'user', parts: words }];
  }

  #result(fields: JsonObject, part: JsonObject): ToolResultItem {
    const name = asWord(fields.name);
    const id = asWord(fields.id);
    const call =
      id === undefined
        ? this.#open.take(`name ${name ?? ''}`)
        : (this.#open.take(`id ${id}`) ?? this.#open.take(`unnamed ${name ?? ''}`));
    const callId = call?.callId ?? id ?? `call_${this.#calls++}_${name ?? ''}`;
    const media = asObjects(fields.parts).flatMap((part) => decodePart(camelKeys(part), 'functionResponse') ?? []);
    const { text, isError } = readResult(fields.response);
    const parts: ContentPart[] = text === '' ? media : [{ type: 'text', text }, ...media];
    const value = fields.response;
    const rest = { ...remainder(fields, knownResultFields), ...ownOf(part) };
    const extensions = Object.keys(rest).length > 0 ? { 'gemini-generate': rest } : undefined;
    return present({ type: 'tool-result', kind: 'function', callId, name, parts, value, isError, extensions });
  }
}

function ownOf(part: JsonObject): JsonObject {
  return ownMembers(part, 'gemini-generate', ownPartMembers)?.['gemini-generate'] ?? {};
}

/** One word for the whole result is the vendor's way to wrap what is no object. */
function readResult(response: Json | undefined): { text: string; isError: true | undefined } {
  const fields = asObject(response);
  const keys = Object.keys(fields ?? {});
  const [key] = keys;
  if (fields !== undefined && keys.length === 1 && (key === 'result' || key === 'output' || key === 'error')) {
    const value = fields[key];
    const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
    return { text, isError: key === 'error' ? true : undefined };
  }
  return { text: response === undefined ? '' : JSON.stringify(response), isError: undefined };
}

/** What the model produced. `newId` names a call that came without an id. */
export function decodeModelParts(parts: readonly JsonObject[], newId: (name: string) => string): OutputItem[] {
  const items: OutputItem[] = [];
  /** Parts of the newest thing said, which may still grow. */
  let said: ContentPart[] = [];
  for (const part of parts) {
    const seal = decodeSeal(part);
    const last = items.at(-1);
    if (part.thought === true) {
      const text = asText(part.text) ?? '';
      // Fragments of one thought follow each other; a signature ends it.
      if (last?.type === 'reasoning' && last.seal === undefined) items.pop();
      const earlier = last?.type === 'reasoning' && last.seal === undefined ? last.texts.join('') : '';
      const whole = `${earlier}${text}`;
      items.push(present({ type: 'reasoning', texts: whole === '' ? [] : [whole], form: 'full', seal }));
      continue;
    }
    const call = asObject(part.functionCall);
    if (call !== undefined) {
      const name = asText(call.name) ?? '';
      const callId = asWord(call.id) ?? newId(name);
      const input = JSON.stringify(call.args ?? {});
      const extensions = ownMembers(part, 'gemini-generate', ownPartMembers);
      items.push(present({ type: 'tool-call', kind: 'function', callId, name, input, seal, extensions }));
      continue;
    }
    const run = sealToolRun(part);
    if (run !== undefined) {
      items.push({ type: 'reasoning', texts: [], form: 'full', seal: run });
      continue;
    }
    const hosted = decodeHosted(part);
    if (hosted !== undefined) {
      items.push(hosted);
      continue;
    }
    const decoded = decodePart(part, 'parts', seal);
    if (decoded === undefined) continue;
    if (last?.type === 'assistant') addPart(said, decoded);
    else {
      said = [decoded];
      items.push({ type: 'assistant', parts: said });
    }
  }
  return items;
}

/** Pieces of text that follow each other are one text, up to a signature. */
function addPart(parts: ContentPart[], next: ContentPart): void {
  const last = parts.at(-1);
  if (last?.type !== 'text' || next.type !== 'text' || last.seal !== undefined) parts.push(next);
  else parts[parts.length - 1] = { ...last, ...next, text: `${last.text}${next.text}` };
}

/** Another dialect's seal may travel in this place, wrapped. */
export function decodeSeal(part: JsonObject): Seal | undefined {
  const data = asWord(part.thoughtSignature);
  return data === undefined ? undefined : unwrapSeal(data, 'gemini-generate');
}

/** A code run. */
export function decodeHosted(part: JsonObject): HostedItem | undefined {
  const base = { type: 'hosted', dialect: 'gemini-generate', raw: part } as const;
  const code = asObject(part.executableCode);
  if (code !== undefined) {
    const language = (asText(code.language) ?? '').toLowerCase();
    return { ...base, name: 'executableCode', text: fence(language, asText(code.code) ?? '') };
  }
  const result = asObject(part.codeExecutionResult);
  if (result !== undefined)
    return { ...base, name: 'codeExecutionResult', text: fence('output', asText(result.output) ?? '') };
  return undefined;
}

/** Longer than any mark within, which would end the block. */
function fence(language: string, body: string): string {
  const longest = (body.match(/`{3,}/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
  const mark = '`'.repeat(longest + 1);
  return `\n${mark}${language}\n${body.replace(/\n$/, '')}\n${mark}\n`;
}

/** A signature that stands alone signs what was said before it, as one beside an empty text does. */
export function textOf(part: JsonObject): string | undefined {
  const isSignature = part.text === undefined && Object.keys(part).every((key) => key === 'thoughtSignature');
  return isSignature && part.thoughtSignature !== undefined ? '' : asText(part.text);
}

/** Text or a medium; undefined for an empty part. */
export function decodePart(part: JsonObject, path: string, seal?: Seal): ContentPart | undefined {
  const text = textOf(part);
  if (text !== undefined) {
    if (text === '' && seal === undefined) return undefined;
    return present({ type: 'text', text, seal, extensions: ownMembers(part, 'gemini-generate', ownPartMembers) });
  }
  const inline = part.inlineData === undefined ? undefined : camelKeys(part.inlineData);
  if (inline !== undefined) {
    const mediaType = asWord(inline.mimeType) ?? 'application/octet-stream';
    return mediaPart({ kind: 'inline', mediaType, data: asText(inline.data) ?? '' }, mediaType, part, seal);
  }
  const file = part.fileData === undefined ? undefined : camelKeys(part.fileData);
  if (file !== undefined) {
    const url = asWord(file.fileUri);
    if (url === undefined) throw invalid(`${path}.fileData.fileUri`, 'is required');
    const mediaType = asWord(file.mimeType);
    return mediaPart(present({ kind: 'url', url, mediaType }), mediaType ?? typeOfAddress(url), part, seal);
  }
  if (Object.keys(part).length === 0 || part.thoughtSignature !== undefined) return undefined;
  const name = Object.keys(part).find((key) => key !== 'thought') ?? 'unknown';
  return { type: 'foreign', dialect: 'gemini-generate', name, raw: part };
}

/** What a file is that names no type. */
export function typeOfAddress(url: string): string {
  if (/youtube\.com|youtu\.be|\.(mp4|webm|mov)(\?|$)/.test(url)) return 'video/mp4';
  return /\.pdf(\?|$)/.test(url) ? 'application/pdf' : 'image/jpeg';
}

function mediaPart(source: MediaSource, mediaType: string, part: JsonObject, seal: Seal | undefined): ContentPart {
  const [family] = mediaType.split('/');
  const extensions = ownMembers(part, 'gemini-generate', ownMediaMembers);
  if (family === 'image') return present({ type: 'image', source, seal, extensions });
  if (family === 'audio') {
    return present({ type: 'audio', source, format: formatOfAudioType(mediaType), extensions });
  }
  if (family === 'video') {
    return present({ type: 'video', source, clip: asObject(part.videoMetadata), extensions });
  }
  const { displayName } = camelKeys(part.inlineData ?? part.fileData);
  return present({ type: 'document', source, title: asWord(displayName), extensions });
}

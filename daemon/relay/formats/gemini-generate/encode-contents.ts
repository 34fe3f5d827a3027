/**
 * Conversation items as the alternating contents of the Gemini wire.
 */
import { fileOfSamples } from '../../audio/wav-file.ts';
import { argumentsObject } from '../../canonical/arguments.ts';
import type {
  ChatItem,
  ChatRequest,
  ContentPart,
  MediaSource,
  Seal,
  ToolCallItem,
  ToolResultItem,
} from '../../canonical/chat.ts';
import { markNumbers } from '../../canonical/exact-numbers.ts';
import { flatToolName, geminiToolName } from '../../canonical/tool-names.ts';
import type { Scope } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { functionInput } from '../client-tools.ts';
import { asObject, inexpressible, parseJson, present, some } from '../fields.ts';
import { dropHostedItem, instructionText, noteDocument, noteName, refusePart } from '../loss.ts';
import { isKeptElsewhere, sourceOfUrl } from '../media.ts';
import { geminiVersion } from './thinking.ts';
import { toolRunOf } from './tool-runs.ts';
import { missingSignature } from './wire.ts';

interface Turn {
  readonly role: 'user' | 'model';
  readonly parts: JsonObject[];
  hasCalls: boolean;
}

const defaultMaxImages = 16;
const placeholder = '...';

/** Writes the contents of one request. */
export class ContentWriter {
  readonly #request: ChatRequest;
  readonly #scope: Scope;
  readonly #turns: Turn[] = [];
  /** Names of the calls so far, and the order in which they came: a result has to repeat its call's. */
  readonly #calls = new Map<string, { readonly name: string; readonly place: number }>();
  #callCount = 0;
  /** Results of the turn with the ids of their calls: this wire pairs them by their order. */
  #results: { readonly callId: string; readonly part: JsonObject }[] = [];
  readonly #isNewest: boolean;
  /** Beside what built-in tools did, calls and results are told apart by id. Source: Google's page on tool combination, read 2026-11. */
  readonly #tellsIds: boolean;
  /** Media of results stand after all results of the turn. */
  #held: JsonObject[] = [];
  /** A seal that came as a thought of its own belongs to the part that follows it. */
  #seal: Seal | undefined;

  constructor(request: ChatRequest, scope: Scope) {
    this.#request = request;
    this.#scope = scope;
    this.#isNewest = (geminiVersion(request.model) ?? 0) >= 3;
    this.#tellsIds = request.items.some((item) => item.type === 'reasoning' && toolRunOf(item.seal) !== undefined);
  }

  write(): JsonObject[] {
    for (const item of this.#request.items) this.#item(item);
    this.#release();
    this.#endSealed();
    if (this.#turns[0]?.role !== 'user') {
      this.#turns.unshift({ role: 'user', parts: [{ text: placeholder }], hasCalls: false });
    }
    return this.#turns.map(({ role, parts }) => ({ role, parts }));
  }

  #item(item: ChatItem): void {
    switch (item.type) {
      case 'system':
        break;
      case 'user':
        this.#endSealed();
        this.#release();
        noteName(item, this.#scope);
        this.#checkImages(item.parts);
        this.#add('user', this.#parts(item.parts));
        break;
      case 'assistant':
        this.#release();
        noteName(item, this.#scope);
        this.#add(
          'model',
          this.#parts(item.parts).map((part) => this.#sealed(part)),
        );
        break;
      case 'reasoning':
        this.#release();
        this.#reason(item);
        break;
      case 'tool-call':
        this.#release();
        this.#call(item);
        break;
      case 'tool-result':
        this.#endSealed();
        this.#results.push({ callId: item.callId, part: this.#result(item) });
        break;
      case 'hosted': {
        this.#release();
        const raw = asObject(item.raw);
        if (item.dialect === 'gemini-generate' && raw !== undefined) this.#add('model', [raw]);
        else if (item.text !== undefined) this.#add('model', [{ text: item.text }]);
        else dropHostedItem(item, this.#scope);
      }
    }
  }

  #add(role: Turn['role'], parts: readonly JsonObject[]): void {
    if (parts.length === 0) return;
    let turn = this.#turns.at(-1);
    if (turn?.role !== role) this.#turns.push((turn = { role, parts: [], hasCalls: false }));
    for (const part of parts) turn.parts.push(part);
  }

  /** Ends a turn of results: in the order of their calls, what belongs to no call behind them, then their media. */
  #release(): void {
    if (this.#results.length > 0) {
      const placeOf = (callId: string) => this.#calls.get(callId)?.place ?? this.#callCount;
      const results = this.#results.sort((one, other) => placeOf(one.callId) - placeOf(other.callId));
      this.#results = [];
      this.#add(
        'user',
        results.map(({ part }) => part),
      );
    }
    const held = this.#held;
    this.#held = [];
    this.#add('user', held);
  }

  /** Thoughts go back only with the vendor's own seal. */
  #reason(item: Extract<ChatItem, { type: 'reasoning' }>): void {
    const { seal } = item;
    const run = toolRunOf(seal);
    if (run !== undefined) {
      this.#add('model', [run]);
      return;
    }
    if (seal?.origin !== 'gemini-generate') {
      this.#scope.lose('reasoning');
      return;
    }
    const text = item.texts.join('\n\n');
    if (text === '') {
      this.#endSealed();
      this.#seal = seal;
    } else this.#add('model', [{ text, thought: true, thoughtSignature: seal.data }]);
  }

  /** Gives the part a seal that stood before it. */
  #sealed(part: JsonObject): JsonObject {
    const seal = this.#seal;
    this.#seal = undefined;
    return seal === undefined || part.thoughtSignature !== undefined ? part : { ...part, thoughtSignature: seal.data };
  }

  /** A seal that nothing of its turn follows stands alone, as the vendor sends it: it belongs to no later turn. */
  #endSealed(): void {
    const seal = this.#seal;
    this.#seal = undefined;
    if (seal !== undefined) this.#add('model', [{ text: '', thoughtSignature: seal.data }]);
  }

  #call(item: ToolCallItem): void {
    const name = geminiToolName(flatToolName(item.name, item.namespace));
    // An id that is used again belongs to the newer call.
    this.#calls.set(item.callId, { name, place: this.#callCount++ });
    const args = argumentsObject(functionInput(item.kind, item.input));
    const part: JsonObject = {
      ...item.extensions?.['gemini-generate'],
      functionCall: { ...this.#idOf(item), name, args },
    };
    if (item.seal?.origin === 'gemini-generate') part.thoughtSignature = item.seal.data;
    const sealed = this.#sealed(part);
    const last = this.#turns.at(-1);
    const isFirst = last?.role !== 'model' || !last.hasCalls;
    // The newest models refuse a call of theirs that lost its signature, unless told so.
    if (this.#isNewest && isFirst && sealed.thoughtSignature === undefined) sealed.thoughtSignature = missingSignature;
    this.#add('model', [sealed]);
    const turn = this.#turns.at(-1);
    if (turn !== undefined) turn.hasCalls = true;
  }

  /** A result without a known call has no name to answer to, so it is told as text. */
  #result(item: ToolResultItem): JsonObject {
    const text = item.parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
    const name = this.#calls.get(item.callId)?.name;
    const media = this.#parts(item.parts.filter((part) => part.type !== 'text'));
    if (name === undefined) {
      this.#hold(media);
      return { text };
    }
    const { partMetadata, ...own } = item.extensions?.['gemini-generate'] ?? {};
    const response: JsonObject = { ...own, ...this.#idOf(item), name, response: resultObject(item, text) };
    if (media.length > 0 && this.#isNewest) response.parts = media;
    else this.#hold(media);
    return present({ functionResponse: response, partMetadata });
  }

  #hold(media: readonly JsonObject[]): void {
    for (const part of media) this.#held.push(part);
  }

  #idOf({ callId }: ToolCallItem | ToolResultItem): JsonObject {
    return this.#tellsIds ? { id: callId } : {};
  }

  #checkImages(parts: readonly ContentPart[]): void {
    const limit = this.#scope.traits?.maxImages ?? defaultMaxImages;
    const images = parts.filter((part) => part.type === 'image').length;
    if (limit >= 0 && images > limit) throw inexpressible('content', `at most ${limit} images in one message`);
  }

  #parts(parts: readonly ContentPart[]): JsonObject[] {
    return parts.flatMap((part) => {
      const own = 'extensions' in part ? part.extensions?.['gemini-generate'] : undefined;
      const encoded = this.#part(part);
      return own === undefined ? encoded : encoded.map((entry) => ({ ...own, ...entry }));
    });
  }

  #part(part: ContentPart): JsonObject[] {
    switch (part.type) {
      case 'text': {
        const pieces = part.text === '' && part.seal === undefined ? [] : splitImages(part.text);
        const last = pieces.at(-1);
        if (last !== undefined && part.seal?.origin === 'gemini-generate') last.thoughtSignature = part.seal.data;
        return pieces;
      }
      case 'refusal':
        return [{ text: part.text }];
      case 'image': {
        if (part.detail !== undefined && part.detail !== 'auto') this.#scope.lose('image.detail');
        const encoded = encodeMedia(part.source, 'image/jpeg');
        if (part.seal?.origin === 'gemini-generate') encoded.thoughtSignature = part.seal.data;
        return [encoded];
      }
      case 'audio':
        if (!isKeptElsewhere(part)) return [encodeMedia(inContainer(part.source), 'audio/wav')];
        this.#scope.lose('assistant.audio');
        return part.transcript === undefined ? [] : [{ text: part.transcript }];
      case 'video': {
        const encoded = encodeMedia(part.source, 'video/mp4');
        if (part.clip !== undefined) encoded.videoMetadata = part.clip;
        return [encoded];
      }
      case 'document':
        noteDocument(part, this.#scope);
        if (part.source.kind !== 'text') {
          // Bytes have no name on this wire.
          if (part.title !== undefined && part.source.kind === 'inline') this.#scope.lose('document.title');
          return [encodeMedia(part.source, 'application/pdf')];
        }
        return [{ text: part.title === undefined ? part.source.text : `${part.title}\n\n${part.source.text}` }];
      case 'foreign':
        return part.dialect === 'gemini-generate' ? some(asObject(part.raw)) : refusePart(part);
    }
  }
}

/** The object that this wire wants: the tool's own, or its words under the name for them. */
function resultObject(item: ToolResultItem, text: string): JsonObject {
  if (item.isError === true) return { error: text };
  const own = asObject(item.value);
  if (own !== undefined) return own;
  const value = parseExactly(text);
  return asObject(value) ?? { result: value === undefined ? text : value };
}

/** JSON that comes out as it went in: no number that a double would change, no `21.0` that becomes `21`. */
function parseExactly(text: string): Json | undefined {
  if (markNumbers(text) !== undefined) return undefined;
  const value = parseJson(text);
  const isScalar = typeof value !== 'object';
  return isScalar && JSON.stringify(value) !== text.trim() ? undefined : value;
}

/** A data URL in Markdown. No bracket stands within: one that looks on past the next image takes for ever in many of them. */
const markdownImage = /!\[[^[\]]*\]\((data:[^()[\s]+)\)/g;

/** Images that an earlier answer carried as Markdown become images again. */
function splitImages(text: string): JsonObject[] {
  if (!text.includes('](data:')) return [{ text }];
  const parts: JsonObject[] = [];
  let start = 0;
  for (const found of text.matchAll(markdownImage)) {
    const before = text.slice(start, found.index);
    if (before.trim() !== '') parts.push({ text: before });
    parts.push(encodeMedia(sourceOfUrl(found[1] ?? ''), 'image/png'));
    start = found.index + found[0].length;
  }
  const rest = text.slice(start);
  if (rest.trim() !== '' || parts.length === 0) parts.push({ text: rest });
  return parts;
}

/** Sound of no known container, as a chat answer tells it, is bare samples, which this wire reads in a file alone. */
function inContainer(source: MediaSource): MediaSource {
  if (source.kind !== 'inline' || source.mediaType !== 'application/octet-stream') return source;
  const file = fileOfSamples(Buffer.from(source.data, 'base64'), 'audio/pcm');
  return file === undefined ? source : { kind: 'inline', mediaType: 'audio/wav', data: file.toString('base64') };
}

function encodeMedia(source: MediaSource, usualType: string): JsonObject {
  switch (source.kind) {
    case 'inline':
      return { inlineData: { mimeType: source.mediaType, data: source.data } };
    case 'url':
      return { fileData: { fileUri: source.url, mimeType: source.mediaType ?? typeOfUrl(source.url) ?? usualType } };
    case 'file-id':
      throw inexpressible('file', 'a file of another vendor cannot be sent');
  }
}

function typeOfUrl(url: string): string | undefined {
  if (/^https:\/\/([\w-]+\.)*(youtube\.com|youtu\.be)\//i.test(url)) return 'video/mp4';
  const ending = /\.(png|jpe?g|webp|gif|pdf|mp4|webm|mp3|wav)(\?|$)/i.exec(url)?.[1]?.toLowerCase();
  if (ending === undefined) return undefined;
  if (ending === 'pdf') return 'application/pdf';
  if (ending === 'mp4' || ending === 'webm') return `video/${ending}`;
  if (ending === 'mp3' || ending === 'wav') return ending === 'mp3' ? 'audio/mpeg' : 'audio/wav';
  return `image/${ending === 'jpg' ? 'jpeg' : ending}`;
}

/** System and developer text, one part each. */
export function encodeSystem(request: ChatRequest): JsonObject[] {
  return request.items.flatMap((item) =>
    item.type === 'system' ? item.parts.map((part) => ({ text: instructionText(part) })) : [],
  );
}

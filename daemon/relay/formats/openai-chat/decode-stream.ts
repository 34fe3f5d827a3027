/**
 * Chat-completions chunks as canonical events, tolerant of what compatible servers leave out or repeat.
 */
import { argumentsText } from '../../canonical/arguments.ts';
import type {
  Annotation,
  ChatEvent,
  HostedItem,
  ReportedError,
  Seal,
  TokenLogprob,
  ToolCallKind,
} from '../../canonical/chat.ts';
import { MarkedNumbers } from '../../canonical/exact-numbers.ts';
import { unwrapSeal } from '../../canonical/seal.ts';
import { mergeUsage, type Usage } from '../../canonical/usage.ts';
import type { AnswerDecoder, Scope, TextFrame, WireEvent } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { decodeRedacted } from '../anthropic-messages/decode-blocks.ts';
import { BlockTrack } from '../block-track.ts';
import {
  asIndex,
  asList,
  asNumber,
  asObject,
  asObjects,
  asText,
  asWord,
  entryOf,
  parseJson,
  present,
} from '../fields.ts';
import { sourceOfUrl } from '../media.ts';
import { RepeatedText } from '../repeated-text.ts';
import { readExtras } from './answer-extras.ts';
import { decodeAnswerImages } from './answer-images.ts';
import { decodeAnnotation, readThinkingPart } from './decode-messages.ts';
import { readReportedError } from './error.ts';
import { findUsage } from './read-usage.ts';
import { readSources, SharedSources } from './sources.ts';
import { decodeThoughtSignature } from './thought-signature.ts';
import { finishReasons } from './wire.ts';

/** Careless servers have arguments as an object, whose numbers must not be read as doubles. */
const objectArguments = /"arguments"\s*:\s*\{/;

function readChunk(data: string): Json | undefined {
  const exact = objectArguments.test(data) ? MarkedNumbers.in(data)?.withTexts('arguments') : undefined;
  return exact ?? parseJson(data);
}

/** Members that are kept for an answer that has not begun. */
const mostEarly = 32;

/** A call whose name has not arrived yet. */
interface EarlyCall {
  callId: string;
  kind: ToolCallKind;
  input: string;
}

/** What one choice has sent so far. */
class Choice {
  readonly index: number;
  readonly track: BlockTrack<string>;
  readonly early = new Map<string, EarlyCall>();
  /** The key of the running call at each wire index: a new id at an old index is another call. */
  readonly keys = new Map<number, { key: string; id: string | undefined }>();
  calls = 0;
  isAnnotated = false;
  isFinished = false;

  constructor(index: number) {
    this.index = index;
    this.track = new BlockTrack(index);
  }
}

export function decodeStream(scope: Scope): AnswerDecoder {
  return new ChatStreamDecoder(scope);
}

class ChatStreamDecoder implements AnswerDecoder {
  readonly #scope: Scope;
  readonly #choices = new Map<number, Choice>();
  /** Those that have not ended, and of these the ones that have said something: nobody has to look for them among all. */
  readonly #open = new Set<Choice>();
  readonly #speaking = new Set<Choice>();
  #isStarted = false;
  #usage: Usage | undefined;
  /** Listed beside the answer, in full whenever they are. */
  #sources: readonly Annotation[] = [];
  readonly #shared: SharedSources;
  /** What was told beside the answer so far, as JSON: some vendors repeat it in every chunk. */
  readonly #told = new Map<string, string>();
  /** What came before the answer began, to be told with it. */
  #early: HostedItem[] = [];
  /** The chunk before this one, where it said a piece of text and nothing else. */
  #last: Repeatable | undefined;
  /** The end mark has come behind an answer: what follows may count it, and is otherwise none of it. */
  #isOver = false;

  constructor(scope: Scope) {
    this.#scope = scope;
    this.#shared = new SharedSources(() => scope.lose('answer.annotations'));
  }

  get frame(): TextFrame | undefined {
    return this.#last?.frame;
  }

  pushText(text: string): ChatEvent[] {
    return this.#last === undefined ? [] : [again(this.#last.event, text)];
  }

  push(input: WireEvent): ChatEvent[] {
    const out: ChatEvent[] = [];
    const text = this.#last?.frame.in(input.data);
    if (text !== undefined) return this.pushText(text);
    this.#last = undefined;
    const data = input.data.trim();
    if (data === '') return out;
    if (data === '[DONE]') return this.#done(out);
    const chunk = asObject(readChunk(data));
    if (this.#isOver) {
      if (chunk !== undefined) this.#count(out, chunk);
      return out;
    }
    if (chunk === undefined) {
      const error: ReportedError = { code: 'bad_response_body', message: 'a chunk is not JSON', raw: {} };
      return [{ type: 'error', error }];
    }
    const error = readReportedError(chunk);
    if (error !== undefined) {
      this.#count(out, chunk);
      out.push({ type: 'error', error });
      return out;
    }
    this.#start(out, chunk);
    const sources = readSources(chunk);
    if (sources.length > 0) this.#sources = sources;
    this.#extras(out, chunk);
    for (const entry of asObjects(chunk.choices)) this.#choice(out, entry);
    this.#count(out, chunk);
    this.#last = repeatable(input.data, out);
    return out;
  }

  #count(out: ChatEvent[], chunk: JsonObject): void {
    const usage = findUsage(chunk);
    if (usage === undefined) return;
    this.#usage = mergeUsage(this.#usage, usage);
    out.push({ type: 'usage', usage: this.#usage });
  }

  /** The end mark of a server that names no reason (Snowflake's Claude): it meant to end here. */
  #done(out: ChatEvent[]): ChatEvent[] {
    for (const choice of this.#speaking) this.#finish(out, choice, 'stop');
    this.#isOver ||= this.#open.size < this.#choices.size;
    return out;
  }

  /** A body that ends with neither `finish_reason` nor end mark broke off: nothing is added to make it look whole. */
  end(): ChatEvent[] {
    return [];
  }

  fail(): ChatEvent[] {
    return [];
  }

  #start(out: ChatEvent[], chunk: JsonObject): void {
    if (this.#isStarted || (asObjects(chunk.choices).length === 0 && asWord(chunk.id) === undefined)) return;
    this.#isStarted = true;
    out.push(
      present({
        type: 'message-start',
        id: asWord(chunk.id),
        model: asWord(chunk.model),
        created: asNumber(chunk.created),
        serviceTier: asWord(chunk.service_tier),
        systemFingerprint: asWord(chunk.system_fingerprint),
      }),
    );
  }

  #extras(out: ChatEvent[], chunk: JsonObject): void {
    let items = readExtras(chunk);
    if (this.#early.length > 0) items = [...this.#early, ...items];
    this.#early = this.#isStarted ? [] : items.slice(0, mostEarly);
    if (!this.#isStarted || items.length === 0) return;
    const [first] = this.#open;
    const open = this.#choices.size === 0 ? 0 : first?.index;
    for (const item of items) {
      const said = JSON.stringify(item.raw);
      if (this.#told.get(item.name) === said) continue;
      this.#told.set(item.name, said);
      // Behind the end there is no place for it any more.
      if (open === undefined) this.#scope.lose(`answer.${item.name}`);
      else out.push({ type: 'hosted', choice: open, item });
    }
  }

  #choice(out: ChatEvent[], entry: JsonObject): void {
    const index = asIndex(entry.index) ?? 0;
    let choice = this.#choices.get(index);
    if (choice === undefined) {
      choice = new Choice(index);
      this.#choices.set(index, choice);
      this.#open.add(choice);
    }
    if (choice.isFinished) return;
    // A few servers repeat the whole message at the end instead of a delta; a first chunk may have either.
    const delta = asObject(entry.delta) ?? (choice.track.isEmpty ? asObject(entry.message) : undefined);
    if (delta !== undefined) this.#delta(out, choice, delta);
    if (!choice.track.isEmpty) this.#speaking.add(choice);
    const tokens = readLogprobs(entry.logprobs);
    if (tokens.length > 0) out.push({ type: 'logprobs', choice: index, tokens });
    const word = asWord(entry.finish_reason);
    if (word !== undefined) this.#finish(out, choice, word);
  }

  #delta(out: ChatEvent[], choice: Choice, delta: JsonObject): void {
    const { track } = choice;
    const thought = asWord(delta.reasoning_content) ?? asWord(delta.reasoning);
    if (thought !== undefined) track.reason(out, thought);
    for (const block of asObjects(delta.thinking_blocks)) {
      const signature = asWord(block.signature);
      if (block.type === 'redacted_thinking') track.redact(out, decodeRedacted(block));
      else if (signature !== undefined) track.sign(out, unwrapSeal(signature, 'anthropic-messages'));
    }
    if (typeof delta.content === 'string') {
      if (delta.content !== '') track.text(out, delta.content);
    } else this.#parts(out, choice, delta.content);
    if (asObjects(delta.tool_calls).length === 0) {
      const seal = decodeThoughtSignature(delta);
      if (seal !== undefined) track.signText(out, seal);
    }
    const refusal = asWord(delta.refusal);
    if (refusal !== undefined) out.push({ type: 'refusal-delta', choice: choice.index, text: refusal });
    for (const entry of asList(delta.annotations)) {
      const annotation = decodeAnnotation(entry);
      if (annotation === undefined) continue;
      choice.isAnnotated = true;
      out.push({ type: 'annotation', choice: choice.index, annotation });
    }
    this.#media(out, choice, delta);
    asObjects(delta.tool_calls).forEach((call, at) => {
      this.#call(out, choice, call, asIndex(call.index) ?? (asWord(call.id) === undefined ? 0 : at));
    });
    const legacy = asObject(delta.function_call);
    if (legacy !== undefined) this.#call(out, choice, { function: legacy }, 0);
  }

  /** Mistral sends parts; text and thinking among them. */
  #parts(out: ChatEvent[], choice: Choice, content: Json | undefined): void {
    for (const entry of asList(content)) {
      const part = asObject(entry) ?? { text: entry };
      const text = asWord(part.text);
      const url = asWord(asObject(part.image_url)?.url);
      if (part.type === 'thinking') {
        const thought = readThinkingPart(part);
        if (thought !== '') choice.track.reason(out, thought);
      } else if (text !== undefined) choice.track.text(out, text);
      else if (url !== undefined) out.push(pictureAt(choice.index, url));
      else if (part.type !== undefined && part.type !== 'text') this.#scope.lose(`answer.${String(part.type)}`);
    }
  }

  #media(out: ChatEvent[], choice: Choice, delta: JsonObject): void {
    for (const { url, seal } of decodeAnswerImages(delta)) out.push(pictureAt(choice.index, url, seal));
    const audio = asObject(delta.audio);
    if (audio === undefined) return;
    out.push(
      present({
        type: 'audio-delta',
        choice: choice.index,
        id: asWord(audio.id),
        data: asWord(audio.data),
        transcript: asWord(audio.transcript),
        expiresAt: asNumber(audio.expires_at),
      }),
    );
  }

  #call(out: ChatEvent[], choice: Choice, call: JsonObject, index: number): void {
    const { track } = choice;
    const custom = asObject(call.custom);
    const spoken = custom ?? asObject(call.function) ?? {};
    const input = (custom === undefined ? argumentsText(spoken.arguments) : asText(spoken.input)) ?? '';
    const id = asWord(call.id);
    const name = asWord(spoken.name);
    let running = choice.keys.get(index);
    // Gemini's compatible surface sends every call of a turn at index 0, and may leave out the ids.
    const isAnother =
      running !== undefined &&
      (id === undefined
        ? name !== undefined && input !== '' && !choice.early.has(running.key) && track.isWhole(running.key)
        : running.id !== undefined && id !== running.id);
    if (running === undefined || isAnother) {
      running = { key: String(choice.calls++), id };
      choice.keys.set(index, running);
      choice.early.set(running.key, {
        callId: id ?? this.#scope.newId('call_'),
        kind: custom === undefined ? 'function' : 'custom',
        input: '',
      });
    }
    const early = choice.early.get(running.key);
    if (early === undefined) {
      track.feedCall(out, running.key, input);
      return;
    }
    early.input += input;
    if (name === undefined) return;
    choice.early.delete(running.key);
    const { callId, kind } = early;
    track.startCall(out, running.key, present({ kind, callId, name, seal: decodeThoughtSignature(call) }));
    track.feedCall(out, running.key, early.input);
  }

  #finish(out: ChatEvent[], choice: Choice, word: string): void {
    choice.isFinished = true;
    this.#open.delete(choice);
    this.#speaking.delete(choice);
    if (!choice.isAnnotated && choice.track.isInText) {
      for (const annotation of this.#shared.take(this.#sources))
        out.push({ type: 'annotation', choice: choice.index, annotation });
    }
    choice.track.settle(out);
    const told = entryOf(finishReasons, word) ?? 'other';
    const isCut = told === 'length' || told === 'content-filter';
    const reason = choice.track.hasCalls && !isCut ? 'tool-calls' : told;
    out.push({
      type: 'finish',
      choice: choice.index,
      finish: { reason, raw: { dialect: 'openai-chat', word } },
    });
  }
}

function pictureAt(choice: number, url: string, seal?: Seal): ChatEvent {
  const source = sourceOfUrl(url);
  const shown =
    source.kind === 'inline' ? { mediaType: source.mediaType, data: source.data } : { mediaType: 'image/png', url };
  return present({ type: 'image', choice, ...shown, seal });
}

type Piece = Extract<ChatEvent, { type: 'text-delta' | 'reasoning-delta' }>;

interface Repeatable {
  readonly frame: RepeatedText;
  readonly event: Piece;
}

/** The members in which a piece may stand. */
const members = { 'text-delta': ['content'], 'reasoning-delta': ['reasoning_content', 'reasoning'] } as const;

/** Written out, as copying by spread costs more than the rest of a piece. */
function again(piece: Piece, text: string): Piece {
  const { choice, block } = piece;
  return piece.type === 'text-delta'
    ? { type: 'text-delta', choice, block, text }
    : { type: 'reasoning-delta', choice, block, text, part: piece.part };
}

function repeatable(data: string, out: readonly ChatEvent[]): Repeatable | undefined {
  const [event] = out;
  if (out.length !== 1 || (event?.type !== 'text-delta' && event?.type !== 'reasoning-delta')) return undefined;
  for (const member of members[event.type]) {
    const frame = RepeatedText.around(data, member, event.text);
    if (frame !== undefined) return { frame, event };
  }
  return undefined;
}

/** `logprobs.content` of a choice. */
export function readLogprobs(value: Json | undefined): TokenLogprob[] {
  return readTokens(asObject(value)?.content);
}

/** Tokens with their odds, as both dialects of this vendor list them. */
export function readTokens(value: Json | undefined): TokenLogprob[] {
  return asObjects(value).map((entry) =>
    present({ ...readToken(entry), top: asObjects(entry.top_logprobs).map(readToken) }),
  );
}

function readToken(entry: JsonObject): { token: string; logprob: number; bytes?: readonly number[] } {
  return present({
    token: asText(entry.token) ?? '',
    logprob: asNumber(entry.logprob) ?? 0,
    bytes: Array.isArray(entry.bytes) ? entry.bytes.filter((byte) => typeof byte === 'number') : undefined,
  });
}

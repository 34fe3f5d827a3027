/**
 * Canonical events as chat-completions chunks (relay.md 5.3, 13.3).
 */
import type { TollgateError, UpstreamFailure } from '../../../errors.ts';
import type { ChatEvent, ChatRequest, Finish, HostedItem, TokenLogprob, ToolCallKind } from '../../canonical/chat.ts';
import { wrapSeal } from '../../canonical/seal.ts';
import { ToolNames } from '../../canonical/tool-names.ts';
import { mergeUsage, type Usage } from '../../canonical/usage.ts';
import type { Machine, Scope, WireEvent } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { freeInput } from '../client-tools.ts';
import { openAiTier } from '../service-tier.ts';
import { brokenOff, type ShownFailure, showFailure, showReportedError } from '../shown-failure.ts';
import { standsBeside } from './answer-extras.ts';
import { encodeAnswerImage } from './answer-images.ts';
import { encodeAnnotation } from './encode-messages.ts';
import { encodeLogprobs } from './encode-response.ts';
import { encodeUsage } from './read-usage.ts';
import { encodeSearchResults, listsPages } from './search-results.ts';
import { thoughtSignature } from './thought-signature.ts';
import { finishWords } from './wire.ts';

export function encodeStream(request: ChatRequest, scope: Scope): Machine<ChatEvent, WireEvent> {
  return new ChatStreamEncoder(request, scope);
}

interface Call {
  readonly index: number;
  readonly kind: ToolCallKind;
  /** Input of a custom tool in its function form, which is told once it can be read; undefined for others. */
  readonly wrapped: string[] | undefined;
  /** Announces it; undefined once that is done. A call that comes whole is announced with its input. */
  opening: ((input: string) => JsonObject) | undefined;
  hasInput: boolean;
}

/** Characters of a thought that are kept until its signature comes. */
const MOST_REPEATED = 256 * 1024;
/** Characters in which an answer tells its searches over and over: what is found beyond them is told at its end. */
const MOST_FOUND = 1024 * 1024;

class Choice {
  readonly calls = new Map<number, Call>();
  callCount = 0;
  hasSound = false;
  summary = 0;
  /** Entries of each list that deltas have brought so far. */
  readonly listed = { thinking_blocks: 0, annotations: 0, images: 0 };
  /** What was thought since the last signature; undefined where that is too much to be said again. */
  thought: string | undefined = '';
  thoughtDeltas = 0;
  state: 'silent' | 'speaking' | 'finished' = 'silent';
}

class ChatStreamEncoder implements Machine<ChatEvent, WireEvent> {
  readonly #request: ChatRequest;
  readonly #scope: Scope;
  readonly #names: ToolNames;
  readonly #choices = new Map<number, Choice>();
  #head = '';
  #tail = '';
  /** What stands beside the answer in the chunk to come. */
  readonly #beside = new Map<string, Json>();
  #usage: Usage | undefined;
  readonly #searches: HostedItem[] = [];
  #foundLength = 0;
  #isOver = false;

  constructor(request: ChatRequest, scope: Scope) {
    this.#request = request;
    this.#scope = scope;
    this.#names = new ToolNames(request.tools);
  }

  push(event: ChatEvent): WireEvent[] {
    const out: WireEvent[] = [];
    if (this.#isOver) return out;
    switch (event.type) {
      case 'message-start':
        this.#begin(event);
        this.#choice(out, 0);
        break;
      case 'usage':
        this.#usage = mergeUsage(this.#usage, event.usage);
        break;
      case 'tools-used':
        break;
      case 'error':
        return this.#break(showReportedError(event.error));
      case 'text-start':
        break;
      case 'finish':
        this.#finish(out, event.choice, event.finish);
        break;
      case 'hosted':
        if (standsBeside(event.item)) this.#beside.set(event.item.name, event.item.raw);
        else this.#content(out, event);
        break;
      default:
        this.#content(out, event);
    }
    return out;
  }

  end(): WireEvent[] {
    if (this.#isOver) return [];
    const states = [...this.#choices.values()].map((choice) => choice.state);
    if (!states.includes('finished') || states.includes('speaking')) return this.#break(brokenOff);
    const out: WireEvent[] = [];
    // A choice that was announced and never used ends with the others.
    for (const [index, { state }] of this.#choices)
      if (state === 'silent') this.#finish(out, index, { reason: 'stop' });
    this.#isOver = true;
    return [...out, ...this.#lastChunk(), { data: '[DONE]' }];
  }

  fail(error: TollgateError | UpstreamFailure): WireEvent[] {
    return this.#isOver ? [] : this.#break(showFailure(error));
  }

  /** The error object ends the stream; no `[DONE]` follows, which would make it look complete. */
  #break(failure: ShownFailure): WireEvent[] {
    this.#isOver = true;
    const { message, type, code } = failure;
    return [...this.#lastChunk(), { data: JSON.stringify({ error: { message, type, param: null, code } }) }];
  }

  #begin(event?: Extract<ChatEvent, { type: 'message-start' }>): void {
    if (this.#head !== '') return;
    const id = event?.id ?? this.#scope.newId('chatcmpl-');
    const created = event?.created ?? this.#scope.now();
    const fingerprint = event?.systemFingerprint;
    const head: JsonObject = { id, object: 'chat.completion.chunk', created, model: this.#scope.model };
    if (fingerprint !== undefined) head.system_fingerprint = fingerprint;
    if (event?.serviceTier !== undefined) head.service_tier = openAiTier(event.serviceTier);
    // Every chunk begins alike, so that part is written once.
    this.#head = JSON.stringify(head).slice(0, -1);
    this.#tail = this.#request.streamUsage ? ',"usage":null}' : '}';
  }

  /** The state of a choice; its first mention sends the role. */
  #choice(out: WireEvent[], index: number): Choice {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    this.#begin();
    const choice = new Choice();
    this.#choices.set(index, choice);
    this.#send(out, index, { role: 'assistant', content: '' });
    return choice;
  }

  #content(
    out: WireEvent[],
    event: Exclude<ChatEvent, { type: 'message-start' | 'usage' | 'tools-used' | 'error' | 'finish' }>,
  ): void {
    const choice = this.#choice(out, event.choice);
    choice.state = 'speaking';
    switch (event.type) {
      case 'text-delta':
        this.#sendText(out, event.choice, 'content', event.text);
        break;
      case 'reasoning-start':
        choice.summary = 0;
        break;
      case 'reasoning-delta':
        this.#think(out, choice, event);
        break;
      case 'reasoning-signature':
        this.#sign(out, choice, event);
        break;
      case 'text-end':
        if (event.seal !== undefined) this.#send(out, event.choice, { extra_content: thoughtSignature(event.seal) });
        break;
      case 'refusal-delta':
        this.#sendText(out, event.choice, 'refusal', event.text);
        break;
      case 'tool-call-start':
        this.#startCall(out, choice, event);
        break;
      case 'tool-call-delta':
        this.#feedCall(out, choice, event);
        break;
      case 'tool-call-end':
        this.#endCall(out, choice, event);
        break;
      case 'annotation': {
        const annotation = encodeAnnotation(event.annotation);
        if (annotation !== undefined) this.#list(out, event.choice, 'annotations', annotation);
        break;
      }
      case 'image':
        this.#image(out, event);
        break;
      case 'audio-delta': {
        const audio: JsonObject = choice.hasSound || event.id !== undefined ? {} : this.#namedSound();
        choice.hasSound = true;
        if (event.id !== undefined) audio.id = event.id;
        if (event.data !== undefined) audio.data = event.data;
        if (event.transcript !== undefined) audio.transcript = event.transcript;
        if (event.expiresAt !== undefined) audio.expires_at = event.expiresAt;
        this.#send(out, event.choice, { audio });
        break;
      }
      case 'hosted':
        if (listsPages(event.item)) this.#found(out, event.choice, event.item);
        else if (event.item.text !== undefined) this.#sendText(out, event.choice, 'content', event.item.text);
        break;
      case 'logprobs':
        this.#logprobs(out, event.choice, event.tokens);
    }
  }

  #think(out: WireEvent[], choice: Choice, event: Extract<ChatEvent, { type: 'reasoning-delta' }>): void {
    const text = event.part > choice.summary ? `\n\n${event.text}` : event.text;
    choice.summary = event.part;
    choice.thoughtDeltas += 1;
    if (choice.thought !== undefined)
      choice.thought = choice.thought.length + text.length > MOST_REPEATED ? undefined : choice.thought + text;
    this.#sendText(out, event.choice, 'reasoning_content', text);
  }

  /**
   * The official JavaScript library keeps of members it does not know what the last delta says: where a thought came in
   * several, its block has all of it, since a vendor refuses a signature under another text.
   */
  #sign(out: WireEvent[], choice: Choice, event: Extract<ChatEvent, { type: 'reasoning-signature' }>): void {
    const shown = wrapSeal(event.seal, 'anthropic-messages');
    const { thought: thinking, thoughtDeltas } = choice;
    const block: JsonObject =
      event.seal.redacted === true
        ? { type: 'redacted_thinking', data: shown }
        : { type: 'thinking', signature: shown };
    if (event.seal.redacted !== true) {
      choice.thought = '';
      if (thoughtDeltas > 1 && thinking) block.thinking = thinking;
    }
    this.#list(out, event.choice, 'thinking_blocks', block);
  }

  /**
   * One entry of a list. The official Python library joins the lists of deltas by the index of their entries, and ends a
   * stream whose second list has none.
   */
  #list(out: WireEvent[], index: number, name: keyof Choice['listed'], entry: JsonObject): void {
    const { listed } = this.#choice(out, index);
    const at = listed[name]++;
    this.#send(out, index, { [name]: [at === 0 ? entry : { index: at, ...entry }] });
  }

  /** Sound of a vendor without ids is kept nowhere to be spoken of again. */
  #namedSound(): JsonObject {
    return { id: this.#scope.newId('audio_'), expires_at: this.#scope.now() };
  }

  #startCall(out: WireEvent[], choice: Choice, event: Extract<ChatEvent, { type: 'tool-call-start' }>): void {
    const { name, kind: known } = this.#names.find(event.name);
    const kind = event.kind === 'function' ? known : event.kind;
    const index = choice.callCount++;
    if (index > 0 && this.#request.legacyFunctions === true) {
      // The old form has one call: clients would join a second one to its name and arguments.
      this.#scope.lose('answer.tool_calls');
      return;
    }
    const opening = (input: string): JsonObject => {
      if (this.#request.legacyFunctions === true) return { function_call: { name, arguments: input } };
      const told: JsonObject =
        kind === 'custom'
          ? { index, id: event.callId, type: 'custom', custom: { name, input } }
          : { index, id: event.callId, type: 'function', function: { name, arguments: input } };
      if (event.seal !== undefined) told.extra_content = thoughtSignature(event.seal);
      return { tool_calls: [told] };
    };
    const wrapped = kind === 'custom' && event.kind === 'function' ? [] : undefined;
    const call: Call = { index, kind, wrapped, opening, hasInput: false };
    choice.calls.set(event.block, call);
    if (event.isWhole !== true) this.#sendInput(out, event.choice, call, '');
  }

  #feedCall(out: WireEvent[], choice: Choice, event: Extract<ChatEvent, { type: 'tool-call-delta' }>): void {
    const call = choice.calls.get(event.block);
    if (call === undefined) return;
    call.hasInput = true;
    if (call.wrapped !== undefined) call.wrapped.push(event.text);
    else this.#sendInput(out, event.choice, call, event.text);
  }

  /** A call without arguments still has an object of them, and a custom one its text. */
  #endCall(out: WireEvent[], choice: Choice, event: Extract<ChatEvent, { type: 'tool-call-end' }>): void {
    const call = choice.calls.get(event.block);
    choice.calls.delete(event.block);
    if (call?.wrapped !== undefined) this.#sendInput(out, event.choice, call, freeInput(call.wrapped.join('')));
    else if (call !== undefined && !call.hasInput && call.kind !== 'custom') {
      this.#sendInput(out, event.choice, call, '{}');
    }
  }

  #sendInput(out: WireEvent[], index: number, call: Call, text: string): void {
    if (call.opening !== undefined) {
      this.#send(out, index, call.opening(text));
      call.opening = undefined;
    } else if (this.#request.legacyFunctions === true) {
      this.#send(out, index, { function_call: { arguments: text } });
    } else if (call.kind === 'custom') {
      this.#send(out, index, { tool_calls: [{ index: call.index, custom: { input: text } }] });
    } else this.#send(out, index, { tool_calls: [{ index: call.index, function: { arguments: text } }] });
  }

  /** A client that asked for images reads them beside the text, any other inside it (relay.md 13.4). */
  #image(out: WireEvent[], event: Extract<ChatEvent, { type: 'image' }>): void {
    const url = event.url ?? `data:${event.mediaType};base64,${event.data ?? ''}`;
    this.#sendText(out, event.choice, 'content', `![image](${url})`);
    if (this.#request.modalities?.includes('image') === true) {
      this.#list(out, event.choice, 'images', encodeAnswerImage(url, event.seal));
    } else if (event.seal !== undefined) this.#send(out, event.choice, { extra_content: thoughtSignature(event.seal) });
  }

  #logprobs(out: WireEvent[], index: number, tokens: readonly TokenLogprob[]): void {
    const told = JSON.stringify(encodeLogprobs(tokens));
    const choices = `[{"index":${index},"delta":{},"logprobs":${told},"finish_reason":null}]`;
    out.push({ data: `${this.#head},"choices":${choices}${this.#tail}` });
  }

  /** Everything found so far stands in the chunk, as clients of such streams read the last one that has it. */
  #found(out: WireEvent[], index: number, item: HostedItem): void {
    // What found nothing adds nothing, and would be looked through again for each search behind it.
    if (encodeSearchResults([item]).search_results === undefined) return;
    this.#searches.push(item);
    if (this.#foundLength > MOST_FOUND) return;
    const found = JSON.stringify(encodeSearchResults(this.#searches)).slice(1, -1);
    this.#foundLength += found.length;
    const choices = `[{"index":${index},"delta":{},"logprobs":null,"finish_reason":null}]`;
    out.push({ data: `${this.#head},${found},"choices":${choices}${this.#tail}` });
  }

  #finish(out: WireEvent[], index: number, finish: Finish): void {
    this.#choice(out, index).state = 'finished';
    const word =
      finish.reason === 'tool-calls' && this.#request.legacyFunctions === true
        ? 'function_call'
        : finishWords[finish.reason];
    this.#write(out, index, '{}', `"${word}"`);
  }

  /** What was used, and what stands beside the answer and came after it. */
  #lastChunk(): WireEvent[] {
    const found = this.#foundLength > MOST_FOUND ? encodeSearchResults(this.#searches) : {};
    for (const name in found) this.#beside.set(name, found[name] ?? null);
    const usage = this.#request.streamUsage ? this.#usage : undefined;
    if (usage === undefined && this.#beside.size === 0) return [];
    this.#begin();
    const ending = usage === undefined ? this.#tail : `,"usage":${JSON.stringify(encodeUsage(usage))}}`;
    return [{ data: `${this.#opening()},"choices":[]${ending}` }];
  }

  /** The beginning of a chunk, with what stands beside the answer by then. */
  #opening(): string {
    if (this.#beside.size === 0) return this.#head;
    const beside = JSON.stringify(Object.fromEntries(this.#beside)).slice(1, -1);
    this.#beside.clear();
    return `${this.#head},${beside}`;
  }

  #sendText(out: WireEvent[], index: number, member: 'content' | 'reasoning_content' | 'refusal', text: string): void {
    this.#write(out, index, `{"${member}":${JSON.stringify(text)}}`, 'null');
  }

  #send(out: WireEvent[], index: number, delta: JsonObject): void {
    this.#write(out, index, JSON.stringify(delta), 'null');
  }

  #write(out: WireEvent[], index: number, delta: string, finish: string): void {
    const choices = `[{"index":${index},"delta":${delta},"logprobs":null,"finish_reason":${finish}}]`;
    out.push({ data: `${this.#opening()},"choices":${choices}${this.#tail}` });
  }
}

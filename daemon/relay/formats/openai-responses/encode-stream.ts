/**
 * Canonical events as Responses events (relay.md 5.10, 13.5). Whatever happens upstream, the stream ends with exactly
 * one of `response.completed`, `response.incomplete`, `response.failed`, and its output is what the deltas said.
 */
import type { TollgateError, UpstreamFailure } from '../../../errors.ts';
import type { Annotation, ChatEvent, ChatRequest, Finish } from '../../canonical/chat.ts';
import { markNumbers, withExactArguments } from '../../canonical/exact-numbers.ts';
import { wrapSeal } from '../../canonical/seal.ts';
import { moved } from '../../canonical/text-places.ts';
import { ToolNames } from '../../canonical/tool-names.ts';
import { mergeUsage, type Usage } from '../../canonical/usage.ts';
import type { Machine, Scope, WireEvent } from '../../format.ts';
import type { JsonObject } from '../../json.ts';
import { asObject } from '../fields.ts';
import { brokenOff, type ShownFailure, showFailure, showReportedError } from '../shown-failure.ts';
import {
  encodeResponsesUsage,
  ending,
  endOf,
  type ItemEnd,
  imageItem,
  sealItem,
  skeleton,
  tierOf,
} from './encode-response.ts';
import { CallItem, type Emit, MessageItem, ReasoningItem } from './stream-items.ts';

export function encodeStream(request: ChatRequest, scope: Scope): Machine<ChatEvent, WireEvent> {
  return new ResponsesStreamEncoder(request, scope);
}

class ResponsesStreamEncoder implements Machine<ChatEvent, WireEvent> {
  readonly #request: ChatRequest;
  readonly #scope: Scope;
  readonly #names: ToolNames;
  /** Finished items at their output index. */
  readonly #output: (JsonObject | undefined)[] = [];
  readonly #calls = new Map<number, CallItem>();
  /** The call whose input came last: it is told to be over once it is known that no limit cut it. */
  #lastCall: number | undefined;
  /** Inputs that stand as objects in what is told. */
  readonly #inputs: string[] = [];
  /** Those in the event that is told next, where a double would change a number: its own call's, at the end all. */
  #shown: readonly string[] = [];
  #isExact = false;
  /** Of the upstream, as long as it speaks this dialect: what it keeps is known by them. */
  readonly #ids = new Set<string>();
  #out: WireEvent[] = [];
  #sequence = 0;
  #base: JsonObject | undefined;
  #words: MessageItem | ReasoningItem | undefined;
  /** UTF-16 units of text so far, and at the beginning of the message that is open: its citations count from there. */
  #told = 0;
  #messageStart = 0;
  /** Sources named before the text that stands on them. */
  readonly #early: Annotation[] = [];
  #usage: Usage | undefined;
  #serviceTier: string | undefined;
  #finish: Finish | undefined;
  #isOver = false;

  constructor(request: ChatRequest, scope: Scope) {
    this.#request = request;
    this.#scope = scope;
    this.#names = new ToolNames(request.tools);
  }

  push(event: ChatEvent): WireEvent[] {
    if (this.#isOver || ('choice' in event && event.choice !== 0)) return [];
    switch (event.type) {
      case 'message-start':
        this.#serviceTier = event.serviceTier;
        this.#begin(event.id, event.created);
        break;
      case 'usage':
        this.#usage = mergeUsage(this.#usage, event.usage);
        break;
      case 'tools-used':
        break;
      case 'error':
        this.#break(showReportedError(event.error));
        break;
      case 'finish':
        this.#begin();
        this.#finishItems(event.finish);
        this.#finish = event.finish;
        break;
      default:
        this.#begin();
        this.#endLastCall();
        this.#content(event);
    }
    return this.#take();
  }

  end(): WireEvent[] {
    if (this.#isOver) return [];
    if (this.#finish === undefined) this.#break(brokenOff);
    else {
      this.#isOver = true;
      if (this.#output.length === 0) this.#message();
      this.#settle();
      const told = ending(this.#finish);
      this.#conclude(told.status === 'incomplete' ? 'response.incomplete' : 'response.completed', told);
    }
    return this.#take();
  }

  fail(error: TollgateError | UpstreamFailure): WireEvent[] {
    if (this.#isOver) return [];
    this.#break(showFailure(error));
    return this.#take();
  }

  #take(): WireEvent[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  readonly #emit: Emit = (type, fields) => {
    const data = JSON.stringify({ type, sequence_number: this.#sequence, ...fields });
    this.#sequence += 1;
    this.#out.push({ event: type, data: this.#shown.length === 0 ? data : withExactArguments(data, this.#shown) });
  };

  #begin(id?: string, created?: number): void {
    if (this.#base !== undefined) return;
    const { newId, now } = this.#scope;
    this.#base = skeleton(this.#request, this.#scope, id ?? newId('resp_'), created ?? now());
    this.#emit('response.created', { response: this.#base });
    this.#emit('response.in_progress', { response: this.#base });
  }

  #break(failure: ShownFailure): void {
    this.#isOver = true;
    this.#begin();
    this.#settle('incomplete');
    const error = { code: failure.code, message: failure.message };
    this.#conclude('response.failed', { status: 'failed', error });
  }

  #conclude(type: string, members: JsonObject): void {
    const output = this.#output.filter((item) => item !== undefined);
    this.#shown = this.#isExact ? this.#inputs : [];
    const usage = encodeResponsesUsage(this.#usage);
    const tier = this.#serviceTier === undefined ? {} : tierOf({ serviceTier: this.#serviceTier });
    this.#emit(type, { response: { ...this.#base, ...members, output, usage, ...tier } });
  }

  #content(event: Exclude<ChatEvent, { type: 'message-start' | 'usage' | 'tools-used' | 'error' | 'finish' }>): void {
    switch (event.type) {
      case 'text-start':
        if (event.id !== undefined) this.#message(event);
        break;
      case 'text-delta':
        this.#message().text(event.text);
        this.#told += event.text.length;
        break;
      case 'refusal-delta':
        this.#message().refuse(event.text);
        break;
      case 'annotation':
        if (this.#words instanceof MessageItem) this.#annotate(this.#words, event.annotation);
        else this.#early.push(event.annotation);
        break;
      case 'logprobs':
        // Those of thoughts and calls have no place on this wire.
        if (this.#words instanceof MessageItem) this.#words.logprobs(event.tokens);
        break;
      case 'reasoning-start':
        this.#reasoning(event.id);
        break;
      case 'reasoning-delta':
        this.#reasoning().think(event.text, event.part);
        break;
      case 'reasoning-signature':
        this.#reasoning().seal(wrapSeal(event.seal, 'openai-responses'));
        break;
      case 'reasoning-end':
        this.#closeWords();
        break;
      case 'tool-call-start':
        this.#startCall(event);
        break;
      case 'tool-call-delta':
        this.#calls.get(event.block)?.feed(event.text);
        break;
      case 'tool-call-end':
        this.#lastCall = event.block;
        break;
      case 'hosted':
        this.#hosted(event.item);
        break;
      case 'image': {
        const { id, mediaType, data } = event;
        if (data === undefined) this.#message().text(`![image](${event.url ?? ''})`);
        else this.#whole(imageItem(this.#idOf(id, 'ig_'), mediaType, data));
        break;
      }
      case 'audio-delta':
        if (event.transcript !== undefined) this.#message().text(event.transcript);
    }
  }

  /** The upstream's id of an item, unless a part of the same item was told under it already. */
  #idOf(id: string | undefined, prefix: string): string {
    if (id === undefined || this.#ids.has(id)) return this.#scope.newId(prefix);
    this.#ids.add(id);
    return id;
  }

  /** Text blocks that follow each other are one message, which ends when something else or another item begins. */
  #message({ id, phase }: { readonly id?: string; readonly phase?: string } = {}): MessageItem {
    const words = this.#words;
    if (words instanceof MessageItem && (id === undefined || words.id === id)) return words;
    this.#closeWords();
    const item = new MessageItem(this.#place(), { id: this.#idOf(id, 'msg_'), phase }, this.#emit);
    this.#words = item;
    this.#messageStart = this.#told;
    for (const annotation of this.#early.splice(0)) this.#annotate(item, annotation);
    return item;
  }

  #annotate(item: MessageItem, annotation: Annotation): void {
    item.annotate(moved(annotation, -this.#messageStart));
  }

  #reasoning(id?: string): ReasoningItem {
    if (this.#words instanceof ReasoningItem) return this.#words;
    this.#closeWords();
    const item = new ReasoningItem(this.#place(), this.#idOf(id, 'rs_'), this.#emit);
    this.#words = item;
    return item;
  }

  #closeWords(status: ItemEnd = 'completed'): void {
    const words = this.#words;
    this.#words = undefined;
    if (words !== undefined) this.#output[words.index] = words.end(status);
  }

  #place(): number {
    this.#output.push(undefined);
    return this.#output.length - 1;
  }

  #startCall(event: Extract<ChatEvent, { type: 'tool-call-start' }>): void {
    this.#closeWords();
    if (event.seal !== undefined) this.#whole(sealItem(this.#scope, wrapSeal(event.seal, 'openai-responses')));
    const tool = this.#names.find(event.name);
    const nameItem = (prefix: string) => this.#idOf(event.id, prefix);
    const call = new CallItem({ index: this.#place(), event, tool, nameItem, emit: this.#emit });
    this.#calls.set(event.block, call);
  }

  #endLastCall(status: ItemEnd = 'completed'): void {
    const block = this.#lastCall;
    this.#lastCall = undefined;
    if (block !== undefined) this.#endCall(block, status);
  }

  #endCall(block: number, status: ItemEnd = 'completed'): void {
    const call = this.#calls.get(block);
    this.#calls.delete(block);
    if (call === undefined) return;
    // A client runs a call as soon as it is told: half a command must not look like a whole one.
    if (status === 'incomplete' && !call.isTold) return;
    const input = call.objectInput;
    if (input !== undefined) {
      this.#inputs.push(input);
      if (markNumbers(input) !== undefined) {
        this.#isExact = true;
        this.#shown = [input];
      }
    }
    this.#output[call.index] = call.end(status);
    this.#shown = [];
  }

  /** An item that is known only when it is complete. */
  #whole(item: JsonObject): void {
    this.#closeWords();
    const index = this.#place();
    this.#output[index] = item;
    this.#emit('response.output_item.added', { output_index: index, item: { ...item, status: 'in_progress' } });
    this.#emit('response.output_item.done', { output_index: index, item });
  }

  #hosted(item: Extract<ChatEvent, { type: 'hosted' }>['item']): void {
    const raw = asObject(item.raw);
    const isOwn = item.dialect === 'openai-responses' && item.name !== 'image_generation_call';
    if (isOwn && raw !== undefined) this.#whole(raw);
    else if (item.text !== undefined) this.#message().text(item.text);
  }

  /** Ends whatever is open when the answer does; what a limit cut is not complete. */
  #finishItems(finish: Finish): void {
    const input = this.#lastCall === undefined ? undefined : this.#calls.get(this.#lastCall)?.input;
    this.#endLastCall(endOf(finish, input));
    this.#settle(endOf(finish));
  }

  /** Ends whatever is open. */
  #settle(status: ItemEnd = 'completed'): void {
    this.#closeWords(status);
    this.#endLastCall(status);
    for (const block of [...this.#calls.keys()]) this.#endCall(block, status);
  }
}

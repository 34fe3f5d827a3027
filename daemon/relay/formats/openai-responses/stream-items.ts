/**
 * The items of a Responses stream while they grow: each pairs its `added`, deltas and `done` events.
 */
import { isTextInput } from '../../canonical/arguments.ts';
import type { Annotation, ChatEvent, TokenLogprob, ToolCallItem } from '../../canonical/chat.ts';
import type { KnownTool } from '../../canonical/tool-names.ts';
import type { JsonObject } from '../../json.ts';
import { freeInput } from '../client-tools.ts';
import { encodeAnnotation, encodeCall, encodeReasoning, encodeTokens, outputText } from './encode-items.ts';
import { type ItemEnd, messageItem } from './encode-response.ts';
import { itemPrefixes } from './wire.ts';

/** Sends one event; type and sequence number are added. */
export type Emit = (type: string, fields: JsonObject) => void;

/** A message: text with its annotations, and a refusal as a part of its own. */
export class MessageItem {
  readonly index: number;
  readonly id: string;
  readonly #phase: string | undefined;
  readonly #emit: Emit;
  readonly #parts: JsonObject[] = [];
  #open: { kind: 'text' | 'refusal'; words: string[]; annotations: JsonObject[]; logprobs: JsonObject[] } | undefined;

  constructor(index: number, { id, phase }: { readonly id: string; readonly phase: string | undefined }, emit: Emit) {
    this.index = index;
    this.id = id;
    this.#phase = phase;
    this.#emit = emit;
    emit('response.output_item.added', { output_index: index, item: this.#item('in_progress') });
  }

  text(text: string): void {
    this.#enter('text').words.push(text);
    this.#emit('response.output_text.delta', { ...this.#place(), delta: text, logprobs: [] });
  }

  refuse(text: string): void {
    this.#enter('refusal').words.push(text);
    this.#emit('response.refusal.delta', { ...this.#place(), delta: text });
  }

  annotate(annotation: Annotation): void {
    const encoded = encodeAnnotation(annotation);
    if (encoded === undefined) return;
    const { annotations } = this.#enter('text');
    const at = annotations.length;
    annotations.push(encoded);
    this.#emit('response.output_text.annotation.added', {
      ...this.#place(),
      annotation_index: at,
      annotation: encoded,
    });
  }

  logprobs(tokens: readonly TokenLogprob[]): void {
    const { logprobs } = this.#enter('text');
    for (const token of encodeTokens(tokens)) logprobs.push(token);
  }

  end(status: ItemEnd): JsonObject {
    // A message that nothing was said in still has its one empty part.
    if (this.#parts.length === 0 && this.#open === undefined) this.#enter('text');
    this.#close();
    const item = this.#item(status);
    this.#emit('response.output_item.done', { output_index: this.index, item });
    return item;
  }

  #item(status: 'in_progress' | ItemEnd): JsonObject {
    return messageItem({ id: this.id, phase: this.#phase }, status, this.#parts);
  }

  #place(): JsonObject {
    return { item_id: this.id, output_index: this.index, content_index: this.#parts.length };
  }

  #enter(kind: 'text' | 'refusal'): { words: string[]; annotations: JsonObject[]; logprobs: JsonObject[] } {
    if (this.#open?.kind === kind) return this.#open;
    this.#close();
    const open = { kind, words: [], annotations: [], logprobs: [] };
    this.#open = open;
    const part = kind === 'text' ? outputText('', []) : { type: 'refusal', refusal: '' };
    this.#emit('response.content_part.added', { ...this.#place(), part });
    return open;
  }

  #close(): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    const words = open.words.join('');
    const place = this.#place();
    let part: JsonObject;
    if (open.kind === 'text') {
      part = { ...outputText(words, open.annotations), logprobs: open.logprobs };
      this.#emit('response.output_text.done', { ...place, text: words, logprobs: open.logprobs });
    } else {
      part = { type: 'refusal', refusal: words };
      this.#emit('response.refusal.done', { ...place, refusal: words });
    }
    this.#emit('response.content_part.done', { ...place, part });
    this.#parts.push(part);
  }
}

/** A thought, shown as summaries. */
export class ReasoningItem {
  readonly index: number;
  readonly #id: string;
  readonly #emit: Emit;
  readonly #texts: string[] = [];
  #part: number | undefined;
  #words: string[] = [];
  #sealed: string | undefined;

  constructor(index: number, id: string, emit: Emit) {
    this.index = index;
    this.#id = id;
    this.#emit = emit;
    emit('response.output_item.added', { output_index: index, item: { id, type: 'reasoning', summary: [] } });
  }

  /** A higher `part` begins another summary. */
  think(text: string, part: number): void {
    if (this.#part !== undefined && part > this.#part) this.#close();
    if (this.#part === undefined) {
      this.#part = part;
      this.#emit('response.reasoning_summary_part.added', { ...this.#place(), part: summaryText('') });
    }
    this.#words.push(text);
    this.#emit('response.reasoning_summary_text.delta', { ...this.#place(), delta: text });
  }

  seal(sealed: string): void {
    this.#sealed = sealed;
  }

  end(): JsonObject {
    this.#close();
    const item = { id: this.#id, ...encodeReasoning({ texts: this.#texts, form: 'summary' }, this.#sealed) };
    this.#emit('response.output_item.done', { output_index: this.index, item });
    return item;
  }

  #place(): JsonObject {
    return { item_id: this.#id, output_index: this.index, summary_index: this.#texts.length };
  }

  #close(): void {
    if (this.#part === undefined) return;
    this.#part = undefined;
    const text = this.#words.join('');
    this.#words = [];
    const place = this.#place();
    this.#emit('response.reasoning_summary_text.done', { ...place, text });
    this.#emit('response.reasoning_summary_part.done', { ...place, part: summaryText(text) });
    this.#texts.push(text);
  }
}

function summaryText(text: string): JsonObject {
  return { type: 'summary_text', text };
}

type CallStart = Extract<ChatEvent, { type: 'tool-call-start' }>;

/**
 * A call. Functions stream their arguments; free text does too when it arrives as such. What has to be taken out of
 * its function form first (custom, shell and patch tools of a client behind another format) is told at its end.
 */
export class CallItem {
  readonly index: number;
  readonly #emit: Emit;
  readonly #call: Omit<ToolCallItem, 'type' | 'seal' | 'input'>;
  readonly #id: string;
  /** The input is JSON that has the client's form inside it. */
  readonly #isWrapped: boolean;
  readonly #words: string[] = [];

  constructor(start: {
    readonly index: number;
    readonly event: CallStart;
    readonly tool: KnownTool;
    readonly nameItem: (prefix: string) => string;
    readonly emit: Emit;
  }) {
    const { event, tool } = start;
    this.index = start.index;
    this.#emit = start.emit;
    const kind = event.kind === 'function' ? tool.kind : event.kind;
    const namespace = tool.namespace ?? event.namespace;
    const call = { kind, callId: event.callId, name: tool.name };
    this.#call = namespace === undefined ? call : { ...call, namespace };
    this.#isWrapped = kind !== event.kind;
    this.#id = start.nameItem(itemPrefixes[kind]);
    if (this.#isStreamed) {
      this.#emit('response.output_item.added', { output_index: this.index, item: this.#item('in_progress', '') });
    }
  }

  /** All input so far. */
  get input(): string {
    return this.#words.join('');
  }

  /** What has been asked of a tool so far, where the wire has it as an object. */
  get objectInput(): string | undefined {
    return isTextInput(this.#call.kind) ? undefined : this.input;
  }

  feed(text: string): void {
    this.#words.push(text);
    if (this.#isStreamed) this.#emit(`${this.#event}.delta`, { ...this.#place(), delta: text });
  }

  /** Whether its beginning has been sent; if not, nothing of it has. */
  get isTold(): boolean {
    return this.#isStreamed;
  }

  end(status: ItemEnd): JsonObject {
    const said = this.input;
    const input = this.#call.kind === 'custom' && this.#isWrapped ? freeInput(said) : said;
    if (!this.#isStreamed) {
      this.#emit('response.output_item.added', { output_index: this.index, item: this.#item('in_progress', input) });
    }
    const item = this.#item(status, input);
    if (this.#call.kind === 'custom') {
      if (this.#isWrapped) this.#emit(`${this.#event}.delta`, { ...this.#place(), delta: input });
      this.#emit(`${this.#event}.done`, { ...this.#place(), input });
    } else if (this.#call.kind === 'function') {
      const whole = input === '' ? '{}' : input;
      if (input === '') this.#emit(`${this.#event}.delta`, { ...this.#place(), delta: whole });
      this.#emit(`${this.#event}.done`, { ...this.#place(), name: this.#call.name, arguments: whole });
    }
    this.#emit('response.output_item.done', { output_index: this.index, item });
    return item;
  }

  get #isStreamed(): boolean {
    return this.#call.kind === 'function' || (this.#call.kind === 'custom' && !this.#isWrapped);
  }

  get #event(): string {
    return this.#call.kind === 'custom' ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
  }

  #place(): JsonObject {
    return { item_id: this.#id, output_index: this.index };
  }

  #item(status: 'in_progress' | ItemEnd, input: string): JsonObject {
    const encoded = encodeCall({ ...this.#call, input });
    // An item that has just begun has no input yet, where the wire's member is text.
    if (status === 'in_progress' && this.#call.kind === 'function') encoded.arguments = '';
    if (status === 'in_progress' && this.#call.kind === 'custom') encoded.input = '';
    return { id: this.#id, ...encoded, status };
  }
}

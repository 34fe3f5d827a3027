/**
 * Responses events as canonical events. Items are known by their `output_index`; what a sender skipped in deltas is
 * taken from the item's end.
 */
import { isTextInput } from '../../canonical/arguments.ts';
import type { ChatEvent, ReportedError } from '../../canonical/chat.ts';
import { unwrapSeal } from '../../canonical/seal.ts';
import { moved } from '../../canonical/text-places.ts';
import type { Machine, WireEvent } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import {
  asList,
  asNumber,
  asObject,
  asObjects,
  asText,
  asWord,
  entryOf,
  isEmptyPayload,
  parseJson,
  present,
} from '../fields.ts';
import { readTokens } from '../openai-chat/decode-stream.ts';
import { callName, decodeAnnotation, decodeCall, decodeOutputItem, exactInput, readCallInput } from './decode-items.ts';
import { decodeFinish, endOf, imageType, readErrorEvent, readReportedError } from './decode-response.ts';
import { callWithoutResult, countToolCalls, findResponsesUsage } from './usage.ts';
import { callKinds } from './wire.ts';

export function decodeStream(): Machine<WireEvent, ChatEvent> {
  return new ResponsesStreamDecoder();
}

interface Item {
  kind: 'text' | 'reasoning' | 'tool-call' | 'other';
  /** Block of the item now open; undefined before its first words and after its end. */
  block: number | undefined;
  /** UTF-16 units received as deltas. */
  received: number;
  /** Units of text before it in the answer. */
  start: number;
  /** Reasoning arrives as summaries or in full; whichever comes first is read. */
  form: 'full' | 'summary' | undefined;
  id: string | undefined;
  phase: string | undefined;
}

/** In place of an output index. */
const besideItems = -1;

class ResponsesStreamDecoder implements Machine<WireEvent, ChatEvent> {
  /** By kind and output index: a sender that miscounts may use one index twice. */
  readonly #items = new Map<string, Item>();
  /** Where each call began. */
  readonly #callIndexes = new Map<string, number>();
  /** Calls of hosted tools that are over, and what the tools were asked to be. */
  readonly #hostedCalls: JsonObject[] = [];
  #tools: Json = null;
  #next = 0;
  #thoughts = 0;
  /** UTF-16 units of text so far. */
  #told = 0;
  /** Texts that ended before any word had come, by output index. */
  readonly #late: [number, string][] = [];
  #isStarted = false;
  #hasCalls = false;
  #hasOdds = false;
  #isCited = false;
  #isOver = false;

  push(input: WireEvent): ChatEvent[] {
    const data = input.data.trim();
    if (this.#isOver || isEmptyPayload(data)) return [];
    const event = asObject(parseJson(data));
    if (event === undefined) {
      const error: ReportedError = { code: 'bad_response_body', message: 'an event is not JSON', raw: {} };
      return [{ type: 'error', error }];
    }
    const out: ChatEvent[] = [];
    this.#read(out, event, data);
    return out;
  }

  /** A body that ends before its ending event broke off. */
  end(): ChatEvent[] {
    return [];
  }

  fail(): ChatEvent[] {
    return [];
  }

  #read(out: ChatEvent[], event: JsonObject, data: string): void {
    const index = asNumber(event.output_index) ?? 0;
    switch (event.type) {
      case 'response.created':
      case 'response.in_progress':
        this.#start(out, asObject(event.response));
        break;
      case 'response.output_item.added':
        this.#start(out, undefined);
        this.#add(out, index, asObject(event.item) ?? {});
        break;
      case 'response.output_text.delta':
        this.#text(out, index, asText(event.delta) ?? '');
        this.#odds(out, event.logprobs);
        break;
      case 'response.output_text.done':
        // They stand here again, and with some senders only here.
        if (!this.#hasOdds) this.#odds(out, event.logprobs);
        if (this.#told === 0) this.#late.push([index, asText(event.text) ?? '']);
        break;
      case 'response.refusal.delta':
        this.#refuse(out, index, asText(event.delta) ?? '');
        break;
      case 'response.output_text.annotation.added':
        this.#isCited = true;
        this.#cite(out, [event.annotation ?? null], this.#items.get(`text ${index}`)?.start ?? 0);
        break;
      case 'response.reasoning_summary_text.delta':
        this.#reason(out, index, 'summary', asText(event.delta) ?? '', asNumber(event.summary_index) ?? 0);
        break;
      case 'response.reasoning_text.delta':
        this.#reason(out, index, 'full', asText(event.delta) ?? '', asNumber(event.content_index) ?? 0);
        break;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.#feed(out, index, asText(event.delta) ?? '');
        break;
      case 'response.function_call_arguments.done':
        this.#complete(out, index, asText(event.arguments) ?? '');
        break;
      case 'response.custom_tool_call_input.done':
        this.#complete(out, index, asText(event.input) ?? '');
        break;
      case 'response.output_item.done':
        this.#start(out, undefined);
        this.#finishItem(out, index, { wire: asObject(event.item) ?? {}, data });
        break;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        this.#start(out, asObject(event.response));
        this.#end(out, endOf(event));
        break;
      case 'error':
        this.#isOver = true;
        out.push({ type: 'error', error: readErrorEvent(event) });
        break;
      default:
        this.#think(out, event);
    }
  }

  /** Perplexity tells its thoughts beside all items, one by one. */
  #think(out: ChatEvent[], { type, thought }: JsonObject): void {
    const text = asWord(thought);
    if (text === undefined || asText(type)?.startsWith('response.reasoning.') !== true) return;
    this.#reason(out, besideItems, 'summary', text, this.#thoughts++);
  }

  #start(out: ChatEvent[], response: JsonObject | undefined): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#tools = response?.tools ?? null;
    out.push(
      present({
        type: 'message-start',
        id: asWord(response?.id),
        model: asWord(response?.model),
        created: asNumber(response?.created_at),
        serviceTier: asWord(response?.service_tier),
      }),
    );
  }

  /** The item of an index; some servers send deltas before any item. */
  #item(out: ChatEvent[], index: number, kind: Item['kind']): Item {
    const known = this.#items.get(`${kind} ${index}`);
    if (known !== undefined) return known;
    this.#start(out, undefined);
    const start = this.#told;
    const item: Item = { kind, block: undefined, received: 0, start, form: undefined, id: undefined, phase: undefined };
    this.#items.set(`${kind} ${index}`, item);
    return item;
  }

  #call(index: number): Item | undefined {
    return this.#items.get(`tool-call ${index}`);
  }

  #add(out: ChatEvent[], index: number, wire: JsonObject): void {
    const callKind = entryOf(callKinds, asWord(wire.type) ?? '');
    if (wire.type === 'message' || wire.type === 'reasoning') {
      const item = this.#item(out, index, wire.type === 'message' ? 'text' : 'reasoning');
      item.id = asWord(wire.id);
      item.phase = asWord(wire.phase);
    } else if (callKind === 'function' || callKind === 'custom') {
      // A call without a name waits for its finished item, which holds all of it.
      if (callName(wire, callKind) !== undefined) this.#startCall(out, index, wire);
    } else this.#item(out, index, 'other');
  }

  #startCall(out: ChatEvent[], index: number, wire: JsonObject): Item {
    this.#closeWords(out);
    const item = this.#item(out, index, 'tool-call');
    const kind = entryOf(callKinds, asWord(wire.type) ?? '') ?? 'function';
    const { callId, name, namespace, id } = decodeCall({ call_id: `call_${index}`, ...wire }, kind, 'output');
    item.block = this.#next++;
    this.#callIndexes.set(callId, index);
    this.#hasCalls = true;
    const { block } = item;
    out.push(present({ type: 'tool-call-start', choice: 0, block, kind, callId, name, namespace, id }));
    const early = asWord(wire.arguments) ?? asWord(wire.input);
    if (early !== undefined) this.#feed(out, index, early);
    return item;
  }

  #text(out: ChatEvent[], index: number, text: string): void {
    if (text === '') return;
    const item = this.#item(out, index, 'text');
    if (item.block === undefined) {
      this.#closeWords(out);
      item.block = this.#next++;
      out.push(present({ type: 'text-start', choice: 0, block: item.block, id: item.id, phase: item.phase }));
    }
    item.received += text.length;
    this.#told += text.length;
    out.push({ type: 'text-delta', choice: 0, block: item.block, text });
  }

  /** `start`: where the part begins in the answer. */
  #cite(out: ChatEvent[], annotations: Json | undefined, start: number): void {
    for (const entry of asList(annotations)) {
      const annotation = decodeAnnotation(entry);
      if (annotation !== undefined) out.push({ type: 'annotation', choice: 0, annotation: moved(annotation, start) });
    }
  }

  #odds(out: ChatEvent[], logprobs: Json | undefined): void {
    const tokens = readTokens(logprobs);
    if (tokens.length === 0) return;
    this.#hasOdds = true;
    out.push({ type: 'logprobs', choice: 0, tokens });
  }

  #refuse(out: ChatEvent[], index: number, text: string): void {
    const item = this.#item(out, index, 'text');
    if (text === '') return;
    item.received += text.length;
    out.push({ type: 'refusal-delta', choice: 0, text });
  }

  #reason(out: ChatEvent[], index: number, form: 'full' | 'summary', text: string, part: number): void {
    if (text === '') return;
    const item = this.#item(out, index, 'reasoning');
    item.form ??= form;
    if (item.form !== form) return;
    const block = this.#openReasoning(out, item, form);
    item.received += text.length;
    out.push({ type: 'reasoning-delta', choice: 0, block, text, part });
  }

  #openReasoning(out: ChatEvent[], item: Item, form: 'full' | 'summary'): number {
    if (item.block !== undefined) return item.block;
    this.#closeWords(out);
    const block = this.#next++;
    item.block = block;
    out.push(present({ type: 'reasoning-start', choice: 0, block, form, id: item.id }));
    return block;
  }

  #feed(out: ChatEvent[], index: number, text: string): void {
    const item = this.#call(index);
    if (text === '' || item?.block === undefined) return;
    item.received += text.length;
    out.push({ type: 'tool-call-delta', choice: 0, block: item.block, text });
  }

  /** What the deltas left out. */
  #complete(out: ChatEvent[], index: number, whole: string): void {
    const item = this.#call(index);
    if (item !== undefined && item.received < whole.length) this.#feed(out, index, whole.slice(item.received));
  }

  #finishItem(out: ChatEvent[], index: number, { wire, data }: { wire: JsonObject; data: string }): void {
    const type = asWord(wire.type) ?? 'unknown';
    const callKind = entryOf(callKinds, type);
    if (type === 'message') this.#finishMessage(out, index, wire);
    else if (type === 'reasoning') this.#finishReasoning(out, index, wire);
    else if (callKind !== undefined && wire.execution !== 'server') {
      // A sender that miscounts its items still names each call.
      const begun = this.#callIndexes.get(asWord(wire.call_id) ?? '') ?? index;
      const known = this.#call(begun);
      if (known === undefined && callName(wire, callKind) === undefined) return;
      const item = known ?? this.#startCall(out, begun, wire);
      this.#complete(
        out,
        begun,
        isTextInput(callKind) ? readCallInput(wire, callKind) : exactInput(wire, callKind, data),
      );
      if (item.block !== undefined) out.push({ type: 'tool-call-end', choice: 0, block: item.block });
      item.block = undefined;
    } else this.#hosted(out, wire);
  }

  #finishMessage(out: ChatEvent[], index: number, wire: JsonObject): void {
    const item = this.#item(out, index, 'text');
    const isUnsaid = item.received === 0;
    let { start } = item;
    for (const part of asObjects(wire.content)) {
      const text = asText(part.text) ?? '';
      if (isUnsaid) {
        this.#text(out, index, text);
        this.#refuse(out, index, asText(part.refusal) ?? '');
      }
      if (!this.#isCited) this.#cite(out, part.annotations, start);
      start += text.length;
    }
    if (item.block !== undefined) out.push({ type: 'text-end', choice: 0, block: item.block });
    item.block = undefined;
  }

  #finishReasoning(out: ChatEvent[], index: number, wire: JsonObject): void {
    const item = this.#item(out, index, 'reasoning');
    const decoded = decodeOutputItem(wire, 'output');
    if (decoded.type !== 'reasoning') return;
    if (item.received === 0) {
      decoded.texts.forEach((text, part) => {
        this.#reason(out, index, decoded.form, text, part);
      });
    }
    const sealed = asWord(wire.encrypted_content);
    if (sealed !== undefined) {
      const block = this.#openReasoning(out, item, decoded.form);
      out.push({ type: 'reasoning-signature', choice: 0, block, seal: unwrapSeal(sealed, 'openai-responses') });
    }
    if (item.block !== undefined) out.push({ type: 'reasoning-end', choice: 0, block: item.block });
    item.block = undefined;
  }

  #hosted(out: ChatEvent[], wire: JsonObject): void {
    const data = asWord(wire.result);
    if (wire.type === 'image_generation_call' && data !== undefined) {
      out.push(present({ type: 'image', choice: 0, mediaType: imageType(wire), data, id: asWord(wire.id) }));
    }
    const item = decodeOutputItem(wire, 'output');
    if (item.type === 'hosted') out.push({ type: 'hosted', choice: 0, item });
    this.#hostedCalls.push(callWithoutResult(wire));
    const tools = countToolCalls({ output: this.#hostedCalls, tools: this.#tools });
    if (Object.keys(tools).length > 0) out.push({ type: 'tools-used', tools });
  }

  /** Ends the text or reasoning that is open: another block begins. */
  #closeWords(out: ChatEvent[]): void {
    for (const item of this.#items.values()) {
      if (item.block === undefined || item.kind === 'tool-call') continue;
      out.push({ type: item.kind === 'text' ? 'text-end' : 'reasoning-end', choice: 0, block: item.block });
      item.block = undefined;
    }
  }

  /** What was not told before the end: an answer as a whole, or all of its words or hosted items. */
  #rest(out: ChatEvent[], { output }: JsonObject): void {
    const hasHosted = this.#hostedCalls.length > 0;
    const hasWords = this.#told > 0;
    const isSilent = this.#items.size === 0 && !hasHosted;
    for (const [index, wire] of asObjects(output).entries()) {
      const type = asWord(wire.type) ?? 'unknown';
      const isTold =
        type === 'message' ? hasWords : hasHosted || type === 'reasoning' || Object.hasOwn(callKinds, type);
      if (isSilent || !isTold) this.#finishItem(out, index, { wire, data: JSON.stringify({ item: wire }) });
    }
    if (this.#told === 0) for (const [index, text] of this.#late) this.#text(out, index, text);
  }

  #end(out: ChatEvent[], response: JsonObject): void {
    this.#isOver = true;
    this.#rest(out, response);
    const usage = findResponsesUsage(response);
    if (usage !== undefined) {
      out.push({ type: 'usage', usage });
      // What was counted on the way stands back behind the upstream's own count.
      if (this.#hostedCalls.length > 0) out.push({ type: 'tools-used', tools: usage.tools });
    }
    const error = readReportedError(response);
    if (error !== undefined) {
      out.push({ type: 'error', error });
      return;
    }
    this.#closeWords(out);
    for (const item of this.#items.values()) {
      if (item.block !== undefined) out.push({ type: 'tool-call-end', choice: 0, block: item.block });
    }
    out.push({ type: 'finish', choice: 0, finish: decodeFinish(response, this.#hasCalls) });
  }
}

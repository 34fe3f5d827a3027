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
import { type StreamedItem, StreamedItems } from './streamed-items.ts';
import { findResponsesUsage, ToolCallCount } from './usage.ts';
import { callKinds } from './wire.ts';

export function decodeStream(): Machine<WireEvent, ChatEvent> {
  return new ResponsesStreamDecoder();
}

/** In place of an output index. */
const besideItems = -1;

class ResponsesStreamDecoder implements Machine<WireEvent, ChatEvent> {
  readonly #items = new StreamedItems();
  /** Where each call began. */
  readonly #callIndexes = new Map<string, number>();
  /** Calls of hosted tools that are over. */
  #hosted = new ToolCallCount(null);
  #hasHosted = false;
  #thoughts = 0;
  /** UTF-16 units of text so far. */
  #told = 0;
  /** Texts that ended before all of their words had come, by output index. */
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
        this.#endText(index, event);
        break;
      case 'response.refusal.delta':
        this.#refuse(out, index, asText(event.delta) ?? '');
        break;
      case 'response.output_text.annotation.added':
        this.#isCited = true;
        this.#cite(out, [event.annotation ?? null], this.#items.find('text', index)?.start ?? 0);
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
    this.#hosted = new ToolCallCount(response?.tools);
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
  #item(out: ChatEvent[], index: number, kind: StreamedItem['kind']): StreamedItem {
    const known = this.#items.find(kind, index);
    if (known !== undefined) return known;
    this.#start(out, undefined);
    return this.#items.add(kind, index, this.#told);
  }

  #call(index: number): StreamedItem | undefined {
    return this.#items.find('tool-call', index);
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

  #startCall(out: ChatEvent[], index: number, wire: JsonObject): StreamedItem {
    const item = this.#item(out, index, 'tool-call');
    const kind = entryOf(callKinds, asWord(wire.type) ?? '') ?? 'function';
    const { callId, name, namespace, id } = decodeCall({ call_id: `call_${index}`, ...wire }, kind, 'output');
    const block = this.#items.openCall(out, item);
    this.#callIndexes.set(callId, index);
    this.#hasCalls = true;
    out.push(present({ type: 'tool-call-start', choice: 0, block, kind, callId, name, namespace, id }));
    const early = asWord(wire.arguments) ?? asWord(wire.input);
    if (early !== undefined) this.#feed(out, index, early);
    return item;
  }

  #text(out: ChatEvent[], index: number, text: string): void {
    if (text === '') return;
    const item = this.#item(out, index, 'text');
    const block = this.#items.openWords(out, item, 'full');
    item.said.add(text);
    this.#told += text.length;
    out.push({ type: 'text-delta', choice: 0, block, text });
  }

  /** Only what the first part of a message says can be told from its deltas, which may not name their part. */
  #endText(index: number, event: JsonObject): void {
    const text = asText(event.text) ?? '';
    const said = this.#items.find('text', index)?.said;
    if (this.#told === 0 || (said?.isNothing === false && said.restOf(text) !== '')) this.#late.push([index, text]);
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
    item.refused.add(text);
    out.push({ type: 'refusal-delta', choice: 0, text });
  }

  #reason(out: ChatEvent[], index: number, form: 'full' | 'summary', text: string, part: number): void {
    if (text === '') return;
    const item = this.#item(out, index, 'reasoning');
    item.form ??= form;
    if (item.form !== form) return;
    const block = this.#items.openWords(out, item, form);
    item.said.add(text);
    out.push({ type: 'reasoning-delta', choice: 0, block, text, part });
  }

  #feed(out: ChatEvent[], index: number, text: string): void {
    const item = this.#call(index);
    if (text === '' || item?.block === undefined) return;
    item.said.add(text);
    out.push({ type: 'tool-call-delta', choice: 0, block: item.block, text });
  }

  /** What the deltas left out. */
  #complete(out: ChatEvent[], index: number, whole: string): void {
    const call = this.#call(index);
    if (call !== undefined) this.#feed(out, index, call.said.restOf(whole));
  }

  #finishItem(out: ChatEvent[], index: number, { wire, data }: { wire: JsonObject; data: string }): void {
    const type = asWord(wire.type) ?? 'unknown';
    const callKind = entryOf(callKinds, type);
    if (type === 'message') this.#finishMessage(out, index, wire);
    else if (type === 'reasoning') this.#finishReasoning(out, index, wire);
    else if (callKind !== undefined && wire.execution !== 'server') {
      const begun = this.#callIndexOf(index, wire);
      const known = this.#call(begun);
      if (known === undefined && callName(wire, callKind) === undefined) return;
      const item = known ?? this.#startCall(out, begun, wire);
      this.#complete(
        out,
        begun,
        isTextInput(callKind) ? readCallInput(wire, callKind) : exactInput(wire, callKind, data),
      );
      this.#items.close(out, item);
    } else this.#finishHosted(out, wire);
  }

  /** A sender that miscounts its items still names each call. */
  #callIndexOf(index: number, { call_id }: JsonObject): number {
    return this.#callIndexes.get(asWord(call_id) ?? '') ?? index;
  }

  #finishMessage(out: ChatEvent[], index: number, wire: JsonObject): void {
    const item = this.#item(out, index, 'text');
    const parts = asObjects(wire.content);
    const wholeOf = (member: 'text' | 'refusal') => parts.map((part) => asText(part[member]) ?? '').join('');
    this.#text(out, index, item.said.restOf(wholeOf('text')));
    this.#refuse(out, index, item.refused.restOf(wholeOf('refusal')));
    if (!this.#isCited && !item.isDone) {
      let { start } = item;
      for (const { annotations, text } of parts) {
        this.#cite(out, annotations, start);
        start += asText(text)?.length ?? 0;
      }
    }
    item.isDone = true;
    this.#items.close(out, item);
  }

  #finishReasoning(out: ChatEvent[], index: number, wire: JsonObject): void {
    const item = this.#item(out, index, 'reasoning');
    const decoded = decodeOutputItem(wire, 'output');
    if (decoded.type !== 'reasoning') return;
    if (item.said.isNothing) {
      decoded.texts.forEach((text, part) => {
        this.#reason(out, index, decoded.form, text, part);
      });
    }
    const sealed = asWord(wire.encrypted_content);
    if (sealed !== undefined) {
      const block = this.#items.openWords(out, item, decoded.form);
      out.push({ type: 'reasoning-signature', choice: 0, block, seal: unwrapSeal(sealed, 'openai-responses') });
    }
    this.#items.close(out, item);
  }

  #finishHosted(out: ChatEvent[], wire: JsonObject): void {
    const data = asWord(wire.result);
    if (wire.type === 'image_generation_call' && data !== undefined) {
      out.push(present({ type: 'image', choice: 0, mediaType: imageType(wire), data, id: asWord(wire.id) }));
    }
    const item = decodeOutputItem(wire, 'output');
    if (item.type === 'hosted') out.push({ type: 'hosted', choice: 0, item });
    this.#hasHosted = true;
    this.#hosted.add(wire);
    const tools = this.#hosted.counts();
    if (Object.keys(tools).length > 0) out.push({ type: 'tools-used', tools });
  }

  /** What was not told before the end: of what has begun its rest, and an answer, its words, calls or hosted items. */
  #rest(out: ChatEvent[], { output }: JsonObject): void {
    const hasHosted = this.#hasHosted;
    const hasWords = this.#told > 0;
    const hasCalls = this.#hasCalls;
    const isSilent = this.#items.isEmpty && !hasHosted;
    const items = [...asObjects(output).entries()];
    const finish = (index: number, wire: JsonObject) => {
      this.#finishItem(out, index, { wire, data: JSON.stringify({ item: wire }) });
    };
    for (const [index, wire] of items) {
      if (isCall(wire) && this.#call(this.#callIndexOf(index, wire))?.block !== undefined) finish(index, wire);
    }
    this.#items.closeCalls(out);
    for (const [index, wire] of items) {
      const isTold =
        wire.type === 'message'
          ? hasWords && this.#items.find('text', index)?.said.isNothing !== false
          : isCall(wire)
            ? hasCalls
            : hasHosted || wire.type === 'reasoning';
      if (isSilent || !isTold) finish(index, wire);
    }
    for (const [index, text] of this.#late) {
      if (this.#told === 0) this.#text(out, index, text);
      else this.#text(out, index, this.#items.find('text', index)?.said.restOf(text) ?? '');
    }
  }

  #end(out: ChatEvent[], response: JsonObject): void {
    this.#isOver = true;
    this.#rest(out, response);
    const usage = findResponsesUsage(response);
    if (usage !== undefined) {
      out.push({ type: 'usage', usage });
      // What was counted on the way stands back behind the upstream's own count.
      if (this.#hasHosted) out.push({ type: 'tools-used', tools: usage.tools });
    }
    const error = readReportedError(response);
    if (error !== undefined) {
      out.push({ type: 'error', error });
      return;
    }
    this.#items.closeWords(out);
    this.#items.closeCalls(out);
    out.push({ type: 'finish', choice: 0, finish: decodeFinish(response, this.#hasCalls) });
  }
}

/** Of a tool that the client runs. */
function isCall(wire: JsonObject): boolean {
  return entryOf(callKinds, asWord(wire.type) ?? '') !== undefined && wire.execution !== 'server';
}

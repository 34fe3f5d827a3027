/**
 * Messages events as canonical events.
 */
import type { Annotation, ChatEvent, ReportedError } from '../../canonical/chat.ts';
import { unwrapSeal } from '../../canonical/seal.ts';
import type { Machine, WireEvent } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asList, asNumber, asObject, asText, asWord, isEmptyPayload, parseJson, present } from '../fields.ts';
import { citationAt, decodeCitation, decodeRedacted } from './decode-blocks.ts';
import { decodeFinish, readReportedError } from './decode-response.ts';
import { isSearchResult, openingReport, overlayUsage, readAnthropicUsage } from './usage.ts';

export function decodeStream(): Machine<WireEvent, ChatEvent> {
  return new MessagesStreamDecoder();
}

/** The block that is open on the wire; blocks never overlap there. */
type OpenBlock =
  /** `start`: where it begins in the whole text; `citations`: told once the words that stand on them are known. */
  | { kind: 'text'; block: number; start: number; citations: Annotation[] }
  | { kind: 'reasoning'; block: number }
  | { kind: 'tool-call'; block: number; input: string | undefined }
  | { kind: 'hosted'; raw: JsonObject; input: string }
  | { kind: 'ignored' };

class MessagesStreamDecoder implements Machine<WireEvent, ChatEvent> {
  readonly #open = new Map<number, OpenBlock>();
  /** Where words were begun last: they end where another block begins, so none are open elsewhere. */
  #words: number | undefined;
  #next = 0;
  /** UTF-16 units of text so far, of all blocks. */
  #told = 0;
  #usage: JsonObject = {};
  #hasCalls = false;
  /** Searches whose results have come. */
  #searches = 0;
  #isStarted = false;
  #isFinished = false;
  /** What follows the last event belongs to another answer: some hosts that try again send both. */
  #isOver = false;

  push(input: WireEvent): ChatEvent[] {
    if (this.#isOver || isEmptyPayload(input.data)) return [];
    const event = asObject(parseJson(input.data));
    if (event === undefined) {
      const error: ReportedError = { code: 'bad_response_body', message: 'an event is not JSON', raw: {} };
      return [{ type: 'error', error }];
    }
    const error = readReportedError(event);
    if (error !== undefined) return [{ type: 'error', error }];
    const out: ChatEvent[] = [];
    switch (event.type) {
      case 'message_start':
        if (!this.#isStarted) this.#start(out, asObject(event.message) ?? {});
        break;
      case 'content_block_start':
        if (!this.#isFinished) this.#openBlock(out, asNumber(event.index) ?? 0, asObject(event.content_block) ?? {});
        break;
      case 'content_block_delta':
        this.#delta(out, asNumber(event.index) ?? 0, asObject(event.delta) ?? {});
        break;
      case 'content_block_stop':
        this.#closeBlock(out, asNumber(event.index) ?? 0);
        break;
      case 'message_delta':
        this.#messageDelta(out, event);
        break;
      case 'message_stop':
        // A host that names no reason meant to end here all the same.
        if (this.#next > 0) this.#finish(out, {});
        this.#isOver = this.#isFinished;
    }
    return out;
  }

  /** `message_delta` was the last word; an end without it is a broken stream. */
  end(): ChatEvent[] {
    return [];
  }

  fail(): ChatEvent[] {
    return [];
  }

  #start(out: ChatEvent[], message: JsonObject): void {
    this.#isStarted = true;
    this.#usage = overlayUsage(this.#usage, openingReport(message));
    const usage = readAnthropicUsage(this.#usage);
    const serviceTier = asWord(asObject(message.usage)?.service_tier);
    out.push(
      present({ type: 'message-start', id: asWord(message.id), model: asWord(message.model), serviceTier, usage }),
    );
    if (usage !== undefined) out.push({ type: 'usage', usage });
  }

  #openBlock(out: ChatEvent[], index: number, wire: JsonObject): void {
    if (!this.#isStarted) this.#start(out, {});
    this.#closeForgotten(out, index);
    if (wire.type === 'text' || wire.type === 'thinking' || wire.type === 'redacted_thinking') this.#words = index;
    switch (wire.type) {
      case 'text': {
        const block = this.#next++;
        const citations = asList(wire.citations).flatMap((citation) => decodeCitation(citation) ?? []);
        this.#open.set(index, { kind: 'text', block, start: this.#told, citations });
        out.push({ type: 'text-start', choice: 0, block });
        const text = asWord(wire.text);
        if (text !== undefined) this.#say(out, block, text);
        break;
      }
      case 'thinking': {
        const block = this.#next++;
        this.#open.set(index, { kind: 'reasoning', block });
        out.push({ type: 'reasoning-start', choice: 0, block, form: 'full' });
        const text = asWord(wire.thinking);
        if (text !== undefined) out.push({ type: 'reasoning-delta', choice: 0, block, text, part: 0 });
        const signature = asWord(wire.signature);
        if (signature !== undefined) this.#sign(out, block, signature);
        break;
      }
      case 'redacted_thinking': {
        const block = this.#next++;
        this.#open.set(index, { kind: 'reasoning', block });
        out.push({ type: 'reasoning-start', choice: 0, block, form: 'full' });
        out.push({ type: 'reasoning-signature', choice: 0, block, seal: decodeRedacted(wire) });
        break;
      }
      case 'tool_use': {
        const block = this.#next++;
        const whole = asObject(wire.input);
        // Some hosts give the whole input at once and no deltas.
        const input = whole !== undefined && Object.keys(whole).length > 0 ? JSON.stringify(whole) : undefined;
        this.#open.set(index, { kind: 'tool-call', block, input });
        this.#hasCalls = true;
        const callId = asWord(wire.id) ?? `toolu_${block}`;
        const name = asText(wire.name) ?? '';
        out.push({ type: 'tool-call-start', choice: 0, block, kind: 'function', callId, name });
        break;
      }
      default:
        this.#open.set(index, { kind: 'hosted', raw: wire, input: '' });
        if (!isSearchResult(wire)) break;
        this.#searches += 1;
        out.push({ type: 'tools-used', tools: { claude_web_search: this.#searches } });
    }
  }

  /** Some hosts leave out the end of a block: words end where another block begins, and a block where its place is taken. */
  #closeForgotten(out: ChatEvent[], index: number): void {
    this.#closeBlock(out, index);
    if (this.#words !== undefined) this.#closeBlock(out, this.#words);
    this.#words = undefined;
  }

  #say(out: ChatEvent[], block: number, text: string): void {
    this.#told += text.length;
    out.push({ type: 'text-delta', choice: 0, block, text });
  }

  #sign(out: ChatEvent[], block: number, data: string): void {
    out.push({ type: 'reasoning-signature', choice: 0, block, seal: unwrapSeal(data, 'anthropic-messages') });
  }

  #delta(out: ChatEvent[], index: number, delta: JsonObject): void {
    if (!this.#open.has(index)) this.#openUnsaid(out, index, delta.type);
    const open = this.#open.get(index);
    if (open === undefined) return;
    switch (delta.type) {
      case 'text_delta': {
        const text = asWord(delta.text);
        if (open.kind === 'text' && text !== undefined) this.#say(out, open.block, text);
        break;
      }
      case 'thinking_delta': {
        const text = asWord(delta.thinking);
        if (open.kind === 'reasoning' && text !== undefined) {
          out.push({ type: 'reasoning-delta', choice: 0, block: open.block, text, part: 0 });
        }
        break;
      }
      case 'signature_delta': {
        const signature = asWord(delta.signature);
        if (open.kind === 'reasoning' && signature !== undefined) this.#sign(out, open.block, signature);
        break;
      }
      case 'input_json_delta': {
        const text = asWord(delta.partial_json);
        if (text === undefined) break;
        if (open.kind === 'hosted') open.input += text;
        else if (open.kind === 'tool-call') {
          open.input = undefined;
          out.push({ type: 'tool-call-delta', choice: 0, block: open.block, text });
        }
        break;
      }
      case 'compaction_delta': {
        // The summary comes whole, and is sent back with the next question.
        const { type: _, ...summary } = delta;
        if (open.kind === 'hosted') open.raw = { ...open.raw, ...summary };
        break;
      }
      case 'citations_delta': {
        const citation = decodeCitation(delta.citation);
        if (open.kind === 'text' && citation !== undefined) open.citations.push(citation);
      }
    }
  }

  /** Words whose block was not begun, or ended where another began, stand in one of their own. */
  #openUnsaid(out: ChatEvent[], index: number, type: Json | undefined): void {
    if (this.#isFinished) return;
    if (type === 'text_delta') this.#openBlock(out, index, { type: 'text' });
    else if (type === 'thinking_delta') this.#openBlock(out, index, { type: 'thinking' });
  }

  #closeBlock(out: ChatEvent[], index: number): void {
    const open = this.#open.get(index);
    this.#open.delete(index);
    switch (open?.kind) {
      case 'text': {
        const place = { start: open.start, end: this.#told };
        for (const citation of open.citations) {
          out.push({ type: 'annotation', choice: 0, annotation: citationAt(citation, place) });
        }
        out.push({ type: 'text-end', choice: 0, block: open.block });
        break;
      }
      case 'reasoning':
        out.push({ type: 'reasoning-end', choice: 0, block: open.block });
        break;
      case 'tool-call':
        if (open.input !== undefined) {
          out.push({ type: 'tool-call-delta', choice: 0, block: open.block, text: open.input });
        }
        out.push({ type: 'tool-call-end', choice: 0, block: open.block });
        break;
      case 'hosted': {
        const input = open.input === '' ? undefined : parseJson(open.input);
        const raw = input === undefined ? open.raw : { ...open.raw, input };
        const name = asText(raw.type) ?? 'unknown';
        const item = { type: 'hosted', dialect: 'anthropic-messages', name, raw } as const;
        out.push({ type: 'hosted', choice: 0, item });
      }
    }
  }

  #messageDelta(out: ChatEvent[], event: JsonObject): void {
    this.#usage = overlayUsage(this.#usage, asObject(event.usage));
    const usage = readAnthropicUsage(this.#usage);
    if (usage !== undefined) out.push({ type: 'usage', usage });
    // What was counted on the way stands back behind the upstream's own count.
    const { claude_web_search = 0 } = usage?.tools ?? {};
    if (this.#searches > 0) out.push({ type: 'tools-used', tools: { claude_web_search } });
    const delta = asObject(event.delta) ?? {};
    if (asWord(delta.stop_reason) !== undefined) this.#finish(out, delta);
  }

  #finish(out: ChatEvent[], delta: JsonObject): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    if (!this.#isStarted) this.#start(out, {});
    for (const index of this.#open.keys()) this.#closeBlock(out, index);
    out.push({ type: 'finish', choice: 0, finish: decodeFinish(delta, this.#hasCalls) });
  }
}

/** Bedrock's stream events as events of Messages. */
import type { WireEvent } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asNumber, asObject, asText, asWord, parseJson } from '../fields.ts';
import { citationOf, stopWordOf, usageOf } from './decode-answer.ts';

/** Blocks begin unsaid unless they are calls, and usage comes after the stop. */
export class ConverseReader {
  readonly #open = new Set<number>();
  #hasBegun = false;
  /** Blocks of the host's own tools, which nobody is shown. */
  readonly #hidden = new Set<number>();
  #stop: string | undefined;

  push(event: WireEvent): WireEvent[] {
    const events = this.#read(event);
    if (this.#hasBegun || events.length === 0 || event.event === 'error') return events;
    this.#hasBegun = true;
    return event.event === 'messageStart' ? events : [opening, ...events];
  }

  #read(event: WireEvent): WireEvent[] {
    const body = asObject(parseJson(event.data));
    if (body === undefined) return [event];
    const index = asNumber(body.contentBlockIndex) ?? 0;
    switch (event.event) {
      case 'messageStart':
        return [opening];
      case 'contentBlockStart':
        return this.#begin(index, asObject(body.start) ?? {});
      case 'contentBlockDelta':
        return this.#hidden.has(index) ? [] : this.#delta(index, asObject(body.delta) ?? {});
      case 'contentBlockStop':
        return this.#open.delete(index) ? [told({ type: 'content_block_stop', index })] : [];
      case 'messageStop':
        this.#stop = stopWordOf(body.stopReason);
        return [];
      case 'metadata':
        return this.#finish(body.usage);
      default:
        return event.event === 'error' ? [event] : [];
    }
  }

  /** A stream that ends without its figures has still stopped. */
  end(): WireEvent[] {
    return this.#finish(undefined);
  }

  #begin(index: number, start: JsonObject): WireEvent[] {
    const call = asObject(start.toolUse);
    if (start.toolResult !== undefined || call?.type === 'server_tool_use') this.#hidden.add(index);
    if (call === undefined || this.#hidden.has(index)) return [];
    const block = { type: 'tool_use', id: call.toolUseId ?? '', name: call.name ?? '', input: {} };
    return this.#openBlock(index, block);
  }

  /** Begins a block; one that is still open ends by that. */
  #openBlock(index: number, block: JsonObject): WireEvent[] {
    const ended = [...this.#open].map((open) => told({ type: 'content_block_stop', index: open }));
    this.#open.clear();
    this.#open.add(index);
    return [...ended, told({ type: 'content_block_start', index, content_block: block })];
  }

  #delta(index: number, delta: JsonObject): WireEvent[] {
    const call = asObject(delta.toolUse);
    if (call !== undefined) {
      const input: JsonObject = { type: 'input_json_delta', partial_json: call.input ?? '' };
      return this.#open.has(index) ? [told({ type: 'content_block_delta', index, delta: input })] : [];
    }
    const thought = asObject(delta.reasoningContent);
    if (thought !== undefined) return this.#thought(index, thought);
    const citation = asObject(delta.citation);
    if (citation !== undefined)
      return this.#within(index, textBlock, { type: 'citations_delta', citation: citationOf(citation) });
    const text = asText(delta.text);
    return text === undefined ? [] : this.#within(index, textBlock, { type: 'text_delta', text });
  }

  #thought(index: number, thought: JsonObject): WireEvent[] {
    const hidden = asWord(thought.redactedContent);
    if (hidden !== undefined) return this.#openBlock(index, { type: 'redacted_thinking', data: hidden });
    const signature = asWord(thought.signature);
    const delta: JsonObject =
      signature === undefined
        ? { type: 'thinking_delta', thinking: thought.text ?? '' }
        : { type: 'signature_delta', signature };
    return this.#within(index, thoughtBlock, delta);
  }

  /** The delta, in a block that is begun where it was not. */
  #within(index: number, block: JsonObject, delta: JsonObject): WireEvent[] {
    const events = this.#open.has(index) ? [] : this.#openBlock(index, block);
    return [...events, told({ type: 'content_block_delta', index, delta })];
  }

  #finish(value: Json | undefined): WireEvent[] {
    const stop = this.#stop;
    const usage = usageOf(value);
    this.#stop = undefined;
    if (stop === undefined && usage === undefined) return [];
    const delta: JsonObject = stop === undefined ? {} : { stop_reason: stop };
    const events = [told({ type: 'message_delta', delta, ...(usage === undefined ? {} : { usage }) })];
    return stop === undefined ? events : [...events, told({ type: 'message_stop' })];
  }
}

const textBlock: JsonObject = { type: 'text', text: '' };
const thoughtBlock: JsonObject = { type: 'thinking', thinking: '' };
const opening = told({ type: 'message_start', message: { role: 'assistant' } });

function told(event: JsonObject): WireEvent {
  return { event: String(event.type), data: JSON.stringify(event) };
}

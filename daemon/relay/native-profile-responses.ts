/**
 * Responses streams on the native lane. Their first and last events repeat the whole request and answer, so nothing
 * here parses more of an event than it must.
 */
import type { ToolCounts } from './canonical/usage.ts';
import type { ClientError } from './error-body.ts';
import { failedReport } from './failure-body.ts';
import { asList, asNumber, asObject, asObjects, asText, asWord, entryOf } from './formats/fields.ts';
import { callWithoutResult, countToolCalls, findResponsesUsage } from './formats/openai-responses/usage.ts';
import { encodeSse } from './framing/sse.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import type { StreamEvent } from './native-events.ts';
import {
  type BreakRecord,
  type EventFacts,
  type StreamProfile,
  type StreamTail,
  silentEvent,
} from './native-profile.ts';
import { itemNames } from './stored-answer.ts';

const typePattern = /"type"\s*:\s*"([^"]+)"/;

/** The event's own type, which every server writes first or near it. */
function typeOf(event: StreamEvent): string {
  return typePattern.exec(event.payload.slice(0, 200))?.[1] ?? asWord(event.json?.type) ?? '';
}

const finishes: Readonly<Record<string, EventFacts['finish']>> = {
  'response.completed': 'natural',
  'response.failed': 'natural',
  'response.incomplete': 'cut',
};

function readEvent(event: StreamEvent): EventFacts | undefined {
  const type = typeOf(event);
  const finish = entryOf(finishes, type);
  if (finish !== undefined) return { ...silentEvent, finish, isSubstantial: saysSomething(event) };
  if (type === 'response.output_item.added') return readItem(asObject(event.json?.item));
  if (type.endsWith('partial_image')) return { ...silentEvent, hasMedia: true };
  if (type === 'response.output_text.done') return { ...silentEvent, isSubstantial: isText(event.json?.text) };
  if (!type.endsWith('.delta')) return type === '' ? undefined : silentEvent;
  const text = asText(event.json?.delta) ?? '';
  return { ...silentEvent, text, isSubstantial: text !== '' && type !== 'response.output_text.delta' };
}

/** Some servers tell words at their end alone, or with the whole answer; the deltas' are counted, these are not again. */
function saysSomething({ json }: StreamEvent): boolean {
  return asObjects(asObject(json?.response)?.output).some(
    ({ type, content, summary }) =>
      (type !== 'message' && type !== 'reasoning') ||
      [...asObjects(content), ...asObjects(summary)].some(({ text, refusal }) => isText(text) || isText(refusal)),
  );
}

function isText(value: Json | undefined): boolean {
  return (asText(value) ?? '').trim() !== '';
}

/** An item says what it is when it is added; its text follows in deltas. */
function readItem(item: JsonObject | undefined): EventFacts {
  const type = asWord(item?.type) ?? '';
  if (type === '' || type === 'message' || type === 'reasoning') return silentEvent;
  const isFunction = type === 'function_call' || type === 'custom_tool_call';
  const text = asText(item?.name) ?? '';
  return { ...silentEvent, text, toolCalls: isFunction ? 1 : 0, isSubstantial: true };
}

/** Above this much collected output a broken stream ends without repeating it. */
const MAX_RECORDED_LENGTH = 1024 * 1024;

/** Where a delta's text belongs inside its item. */
const deltaTargets: Readonly<Record<string, readonly string[]>> = {
  'response.output_text.delta': ['content', 'text'],
  'response.refusal.delta': ['content', 'refusal'],
  'response.reasoning_text.delta': ['content', 'text'],
  'response.reasoning_summary_text.delta': ['summary', 'text'],
  'response.function_call_arguments.delta': ['arguments'],
  'response.custom_tool_call_input.delta': ['input'],
};

/** Lists of an item that grow part by part. */
const partLists: Readonly<Record<string, 'content' | 'summary'>> = {
  'response.content_part.added': 'content',
  'response.reasoning_summary_part.added': 'summary',
};

/** Rebuilds the response as far as it came, for the `response.failed` of a stream that broke (REQ-10). */
class ResponseBreak implements BreakRecord {
  /** The first event, which has the response as it began; and the newest. Parsed only if the stream breaks. */
  #opening: StreamEvent | undefined;
  #latest: StreamEvent | undefined;
  #count = 0;
  #items = new Map<number, JsonObject>();
  #length = 0;
  /** Calls of hosted tools that are over. */
  #calls: JsonObject[] = [];

  add(event: StreamEvent): void {
    const type = typeOf(event);
    this.#opening ??= event;
    this.#latest = event;
    this.#count += 1;
    if (type === 'response.output_item.done') this.#noteCall(event);
    if (this.#length > MAX_RECORDED_LENGTH) return;
    if (type === 'response.output_item.added' || type === 'response.output_item.done') this.#addItem(event);
    else if (entryOf(partLists, type) !== undefined || entryOf(deltaTargets, type) !== undefined) {
      this.#addPart(type, event.json ?? {});
      // A part is kept as it came; of a delta only its words, which are counted there.
      if (entryOf(partLists, type) !== undefined) this.#length += event.payload.length;
    }
  }

  /** Pictures come in large events. */
  addLarge(event: StreamEvent): void {
    if (typeOf(event) === 'response.output_item.done') this.#noteCall(event);
  }

  tools(): ToolCounts | undefined {
    if (this.#calls.length === 0) return undefined;
    const { tools = null } = asObject(this.#opening?.json?.response) ?? {};
    return countToolCalls({ output: this.#calls, tools });
  }

  #noteCall({ json }: StreamEvent): void {
    const item = asObject(json?.item);
    if (item !== undefined && asWord(item.type)?.endsWith('_call') === true) this.#calls.push(callWithoutResult(item));
  }

  #addItem(event: StreamEvent): void {
    const at = asNumber(event.json?.output_index);
    const item = asObject(event.json?.item);
    if (at === undefined || item === undefined) return;
    this.#items.set(at, { ...item });
    this.#length += event.payload.length;
  }

  #addPart(type: string, event: JsonObject): void {
    const item = this.#items.get(asNumber(event.output_index) ?? -1);
    if (item === undefined) return;
    const growing = entryOf(partLists, type);
    if (growing !== undefined) {
      item[growing] = [...asList(item[growing]), { ...asObject(event.part) }];
      return;
    }
    const [list, member = list] = entryOf(deltaTargets, type) ?? [];
    if (list === undefined || member === undefined) return;
    const index = asNumber(event.content_index) ?? asNumber(event.summary_index) ?? 0;
    const owner = list === member ? item : asObject(asList(item[list])[index]);
    const delta = asText(event.delta) ?? '';
    if (owner !== undefined) owner[member] = (asText(owner[member]) ?? '') + delta;
    this.#length += delta.length;
  }

  end(error: ClientError, { model, isRenamed }: StreamTail): Buffer {
    const pieces: Buffer[] = [];
    let sequence = asNumber(this.#latest?.json?.sequence_number) ?? this.#count - 1;
    const write = (type: string, response: JsonObject) => {
      sequence += 1;
      pieces.push(encodeSse({ event: type, data: JSON.stringify({ type, sequence_number: sequence, response }) }));
    };
    const blank = { id: `resp_${'0'.repeat(32)}`, object: 'response', created_at: 0, status: 'in_progress', model };
    const begun = asObject(this.#opening?.json?.response) ?? { ...blank, error: null, output: [] };
    if (this.#opening === undefined) write('response.created', begun);
    write('response.failed', {
      ...begun,
      ...(isRenamed ? { model } : {}),
      status: 'failed',
      error: { code: error.code, message: error.message },
      output: this.#output(),
    });
    return Buffer.concat(pieces);
  }

  #output(): Json[] {
    if (this.#length > MAX_RECORDED_LENGTH) return [];
    const items = [...this.#items].sort(([a], [b]) => a - b).map(([, item]) => item);
    return items.map((item) => (item.status === 'in_progress' ? { ...item, status: 'incomplete' } : item));
  }
}

function isError(event: StreamEvent): boolean {
  const type = typeOf(event);
  if (type.startsWith('response.')) return type === 'response.failed';
  if (event.json !== undefined && failedReport(event.json) !== undefined) return true;
  return event.json?.type === 'error' || isObject(event.json?.error) || typeof event.json?.error === 'string';
}

export const responsesProfile: StreamProfile = {
  format: 'openai-responses',
  endMark: undefined,
  usageOnRequest: false,
  usageMark: Buffer.from('_token'),
  usageMember: /(?:^|[^\\])"(input|output|total)$/,
  finishMarks: ['"type":"response.completed"', '"type":"response.incomplete"'],
  usageReader: () => findResponsesUsage,
  hideUsage: () => [],
  readEvent,
  isError,
  storedResponse: (first) => asObject(first.json?.response),
  items: {
    bytes: Buffer.from('response.output_item.added"'),
    read: (event) => [itemNames(asObject(event.json?.item) ?? {})],
  },
  usageEvent: () => undefined,
  record: () => new ResponseBreak(),
};

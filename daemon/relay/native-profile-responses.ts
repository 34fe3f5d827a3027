/**
 * Responses streams on the native lane. Their first and last events repeat the whole request and answer, so nothing
 * here parses more of an event than it must.
 */
import type { ClientError } from './error-body.ts';
import { asList, asNumber, asObject, asText, asWord } from './formats/fields.ts';
import { findResponsesUsage } from './formats/openai-responses/usage.ts';
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
  const finish = finishes[type];
  if (finish !== undefined) return { ...silentEvent, finish };
  if (type === 'response.output_item.added') return readItem(asObject(event.json?.item));
  if (type.endsWith('partial_image')) return { ...silentEvent, hasMedia: true };
  if (!type.endsWith('.delta')) return type === '' ? undefined : silentEvent;
  const text = asText(event.json?.delta) ?? '';
  return { ...silentEvent, text, isSubstantial: text !== '' && type !== 'response.output_text.delta' };
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

/** Rebuilds the response as far as it came, for the `response.failed` of a stream that broke (REQ-10). */
class ResponseBreak implements BreakRecord {
  #response: JsonObject = {};
  #items = new Map<number, JsonObject>();
  #length = 0;
  #sequence = -1;

  add({ json: event }: StreamEvent): void {
    if (event === undefined) return;
    this.#sequence = asNumber(event.sequence_number) ?? this.#sequence;
    const response = asObject(event.response);
    if (response !== undefined) this.#response = response;
    const at = asNumber(event.output_index);
    if (at === undefined || this.#length > MAX_RECORDED_LENGTH) return;
    const item = asObject(event.item);
    if (item !== undefined) this.#items.set(at, structuredClone(item));
    else this.#addPart(this.#items.get(at), event);
    this.#length += asText(event.delta)?.length ?? 0;
  }

  #addPart(item: JsonObject | undefined, event: JsonObject): void {
    if (item === undefined) return;
    const type = asWord(event.type) ?? '';
    if (type === 'response.content_part.added' || type === 'response.reasoning_summary_part.added') {
      const list = type === 'response.content_part.added' ? 'content' : 'summary';
      const part = asObject(event.part);
      if (part !== undefined) item[list] = [...asList(item[list]), { ...part }];
      return;
    }
    const [list, member = list] = deltaTargets[type] ?? [];
    if (list === undefined || member === undefined) return;
    const index = asNumber(event.content_index) ?? asNumber(event.summary_index) ?? 0;
    const owner = list === member ? item : asObject(asList(item[list])[index]);
    if (owner !== undefined) owner[member] = (asText(owner[member]) ?? '') + (asText(event.delta) ?? '');
  }

  end(error: ClientError, { model, isRenamed }: StreamTail): Buffer {
    const pieces: Buffer[] = [];
    const write = (type: string, response: JsonObject) => {
      this.#sequence += 1;
      pieces.push(
        encodeSse({ event: type, data: JSON.stringify({ type, sequence_number: this.#sequence, response }) }),
      );
    };
    const blank = { id: `resp_${'0'.repeat(32)}`, object: 'response', created_at: 0, status: 'in_progress', model };
    const begun: JsonObject = this.#sequence < 0 ? { ...blank, error: null, output: [] } : this.#response;
    if (this.#sequence < 0) write('response.created', begun);
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
  return event.json?.type === 'error' || isObject(event.json?.error) || typeof event.json?.error === 'string';
}

export const responsesProfile: StreamProfile = {
  format: 'openai-responses',
  endMark: undefined,
  usageOnRequest: false,
  usageMark: Buffer.from('_token'),
  usageMember: /(?:^|[^\\])"(input|output|total)$/,
  finishMarks: ['"type":"response.completed"', '"type":"response.incomplete"'],
  readUsage: findResponsesUsage,
  hideUsage: () => [],
  readEvent,
  isError,
  storedId: (first) => asWord(asObject(first.json?.response)?.id),
  usageEvent: () => undefined,
  record: () => new ResponseBreak(),
};

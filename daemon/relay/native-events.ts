/**
 * Looks into slices of whole SSE events (as `SseSplitter` gives them) without parsing what nobody asks for.
 */
import { asAnswer, asWord, parseJson } from './formats/fields.ts';
import type { JsonObject } from './json.ts';
import { outlineOf } from './json-outline.ts';

/** One event inside a slice; `end` lies behind its blank line. */
export interface EventSpan {
  readonly start: number;
  readonly end: number;
}

/** A piece of a slice and what stands there instead. */
export interface SlicePatch extends EventSpan {
  readonly bytes: Buffer;
}

/** Larger events carry media; nobody reads the text of those, and nothing is parsed that needs not be. */
export const MAX_READ_EVENT_BYTES = 1024 * 1024;

const blankLine = Buffer.from('\n\n');
const lineFeed = 0x0a;
const space = 0x20;
const closeBrace = 0x7d;
export const nothing = Buffer.alloc(0);

/** Events of a slice in order. */
export function* eventsIn(slice: Buffer): Generator<EventSpan> {
  for (let start = 0; start < slice.length; ) {
    const found = slice.indexOf(blankLine, start);
    const end = found < 0 ? slice.length : found + 2;
    yield { start, end };
    start = end;
  }
}

const startsObject = /^\s*(?:\[\s*)?\{/;
const errorMark = Buffer.from('rror"');
const letter = { quote: 0x22, colon: 0x3a, e: 0x65, n: 0x6e } as const;

/** Events of a slice in which `error` is a whole word; each once, as whoever looks for failures reads all of it. */
export function* withErrorWord(slice: Buffer): Generator<EventSpan> {
  for (let at = slice.indexOf(errorMark); at >= 0; ) {
    let next = at + 1;
    if (isErrorWord(slice, at)) {
      const span = eventAround(slice, at);
      yield span;
      next = span.end;
    }
    at = slice.indexOf(errorMark, next);
  }
}

/** True for a member that is not null, or the value of one. */
function isErrorWord(slice: Buffer, at: number): boolean {
  if (slice[at - 1] !== letter.e || slice[at - 2] !== letter.quote) return false;
  let next = at + errorMark.length;
  while (slice[next] === space) next += 1;
  if (slice[next] !== letter.colon) return true;
  next += 1;
  while (slice[next] === space) next += 1;
  return slice[next] !== letter.n;
}

/** The end of `base_resp`, the report in which MiniMax tells also of failures: begins with a rare byte. */
const reportMark = Buffer.from('_resp"');

/** Events of a slice that carry such a report. */
export function* withReport(slice: Buffer): Generator<EventSpan> {
  for (let at = slice.indexOf(reportMark); at >= 0; ) {
    const span = eventAround(slice, at);
    yield span;
    at = slice.indexOf(reportMark, span.end);
  }
}

/** Events of a slice from its end on, as long as they are without the mark. */
export function* lastWithout(mark: Buffer, slice: Buffer): Generator<EventSpan> {
  for (let end = slice.length; end > 2; ) {
    const before = slice.lastIndexOf(blankLine, end - 3);
    const start = before < 0 ? 0 : before + 2;
    if (slice.subarray(start, end).includes(mark)) return;
    yield { start, end };
    end = start;
  }
}

/** The event that holds the byte at `at`. */
export function eventAround(slice: Buffer, at: number): EventSpan {
  const before = at === 0 ? -1 : slice.lastIndexOf(blankLine, at - 1);
  const after = slice.indexOf(blankLine, at);
  return { start: before < 0 ? 0 : before + 2, end: after < 0 ? slice.length : after + 2 };
}

/**
 * One event of a slice, decoded and parsed when first asked and then remembered. Of one above `MAX_READ_EVENT_BYTES` it
 * shows the outline, long strings cut short; `payloadOf` gives all of it.
 */
export class StreamEvent {
  #slice: Buffer;
  readonly #span: EventSpan;
  #payload: string | undefined;
  #json: JsonObject | 'none' | undefined;

  constructor(slice: Buffer, span: EventSpan) {
    this.#slice = slice;
    this.#span = span;
  }

  /** The text of its `data:` lines. */
  get payload(): string {
    if (this.#payload === undefined) {
      const { start, end } = this.#span;
      const isLarge = end - start > MAX_READ_EVENT_BYTES;
      const bytes = isLarge ? outlineOf(this.#slice.subarray(start, end)) : this.#slice;
      this.#payload = payloadOf(bytes, isLarge ? { start: 0, end: bytes.length } : this.#span);
      // An event that is kept must not keep the whole chunk that it came in.
      this.#slice = nothing;
    }
    return this.#payload;
  }

  /** The payload as a JSON object, or the error in a list of one; undefined for end marks and for what is no JSON. */
  get json(): JsonObject | undefined {
    // Not left to the parser: what it throws at the end mark of every stream costs a twentieth of the whole call.
    this.#json ??= (startsObject.test(this.payload) ? asAnswer(parseJson(this.payload)) : undefined) ?? 'none';
    return this.#json === 'none' ? undefined : this.#json;
  }
}

/** The whole text of an event's `data:` lines. */
export function payloadOf(slice: Buffer, event: EventSpan): string {
  const text = slice.toString('utf8', event.start, event.end).trimEnd();
  if (text.startsWith('data:') && !text.includes('\n')) return text.slice(text[5] === ' ' ? 6 : 5);
  return text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(line[5] === ' ' ? 6 : 5))
    .join('\n');
}

/** As `payloadOf`, in bytes, of which the text of a picture makes no copy. */
export function payloadBytes(slice: Buffer, event: EventSpan): Buffer {
  let end = event.end;
  while (end > event.start && (slice[end - 1] ?? 0) <= space) end -= 1;
  const line = slice.subarray(event.start, end);
  if (line[0] !== dataInitial || !isField(line, 0) || line.includes(lineFeed))
    return Buffer.from(payloadOf(slice, event));
  return line.subarray(line[5] === space ? 6 : 5);
}

/** The slice with patches put in; they must not overlap and must be in order. */
export function patched(slice: Buffer, patches: readonly SlicePatch[]): Buffer {
  const [first] = patches;
  if (first === undefined) return slice;
  // Most often one event near the end of the slice goes: moving the few bytes behind it beats copying the rest.
  if (patches.length === 1 && first.bytes.length === 0) {
    slice.copyWithin(first.start, first.end);
    return slice.subarray(0, slice.length - (first.end - first.start));
  }
  const pieces: Buffer[] = [];
  let from = 0;
  for (const patch of patches) {
    pieces.push(slice.subarray(from, patch.start), patch.bytes);
    from = patch.end;
  }
  pieces.push(slice.subarray(from));
  return Buffer.concat(pieces);
}

const dataInitial = 0x64;
const rareFields = ['event:', 'id:', 'retry:'].map((field) => Buffer.from(field));

/** Whether a line at that place begins with the name of a field. Nearly all are data, so that is looked for by hand. */
function isField(slice: Buffer, at: number): boolean {
  if (slice[at] === dataInitial) {
    return slice[at + 1] === 0x61 && slice[at + 2] === 0x74 && slice[at + 3] === 0x61 && slice[at + 4] === 0x3a;
  }
  return rareFields.some((field) => field.every((byte, index) => slice[at + index] === byte));
}

/** Whether a line of data has something to say, as far as its first two characters tell. */
function saysSomething(slice: Buffer, at: number): boolean {
  const first = slice[at + 5] ?? 0;
  return slice[at] === dataInitial && (first > space || (first === space && (slice[at + 6] ?? 0) > space));
}

/** True when every line is a field, every event says something, and no blank line is too many. */
function holdsFieldsAlone(slice: Buffer): boolean {
  let isSaid = false;
  for (let start = 0; start < slice.length; ) {
    if (!isField(slice, start)) return false;
    isSaid ||= saysSomething(slice, start);
    const end = slice.indexOf(lineFeed, start);
    if (end < 0) return isSaid;
    start = end + 1;
    if (slice[start] !== lineFeed) continue;
    if (!isSaid) return false;
    isSaid = false;
    start += 1;
  }
  return true;
}

/**
 * The slice without comments, lines of no field and events without a payload. Readers of events should pass over all of
 * these, but an upstream, or a proxy before it, may put into lines what clients must not see, such as its address, and the
 * official libraries fail at an empty payload, with which some hosts keep a stream alive.
 */
export function fieldsAlone(slice: Buffer): Buffer {
  if (holdsFieldsAlone(slice)) return slice;
  const kept: string[] = [];
  for (const event of slice.toString('latin1').split('\n\n')) {
    const lines = event.split('\n').filter((line) => /^(data|event|id|retry):/.test(line));
    if (lines.some((line) => /^data:\s*\S/.test(line))) kept.push(`${lines.join('\n')}\n\n`);
  }
  return Buffer.from(kept.join(''), 'latin1');
}

/**
 * True for what the upstream broke off within: a last event of a payload that is neither JSON nor an end mark, or of none,
 * at which clients' libraries fail as at half of one.
 */
export function isTorn(rest: Buffer): boolean {
  const event = new StreamEvent(rest, { start: 0, end: rest.length });
  return !isEndMark(event) && parseJson(event.payload) === undefined;
}

/** True for what only events of OpenAI's and Anthropic's dialects say; ask it of one that is none of the expected. */
export function opensAnotherDialect({ json }: StreamEvent): boolean {
  return Array.isArray(json?.choices) || /^(response\.|message_start$)/.test(asWord(json?.type) ?? '');
}

const endMark = '[DONE]';

/** The end mark, or the first of several; with the fields that a server gives to all its events. */
export function endMarkIn(slice: Buffer): EventSpan | undefined {
  for (let at = slice.indexOf(endMark); at >= 0; ) {
    const span = eventAround(slice, at);
    if (isEndMark(new StreamEvent(slice, span))) return span;
    at = slice.indexOf(endMark, span.end);
  }
  return undefined;
}

/** True where the slice may hold an end mark: its last line is no JSON object, as that of nearly every slice is. */
export function mayEnd(slice: Buffer): boolean {
  let last = slice.length - 1;
  while (last > 0 && (slice[last] ?? 0) <= space) last -= 1;
  return last >= 0 && slice[last] !== closeBrace;
}

function isEndMark({ payload }: StreamEvent): boolean {
  return payload.trim() === endMark;
}

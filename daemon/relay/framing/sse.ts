/**
 * Server-sent events: bytes to events and back (relay.md 17.4). The parser decodes, for lanes that translate; the
 * splitter never does, for the native lane. Both take the bytes cut anywhere. Knows nothing of any format's payload.
 */
import { StringDecoder } from 'node:string_decoder';
import { TollgateError } from '../../errors.ts';
import type { WireEvent } from '../format.ts';
import { PieceList } from './piece-list.ts';

/** Longest event in bytes (for the parser: characters): base64 images arrive as one line. */
export const MAX_EVENT_LENGTH = 64 * 1024 * 1024;

/** Characters from which events are written into place: joined first they would be copied once more. */
const MANY_CHARACTERS = 1024 * 1024;

/** Bytes of one event; a payload with line breaks becomes several `data:` lines. */
export function encodeSse(event: WireEvent): Buffer {
  return encodeEvents([event]);
}

/** As `encodeSse`, of any number of events. */
export function encodeEvents(events: readonly WireEvent[]): Buffer {
  const texts: string[] = [];
  let length = 0;
  for (const { event, data } of events) {
    const lines = data.includes('\n') ? data.replaceAll('\n', '\ndata: ') : data;
    length += lines.length;
    texts.push(event === undefined ? 'data: ' : `event: ${event}\ndata: `, lines, '\n\n');
  }
  if (length < MANY_CHARACTERS) return Buffer.from(texts.join(''));
  const bytes = Buffer.allocUnsafeSlow(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  let written = 0;
  for (const text of texts) written += bytes.write(text, written);
  return bytes;
}

const lineFeed = 0x0a;
const dataMark = 'data: ';
/** What stands between the payloads of two events of one line each. */
const joint = `\n\n${dataMark}`;

/** Takes events as they are read. */
export interface EventTaker {
  take(event: WireEvent): void;
  /**
   * Asked where a payload begins, as `TextFrame.run`: takes as many whole events as it likes and answers where the
   * payload of the next one begins.
   */
  takeRun(text: string, start: number, joint: string): number;
}

/** Whether a line of data begins there. `startsWith` takes several times as long. */
function isData(text: string, at: number): boolean {
  for (let index = 0; index < dataMark.length; index += 1) {
    if (text.charCodeAt(at + index) !== dataMark.charCodeAt(index)) return false;
  }
  return true;
}

function tooLong(): TollgateError {
  return new TollgateError('bad_response_body', {}, { cause: new Error(`an event exceeds ${MAX_EVENT_LENGTH} bytes`) });
}

class EventList implements EventTaker {
  readonly events: WireEvent[] = [];

  take(event: WireEvent): void {
    this.events.push(event);
  }

  takeRun(_text: string, start: number): number {
    return start;
  }
}

/**
 * Bytes in, events out. A UTF-8 character, a line end or an event may be cut at any byte. `push` and `end` throw
 * `bad_response_body` when one event exceeds `MAX_EVENT_LENGTH`.
 */
export class SseParser {
  // A `TextDecoder` takes several times as long when it is fed piece by piece.
  readonly #decoder = new StringDecoder('utf8');
  #isBegun = false;
  /** Pieces of the line that has not ended yet; joined once, so that a long line costs linear time. */
  #line: string[] = [];
  /** Of all lines since the last event; 0 between events. */
  #length = 0;
  #skipLineFeed = false;
  #event: string | undefined;
  #data: string | undefined;
  #meta: string | undefined;

  push(chunk: Uint8Array): WireEvent[] {
    const list = new EventList();
    this.feed(chunk, list);
    return list.events;
  }

  /** As `push`, each event handed over before the next one is read. */
  feed(chunk: Uint8Array, taker: EventTaker): void {
    let text = this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    if (!this.#isBegun && text !== '') {
      this.#isBegun = true;
      if (text.startsWith('\ufeff')) text = text.slice(1);
    }
    this.#read(text, taker);
  }

  /** What the body's end completes: a last event without its blank line counts. */
  end(): WireEvent[] {
    const list = new EventList();
    this.#read(this.#decoder.end(), list);
    if (this.#line.length > 0) this.#endLine('', list);
    this.#dispatch(list);
    return list.events;
  }

  #read(text: string, taker: EventTaker): void {
    let start = 0;
    if (this.#skipLineFeed && text !== '') {
      if (text.startsWith('\n')) start = 1;
      this.#skipLineFeed = false;
    }
    const hasReturns = text.includes('\r');
    while (start < text.length) {
      const feed = text.indexOf('\n', start);
      // Nearly every event is this: one line of data and a blank line, whole in one piece.
      const isWhole = feed > start && text.charCodeAt(feed + 1) === lineFeed && !hasReturns && this.#length === 0;
      if (isWhole && isData(text, start)) {
        const payload = start + dataMark.length;
        const next = taker.takeRun(text, payload, joint);
        if (next > payload) {
          start = next - dataMark.length;
          continue;
        }
        if (feed - start > MAX_EVENT_LENGTH) throw tooLong();
        taker.take({ data: text.slice(payload, feed) });
        start = feed + 2;
        continue;
      }
      const carriage = hasReturns ? text.indexOf('\r', start) : -1;
      const isReturn = carriage >= 0 && (feed < 0 || carriage < feed);
      const stop = isReturn ? carriage : feed;
      if (stop < 0) break;
      this.#endLine(text.slice(start, stop), taker);
      start = stop + 1;
      if (isReturn && start === text.length) this.#skipLineFeed = true;
      else if (isReturn && feed === start) start += 1;
    }
    if (start < text.length) {
      this.#line.push(text.slice(start));
      this.#count(text.length - start);
    }
  }

  #count(length: number): void {
    this.#length += length;
    if (this.#length > MAX_EVENT_LENGTH) throw tooLong();
  }

  #endLine(rest: string, taker: EventTaker): void {
    let line = rest;
    if (this.#line.length > 0) {
      this.#line.push(rest);
      line = this.#line.join('');
      this.#line = [];
    }
    this.#count(rest.length);
    if (line === '') this.#dispatch(taker);
    else this.#readField(line);
  }

  #readField(line: string): void {
    const colon = line.indexOf(':');
    if (colon <= 0) return;
    const name = line.slice(0, colon);
    if (name !== 'data' && name !== 'event' && name !== 'meta') return;
    const value = line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'event') this.#event = value;
    else if (name === 'meta') this.#meta = value;
    else this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
  }

  #dispatch(taker: EventTaker): void {
    if (this.#data !== undefined) {
      const event: WireEvent =
        this.#event === undefined ? { data: this.#data } : { event: this.#event, data: this.#data };
      if (this.#meta !== undefined) event.meta = this.#meta;
      taker.take(event);
    }
    this.#event = undefined;
    this.#data = undefined;
    this.#meta = undefined;
    this.#length = 0;
  }
}

const carriageReturn = 0x0d;
const blankLine = Buffer.from('\n\n');
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Cuts a stream of bytes after whole events without decoding it: each `push` gives all events that are complete by
 * now as one slice, with `\n` as the only line end, and holds back nothing but an incomplete event.
 */
export class SseSplitter {
  readonly #held = new PieceList();
  #started = false;
  #afterReturn = false;

  /** Undefined while no event is complete. Throws `bad_response_body` for an event above `MAX_EVENT_LENGTH`. */
  push(chunk: Buffer): Buffer | undefined {
    const bytes = this.#afterReturn || chunk.indexOf(carriageReturn) >= 0 ? this.#unifyLineEnds(chunk) : chunk;
    const boundary = this.#boundary(bytes);
    if (boundary === 0) {
      this.#hold(bytes);
      return undefined;
    }
    const head = boundary === bytes.length ? bytes : bytes.subarray(0, boundary);
    const whole = this.#take(head);
    if (boundary < bytes.length) this.#hold(bytes.subarray(boundary));
    return whole;
  }

  /** The last event if the body ended without its blank line, completed by one. */
  end(): Buffer | undefined {
    if (this.#held.length === 0) return undefined;
    const rest = this.#take(Buffer.alloc(0));
    const text = rest[rest.length - 1] === lineFeed ? '\n' : '\n\n';
    return Buffer.concat([rest, Buffer.from(text)]);
  }

  /** Index behind the last blank line in `bytes`, seen together with what is held; 0 when there is none. */
  #boundary(bytes: Buffer): number {
    const length = bytes.length;
    if (length >= 2 && bytes[length - 1] === lineFeed && bytes[length - 2] === lineFeed) return length;
    const inside = bytes.lastIndexOf(blankLine);
    if (inside >= 0) return inside + 2;
    if (bytes[0] !== lineFeed) return 0;
    return this.#held.length === 0 || this.#held.lastByte === lineFeed ? 1 : 0;
  }

  #hold(bytes: Buffer): void {
    this.#held.push(bytes);
    if (this.#held.length > MAX_EVENT_LENGTH) throw tooLong();
  }

  #take(head: Buffer): Buffer {
    let whole = head;
    if (this.#held.length > 0) {
      this.#held.push(head);
      whole = this.#held.take();
    }
    if (!this.#started) {
      this.#started = true;
      if (whole.length >= 3 && whole.compare(byteOrderMark, 0, 3, 0, 3) === 0) return whole.subarray(3);
    }
    return whole;
  }

  #unifyLineEnds(chunk: Buffer): Buffer {
    const out = Buffer.allocUnsafe(chunk.length);
    let length = 0;
    for (const byte of chunk) {
      const isFeedOfPair = byte === lineFeed && this.#afterReturn;
      this.#afterReturn = byte === carriageReturn;
      if (!isFeedOfPair) out[length++] = byte === carriageReturn ? lineFeed : byte;
    }
    return out.subarray(0, length);
  }
}

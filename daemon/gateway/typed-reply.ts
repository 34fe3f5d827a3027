/**
 * What an answer is by its first bytes, where its head says otherwise. Hosts that imitate a vendor send their event
 * streams as plain text, as JSON or without any type, and whole bodies as event streams.
 */
import type { Capability } from '../relay/format.ts';
import { SseParser } from '../relay/framing/sse.ts';
import type { ReplyHeaders, ReplyReceiver, TransportError } from '../upstream/transport.ts';
import { isSound } from './call-streams.ts';

/** So much of a refusal's body is read. */
export const MAX_ERROR_BYTES = 1024 * 1024;
/** Bytes that are looked at: blank lines, and the name of a field behind them. */
const MOST_HELD_BYTES = 256;
/** Of a body under the type of a stream, before it counts as none. */
const MOST_HELD_JSON_BYTES = 1024 * 1024;
const nothing = Buffer.alloc(0);
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const fields = ['data:', 'event:', 'id:', 'retry:', ':'];
const fieldLine = /^(?:data|event|id|retry):/m;
const eventStream = /^text\/event-stream/i;
const control = /[^\P{Cc}\s]/u;
/** What is answered with text of any kind, which may look like the lines of an event. */
const heard: ReadonlySet<Capability> = new Set(['transcription', 'translation']);

/** Beginnings of a page: of a proxy that asks to sign in, say. */
const pages = ['<!doctype html', '<html'];

type Content = 'events' | 'json' | 'page' | 'other';

/** Passes an answer on. Where its first bytes contradict its head, the receiver is told a second head before them. */
export class TypedReply implements ReplyReceiver {
  readonly #receiver: ReplyReceiver;
  readonly #mayBeEvents: boolean;
  readonly #speaks: boolean;
  #status = 0;
  #headers: ReplyHeaders = {};
  /** Bytes that settle nothing yet; undefined once it is settled. */
  #held: Buffer | undefined = nothing;

  constructor(receiver: ReplyReceiver, capability: Capability) {
    this.#receiver = receiver;
    this.#mayBeEvents = !heard.has(capability);
    this.#speaks = capability === 'speech';
  }

  onHead(status: number, headers: ReplyHeaders): void {
    this.#status = status;
    this.#headers = headers;
    this.#receiver.onHead(status, headers);
  }

  onData(chunk: Buffer): void {
    if (this.#held === undefined) {
      this.#receiver.onData(chunk);
      return;
    }
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const content = contentOf(this.#held);
    if (content === 'json' && this.#isStream) this.#settleLate(this.#held);
    else if (content !== undefined) this.#settle(content);
    else if (this.#held.length > MOST_HELD_BYTES) this.#settle('other');
  }

  onEnd(): void {
    this.#settle(contentOf(this.#held ?? nothing) ?? 'other');
    this.#receiver.onEnd();
  }

  onError(error: TransportError): void {
    this.#settle('other');
    this.#receiver.onError(error);
  }

  /** Events may follow a line that is none of theirs. */
  #settleLate(held: Buffer): void {
    if (fieldLine.test(held.toString('latin1'))) this.#settle('events');
    else if (held.length > MOST_HELD_JSON_BYTES) this.#settle('json');
  }

  #settle(content: Content): void {
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined || held.length === 0) return;
    const type = this.#typeFor(content, held);
    if (type !== undefined) this.#receiver.onHead(this.#status, { ...this.#headers, 'content-type': type });
    this.#receiver.onData(isMarked(held) ? held.subarray(byteOrderMark.length) : held);
  }

  /** Undefined where the head's own type will do. */
  #typeFor(content: Content, held: Buffer): string | undefined {
    if (content === 'json') return this.#isStream || this.#isToldAsSound(held) ? 'application/json' : undefined;
    if (content === 'page') return this.#isToldAsSound(held) ? 'text/html' : undefined;
    return content === 'events' && !this.#isStream && this.#mayBeEvents ? 'text/event-stream' : undefined;
  }

  /** A refusal or a page under the type of the sound that was asked for. Samples may begin so, but are no text. */
  #isToldAsSound(held: Buffer): boolean {
    return this.#speaks && isSound(this.#type) && !control.test(held.toString('utf8', 0, MOST_HELD_BYTES));
  }

  get #type(): string {
    return this.#headers['content-type'] ?? '';
  }

  get #isStream(): boolean {
    return eventStream.test(this.#type);
  }
}

function isMarked(bytes: Buffer): boolean {
  return bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark);
}

/** Undefined while the bytes may still become anything. */
function contentOf(bytes: Buffer): Content | undefined {
  const text = bytes.toString('latin1', isMarked(bytes) ? byteOrderMark.length : 0, MOST_HELD_BYTES).trimStart();
  if (text === '' || byteOrderMark.toString('latin1').startsWith(text)) return undefined;
  if (text.startsWith('{') || text.startsWith('[')) return 'json';
  if (fields.some((field) => text.startsWith(field))) return 'events';
  const opening = text.slice(0, 16).toLowerCase();
  if (pages.some((page) => opening.startsWith(page))) return 'page';
  const isBeginning = fields.some((field) => field.startsWith(text)) || pages.some((page) => page.startsWith(opening));
  return isBeginning ? undefined : 'other';
}

/** The words of a refusal; some hosts of streams put them into an event. */
export function refusalText(bytes: Buffer): string {
  if (contentOf(bytes) !== 'events') return bytes.toString('utf8');
  const parser = new SseParser();
  const events = [...parser.push(bytes), ...parser.end()].filter(({ data }) => data !== '' && data !== '[DONE]');
  const told = events.find(({ event }) => event === 'error') ?? events[0];
  return told?.data ?? bytes.toString('utf8');
}

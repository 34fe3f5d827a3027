/**
 * The event stream to one client: a single writer of whole events, keep-alive comments in the pauses, and a limit for
 * clients that do not read (relay.md 17.4).
 */

import { eventsIn, payloadBytes } from '../relay/native-events.ts';
import type { Deadlines, Watched } from '../upstream/deadlines.ts';
import type { Sink, StreamFraming, Surface } from './exchange.ts';

const EVENT_STREAM = 'text/event-stream; charset=utf-8';

export interface ClientStreamConfig {
  readonly surface: Surface;
  readonly framing: StreamFraming;
  /** Of a stream of bytes; events and arrays have their own. */
  readonly contentType?: string | undefined;
  /** Silence after which a keep-alive is written; 0 = never. */
  readonly pingMs: number;
  /** A client that does not drain for this long counts as gone. */
  readonly writeTimeoutMs: number;
}

const CONTENT_TYPES: Readonly<Record<StreamFraming, string>> = {
  sse: EVENT_STREAM,
  'json-array': 'application/json; charset=utf-8',
  raw: 'application/octet-stream',
};

/** A comment, where the protocol has no event for it. */
const PING = Buffer.from(': PING\n\n');
const PINGS: Partial<Readonly<Record<Surface, Buffer>>> = {
  anthropic: Buffer.from('event: ping\ndata: {"type": "ping"}\n\n'),
};

const ARRAY_START = Buffer.from('[');
const ARRAY_SEAM = Buffer.from(',\r\n');
/** Between the elements of an array white space says nothing. */
const ARRAY_PING = Buffer.from(' ');

function pingOf({ framing, surface }: ClientStreamConfig): Buffer {
  return framing === 'json-array' ? ARRAY_PING : (PINGS[surface] ?? PING);
}

const WAITING = Buffer.from(': WAITING FOR UPSTREAM\n\n');
const WAITING_MS = 5000;

export class ClientStream implements Watched {
  readonly #sink: Sink;
  readonly #config: ClientStreamConfig;
  readonly #deadlines: Deadlines;
  readonly #place: number;
  #ping: Buffer;
  #pingMs: number;
  #contentSent = false;
  #elements = 0;
  #blockedSinceMs: number | undefined;
  #lastWriteMs: number;
  #over = false;

  constructor(sink: Sink, config: ClientStreamConfig, deadlines: Deadlines) {
    this.#sink = sink;
    this.#config = config;
    this.#deadlines = deadlines;
    this.#ping = pingOf(config);
    this.#pingMs = config.framing === 'raw' ? 0 : config.pingMs;
    this.#place = deadlines.watch(this);
    this.#lastWriteMs = deadlines.nowMs;
  }

  /** Bytes of the answer have been written; comments do not count. */
  get contentSent(): boolean {
    return this.#contentSent;
  }

  /** Writes a piece of the answer. False: hold on until `onDrain`. */
  write(bytes: Buffer): boolean {
    if (!this.#contentSent) {
      this.#contentSent = true;
      this.#ping = pingOf(this.#config);
      this.#pingMs = this.#config.framing === 'raw' ? 0 : this.#config.pingMs;
    }
    return this.#put(this.#config.framing === 'json-array' ? this.#elementsOf(bytes) : bytes);
  }

  /** Tells the client at once, and every few seconds, that its answer is being made in one piece (relay.md 5.3). */
  keepWaiting(): void {
    if (this.#ping === WAITING || this.#config.framing !== 'sse') return;
    this.#ping = WAITING;
    this.#pingMs = WAITING_MS;
    this.#put(WAITING);
  }

  onDrain(listener: () => void): void {
    this.#sink.onDrain(() => {
      this.#blockedSinceMs = undefined;
      listener();
    });
  }

  /** Ends the stream; the last bytes of an answer go with it. */
  end(last?: Buffer): void {
    if (last !== undefined) this.write(last);
    if (this.#config.framing === 'json-array') this.#put(Buffer.from(this.#elements === 0 ? '[]' : ']'));
    this.close();
    this.#sink.end();
  }

  /** Ends a stream that broke; bytes that are no events have no word for it but a broken connection (relay.md 4.6). */
  breakOff(last: Buffer): void {
    if (this.#config.framing !== 'raw') {
      this.end(last);
      return;
    }
    this.close();
    this.#sink.destroy();
  }

  /** Stops keep-alives and the watch over the client; writes nothing. */
  close(): void {
    this.#over = true;
    this.#deadlines.forget(this, this.#place);
  }

  check(nowMs: number): void {
    if (this.#blockedSinceMs !== undefined) {
      if (nowMs - this.#blockedSinceMs >= this.#config.writeTimeoutMs) this.#sink.destroy();
    } else if (this.#pingMs > 0 && nowMs - this.#lastWriteMs >= this.#pingMs) {
      this.#put(this.#ping);
    }
  }

  /** Whole events as the next elements of the array. */
  #elementsOf(events: Buffer): Buffer {
    const pieces: Buffer[] = [];
    for (const span of eventsIn(events)) {
      const payload = payloadBytes(events, span);
      if (payload.length === 0) continue;
      pieces.push(this.#elements === 0 ? ARRAY_START : ARRAY_SEAM, payload);
      this.#elements += 1;
    }
    return Buffer.concat(pieces);
  }

  #put(bytes: Buffer): boolean {
    if (this.#over || bytes.length === 0) return true;
    const { framing, contentType = CONTENT_TYPES[framing] } = this.#config;
    if (!this.#sink.headersSent) this.#sink.start(200, contentType);
    this.#lastWriteMs = this.#deadlines.nowMs;
    const taken = this.#sink.write(bytes);
    if (!taken) this.#blockedSinceMs ??= this.#deadlines.nowMs;
    return taken;
  }
}

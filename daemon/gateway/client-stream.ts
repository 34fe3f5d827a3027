/**
 * The event stream to one client: a single writer of whole events, keep-alive comments in the pauses, and a limit for
 * clients that do not read (relay.md 17.4).
 */
import type { Deadlines, Watched } from '../upstream/deadlines.ts';
import type { Sink, Surface } from './exchange.ts';

export const EVENT_STREAM = 'text/event-stream; charset=utf-8';

export interface ClientStreamConfig {
  readonly surface: Surface;
  /** Silence after which a keep-alive is written; 0 = never. */
  readonly pingMs: number;
  /** A client that does not drain for this long counts as gone. */
  readonly writeTimeoutMs: number;
}

const PINGS: Readonly<Record<Surface, Buffer>> = {
  openai: Buffer.from(': PING\n\n'),
  anthropic: Buffer.from('event: ping\ndata: {"type": "ping"}\n\n'),
  gemini: Buffer.from(': PING\n\n'),
};

const WAITING = Buffer.from(': WAITING FOR UPSTREAM\n\n');
const WAITING_MS = 5000;

export class ClientStream implements Watched {
  readonly #sink: Sink;
  readonly #config: ClientStreamConfig;
  readonly #deadlines: Deadlines;
  #ping: Buffer;
  #pingMs: number;
  #contentSent = false;
  #blockedSinceMs: number | undefined;
  #lastWriteMs: number;
  #over = false;

  constructor(sink: Sink, config: ClientStreamConfig, deadlines: Deadlines) {
    this.#sink = sink;
    this.#config = config;
    this.#deadlines = deadlines;
    this.#ping = PINGS[config.surface];
    this.#pingMs = config.pingMs;
    deadlines.watch(this);
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
      this.#ping = PINGS[this.#config.surface];
      this.#pingMs = this.#config.pingMs;
    }
    return this.#put(bytes);
  }

  /** Tells the client at once, and every few seconds, that its answer is being made in one piece (relay.md 5.3). */
  keepWaiting(): void {
    if (this.#ping === WAITING) return;
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
    this.close();
    this.#sink.end();
  }

  /** Stops keep-alives and the watch over the client; writes nothing. */
  close(): void {
    this.#over = true;
    this.#deadlines.forget(this);
  }

  check(nowMs: number): void {
    if (this.#blockedSinceMs !== undefined) {
      if (nowMs - this.#blockedSinceMs >= this.#config.writeTimeoutMs) this.#sink.destroy();
    } else if (this.#pingMs > 0 && nowMs - this.#lastWriteMs >= this.#pingMs) {
      this.#put(this.#ping);
    }
  }

  #put(bytes: Buffer): boolean {
    if (this.#over) return true;
    if (!this.#sink.headersSent) this.#sink.start(200, EVENT_STREAM);
    this.#lastWriteMs = this.#deadlines.nowMs;
    const taken = this.#sink.write(bytes);
    if (!taken) this.#blockedSinceMs ??= this.#deadlines.nowMs;
    return taken;
  }
}

/** The response side that a relay writes to: the one place where an answer bypasses Koa. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Sink } from '../gateway/exchange.ts';
import type { TurnEnd } from './turn-end.ts';

const EVENT_STREAM = 'text/event-stream; charset=utf-8';
/** Proxies between us and the client must neither store nor collect events (relay.md 17.4). */
const STREAM_HEADERS = ['Cache-Control', 'no-cache, no-transform', 'X-Accel-Buffering', 'no'];

/** A client's connection as the gateway sees it. */
export class ResponseSink implements Sink {
  readonly #response: ServerResponse;
  readonly #turnEnd: TurnEnd;
  /** Names and values in turn: written at once, without the checks and the map of `setHeader`. */
  readonly #headers: string[];
  #gone = false;
  #goneListener: (() => void) | undefined;
  #drainListener: (() => void) | undefined;
  #listensForDrain = false;
  /** Until the end of this turn nothing leaves. */
  #waits = false;
  #corked: Socket | null = null;
  #ends = false;
  #body: Buffer | string | undefined;

  /** @param headers names and values in turn that every answer carries; the sink adds to them */
  constructor(response: ServerResponse, turnEnd: TurnEnd, headers: string[]) {
    this.#response = response;
    this.#turnEnd = turnEnd;
    this.#headers = headers;
    response.on('close', () => this.#closed());
    // A socket that breaks while it is written to reports here as well as by `close`.
    response.on('error', () => this.#closed());
  }

  get headersSent(): boolean {
    return this.#response.headersSent;
  }

  get gone(): boolean {
    return this.#gone;
  }

  get queuedBytes(): number {
    return this.#response.writableLength;
  }

  setHeader(name: string, value: string): void {
    this.#headers.push(name, value);
  }

  replaceHeader(name: string, value: string): void {
    const at = this.#headers.lastIndexOf(name);
    if (at < 0) this.#headers.push(name, value);
    else this.#headers[at + 1] = value;
  }

  start(status: number, contentType: string): void {
    if (this.#response.headersSent || this.#gone) return;
    this.#headers.push('Content-Type', contentType);
    if (contentType === EVENT_STREAM) this.#headers.push(...STREAM_HEADERS);
    this.#response.writeHead(status, this.#headers);
  }

  write(chunk: Buffer | string): boolean {
    if (this.#gone) return true;
    if (!this.#waits) {
      // The response's own cork sends what it kept in many pieces.
      this.#corked = this.#response.socket;
      this.#corked?.cork();
      this.#waitForTurnEnd();
    }
    return this.#response.write(chunk);
  }

  end(): void {
    this.#ends = true;
    this.#waitForTurnEnd();
  }

  /** Sends what was written in this turn. */
  flush(): void {
    this.#waits = false;
    if (this.#ends && !this.#gone && !this.#response.destroyed) this.#response.end(this.#body);
    this.#corked?.uncork();
    this.#corked = null;
  }

  answer(status: number, contentType: string, body: Buffer | string): void {
    if (this.#response.headersSent || this.#gone) return;
    this.#headers.push('Content-Type', contentType, 'Content-Length', String(Buffer.byteLength(body)));
    this.#response.writeHead(status, this.#headers);
    this.#body = body;
    this.end();
  }

  destroy(): void {
    this.#response.destroy();
  }

  onDrain(listener: () => void): void {
    this.#drainListener = listener;
    if (this.#listensForDrain) return;
    this.#listensForDrain = true;
    this.#response.on('drain', () => this.#drainListener?.());
  }

  onGone(listener: () => void): void {
    this.#goneListener = listener;
  }

  #waitForTurnEnd(): void {
    if (this.#waits) return;
    this.#waits = true;
    this.#turnEnd.add(this);
  }

  #closed(): void {
    if (this.#gone || this.#response.writableFinished) return;
    this.#gone = true;
    this.#goneListener?.();
  }
}

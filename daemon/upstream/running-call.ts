/** One call to an upstream while it runs: what the HTTP client drives, what the caller holds, and its deadlines. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { type Dispatcher, errors, util } from 'undici';
import { AddressRefused } from './address-guard.ts';
import type { Connection } from './connection.ts';
import type { Connections, Rider } from './connections.ts';
import { TunnelError } from './connector.ts';
import { createDecoder, isIdentity } from './content-coding.ts';
import type { Deadlines, Watched } from './deadlines.ts';
import type { Reading } from './reading.ts';
import type { SocketControl, SocketHandler } from './socket-dispatch.ts';
import { isExhaustion, TransportError, type TransportErrorKind } from './transport-error.ts';

/** Milliseconds from the moment the request is handed over, or from the last byte; 0 means none. */
export interface CallTimeouts {
  /** Until the status line. */
  readonly headersMs: number;
  /** Until the receiver reports the first token. */
  readonly firstTokenMs: number;
  /** Without a byte of the answer. */
  readonly idleMs: number;
  readonly totalMs: number;
}

/** Lower-case names. */
export type ReplyHeaders = IncomingHttpHeaders;

/** Receives one answer, in this order: a head, any number of chunks, then `onEnd`; or `onError` at any point, last. */
export interface ReplyReceiver {
  onHead(status: number, headers: ReplyHeaders): void;
  /** Decoded bytes. One more chunk may still come after `pause`. */
  onData(chunk: Buffer): void;
  onEnd(): void;
  onError(error: TransportError): void;
}

/** Handle on a running call. After `abort` the receiver hears nothing more. */
export interface OutgoingCall {
  /** So many bytes wait for whoever takes the answer: it is held back where that is more than one read brings. */
  pause(waitingBytes: number): void;
  resume(): void;
  abort(): void;
  /** Ends the first-token deadline. */
  tokenSeen(): void;
}

/** What all calls share. */
export interface CallSurroundings {
  readonly deadlines: Deadlines;
  readonly reading: Reading;
}

/** A body that does not lie in memory; opened once for each request that carries it. */
export interface BodySource {
  /** Bytes. */
  readonly length: number;
  open(): Readable;
}

/** What undici calls a connection that its other end closed, and what systems do. */
const closed = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
/** One way there and back. Who breaks off later may have been at work on the request. */
const unheardMs = 1000;

/** What is asked of an origin. */
export interface Question {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: Buffer | BodySource | undefined;
}

/**
 * All in one object, because there is one for each call. undici drives it by the older form of its handlers: the newer
 * one is translated to it by undici itself, with three more objects for each answer (7.30, read 2026-11).
 */
export class RunningCall implements OutgoingCall, Rider, Dispatcher.DispatchHandler, SocketHandler, Watched {
  readonly #receiver: ReplyReceiver;
  readonly #timeouts: CallTimeouts;
  readonly #deadlines: Deadlines;
  readonly #reading: Reading;
  readonly #place: number;
  #startedMs = 0;
  #lastByteMs = 0;
  #headSeen = false;
  #tokenSeen = false;
  #paused = false;
  /** The decoder takes no more for now. */
  #full = false;
  #over = false;
  #written = false;
  /** The request went out over a connection that had carried other calls. */
  #wasKept = false;
  #question: Question | undefined;
  #connections: Connections | undefined;
  #connection: Connection | undefined;
  #abort: ((reason: Error) => void) | undefined;
  #readOn: (() => void) | undefined;
  #socket: SocketControl | undefined;
  #decoder: Transform | undefined;

  constructor(receiver: ReplyReceiver, timeouts: CallTimeouts, { deadlines, reading }: CallSurroundings) {
    this.#receiver = receiver;
    this.#timeouts = timeouts;
    this.#deadlines = deadlines;
    this.#reading = reading;
    this.#place = deadlines.watch(this);
    this.#startedMs = deadlines.nowMs;
  }

  /** Asks over a connection that others use before and after. */
  ask(question: Question, connections: Connections): void {
    this.#question = question;
    this.#connections = connections;
    connections.take(this);
  }

  /** Asks over a connection that nobody else uses. */
  askAlone(question: Question, connection: Connection): void {
    this.#question = question;
    this.ride(connection);
  }

  ride(connection: Connection): void {
    const question = this.#question;
    if (question === undefined) return;
    this.#connection = connection;
    const { method, path, headers, body } = question;
    connection.dispatch(
      {
        method,
        path,
        headers,
        body: body === undefined || Buffer.isBuffer(body) ? (body ?? null) : body.open(),
        // Own deadlines: the library's are coarse, reset at odd moments and cannot be told apart afterwards.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      this,
    );
  }

  strand(): void {
    queueMicrotask(() => this.fail(new TransportError('connect', false)));
  }

  pause(waitingBytes: number): void {
    // undici asks for one portion more whenever it goes on after a pause, and puts back what it could not hand over:
    // pauses that let less through would make its buffer grow turn by turn.
    if (waitingBytes <= this.#reading.portionBytes) return;
    if (!this.#paused && !this.#over) this.#reading.pause();
    this.#paused = true;
    if (this.#decoder !== undefined) this.#decoder.pause();
    else this.#socket?.pause();
  }

  resume(): void {
    // Whoever reads late what has come: the connection may carry another call by now.
    if (this.#over) return;
    if (this.#paused) this.#reading.resume();
    this.#paused = false;
    this.#lastByteMs = this.#deadlines.nowMs;
    this.#decoder?.resume();
    // A decoder that still has room never asks for more by itself.
    this.#readOnIfTaken();
  }

  abort(): void {
    if (this.#finish()) this.#destroy();
  }

  tokenSeen(): void {
    this.#tokenSeen = true;
  }

  /** Ends the call with an error of our own. */
  fail(error: TransportError): void {
    if (!this.#finish()) return;
    this.#destroy();
    this.#receiver.onError(error);
  }

  check(nowMs: number): void {
    const expired = this.#expired(nowMs);
    if (expired !== undefined) this.fail(new TransportError(expired, this.#written));
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort;
    // Called off while the connection was made: nothing was written.
    if (this.#over) abort(new Error('called off'));
    else this.#written = true;
    this.#wasKept = this.#connection?.isKept === true;
    this.#lastByteMs = this.#deadlines.nowMs;
  }

  /** False: wait for `resume`. */
  onHeaders(status: number, rawHeaders: Buffer[], resume: () => void): boolean {
    this.#readOn = resume;
    this.#question = undefined;
    if (this.#over || status < 200) return true;
    this.#head(status, util.parseHeaders(rawHeaders));
    return this.#flows;
  }

  onData(chunk: Buffer): boolean {
    this.#chunk(chunk);
    return this.#flows;
  }

  onComplete(): void {
    // The decoder may go on for a while; what the connection reads from here on is another call's.
    this.#readOn = undefined;
    if (this.#connection !== undefined) this.#connection.isKept = true;
    this.#leave();
    this.#end();
  }

  onError(error: Error): void {
    const connection = this.#connection;
    if (connection !== undefined && this.#wasClosedUnheard(error)) {
      connection.isKept = false;
      this.#written = false;
      this.ride(connection);
      return;
    }
    this.#leave();
    this.#broken(error);
  }

  onSocketDial(socket: SocketControl): void {
    this.#socket = socket;
  }

  onSocketOpen(): void {
    this.#written = true;
  }

  onSocketHead(status: number, headers: IncomingHttpHeaders): void {
    if (!this.#over) this.#head(status, headers);
  }

  onSocketData(chunk: Buffer): void {
    this.#chunk(chunk);
    if (this.#full) this.#socket?.pause();
  }

  onSocketEnd(): void {
    this.#end();
  }

  onSocketError(error: Error): void {
    this.#broken(error);
  }

  get #flows(): boolean {
    return !this.#paused && !this.#full;
  }

  /** Reads the upstream on, unless the receiver or the decoder takes no more. */
  #readOnIfTaken(): void {
    if (!this.#flows) return;
    if (this.#socket !== undefined) this.#socket.resume();
    else this.#readOn?.();
  }

  #head(status: number, headers: ReplyHeaders): void {
    this.#headSeen = true;
    this.#lastByteMs = this.#deadlines.nowMs;
    const encoding = headers['content-encoding'];
    if (!isIdentity(encoding)) {
      this.#decoder = createDecoder(encoding ?? '');
      if (this.#decoder === undefined) {
        this.fail(new TransportError('undecodable', true));
        return;
      }
      this.#listen(this.#decoder);
    }
    this.#receiver.onHead(status, headers);
  }

  #chunk(chunk: Buffer): void {
    if (this.#over) return;
    this.#lastByteMs = this.#deadlines.nowMs;
    if (this.#decoder === undefined) this.#receiver.onData(chunk);
    else this.#full = !this.#decoder.write(chunk);
  }

  #end(): void {
    if (this.#decoder !== undefined) this.#decoder.end();
    else if (this.#finish()) this.#receiver.onEnd();
  }

  #broken(error: Error): void {
    if (!this.#finish()) return;
    this.#decoder?.destroy();
    this.#receiver.onError(new TransportError(this.#kindOf(error), this.#written, error));
  }

  #kindOf(error: Error): TransportErrorKind {
    if (error instanceof AddressRefused) return 'refused-address';
    if (error instanceof errors.InvalidArgumentError) return 'invalid-request';
    if (this.#written && !(error instanceof TunnelError)) return 'reset';
    return isExhaustion(error) ? 'exhausted' : 'connect';
  }

  /**
   * True where a kept connection was closed at once and without an answer: its other end had given it up before it saw the
   * request. As browsers do, the call is asked once more, over a new connection.
   */
  #wasClosedUnheard(error: Error): boolean {
    if (this.#over || !this.#wasKept || this.#question === undefined) return false;
    if (this.#deadlines.nowMs - this.#lastByteMs > unheardMs) return false;
    return 'code' in error && typeof error.code === 'string' && closed.has(error.code);
  }

  #listen(decoder: Transform): void {
    decoder.on('data', (chunk: Buffer) => {
      if (!this.#over) this.#receiver.onData(chunk);
    });
    decoder.on('drain', () => {
      this.#full = false;
      this.#readOnIfTaken();
    });
    decoder.on('end', () => {
      if (this.#finish()) this.#receiver.onEnd();
    });
    decoder.on('error', (error) => this.fail(new TransportError('undecodable', true, error)));
  }

  #expired(nowMs: number): TransportErrorKind | undefined {
    const { headersMs, firstTokenMs, idleMs, totalMs } = this.#timeouts;
    const ageMs = nowMs - this.#startedMs;
    if (totalMs > 0 && ageMs >= totalMs) return 'total-timeout';
    if (!this.#headSeen && headersMs > 0 && ageMs >= headersMs) return 'headers-timeout';
    if (!this.#tokenSeen && firstTokenMs > 0 && ageMs >= firstTokenMs) return 'first-token-timeout';
    // A paused answer is silent because the client is slow, which has a limit of its own.
    const listening = this.#headSeen && !this.#paused;
    return listening && idleMs > 0 && nowMs - this.#lastByteMs >= idleMs ? 'idle-timeout' : undefined;
  }

  /** True for the first ending; later ones are echoes. */
  #finish(): boolean {
    if (this.#over) return false;
    this.#over = true;
    if (this.#paused) this.#reading.resume();
    this.#deadlines.forget(this, this.#place);
    return true;
  }

  #destroy(): void {
    this.#decoder?.destroy();
    if (this.#question !== undefined) this.#connections?.leave(this);
    this.#socket?.abort();
    this.#abort?.(new Error('called off'));
  }

  /** The connection is free, whatever became of the call. */
  #leave(): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#connection = undefined;
    this.#connections?.free(connection);
  }
}

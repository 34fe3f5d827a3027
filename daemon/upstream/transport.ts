/**
 * The only outbound network of the relay, and the one file that knows the HTTP client. It moves bytes: which status is a
 * failure, what an event is and when a token was seen are decided by its callers. Knows no format, channel or price.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { type buildConnector, type Dispatcher, errors, Pool } from 'undici';
import type { SocketTalk } from '../relay/socket-talk.ts';
import { AddressGuard, type AddressGuardConfig, AddressRefused, type EgressClass } from './address-guard.ts';
import { connectorFor, TunnelError } from './connector.ts';
import { createDecoder, isIdentity } from './content-coding.ts';
import { Deadlines, type Watched } from './deadlines.ts';
import { type Handshake, shakeHands } from './handshake.ts';
import { dispatchSocket, openSocket } from './socket-dispatch.ts';
import { TransportError, type TransportErrorKind } from './transport-error.ts';

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

/** Where a call goes. Reuse the object for calls to one address: what is known of it is kept with it. */
export interface Destination {
  /** Absolute `http:` or `https:` address; a `ws:` or `wss:` one is asked by a frame and answers in events. */
  readonly url: string;
  /** `http:`, `https:` or `socks5:` proxy. */
  readonly proxy: string | undefined;
  readonly egress: EgressClass;
  /** For the socket and for TLS, each; 0 = no limit. */
  readonly connectMs: number;
}

/** A body that does not lie in memory; opened once for each request that carries it. */
export interface BodySource {
  /** Bytes. */
  readonly length: number;
  open(): Readable;
}

export interface OutgoingRequest {
  readonly method: string;
  readonly destination: Destination;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: Buffer | BodySource | undefined;
  /** What follows the body on a socket; undefined: nothing. */
  readonly talk?: SocketTalk | undefined;
  readonly timeouts: CallTimeouts;
}

/** A socket to be opened. */
export interface SocketQuestion {
  /** A `ws:` or `wss:` address. */
  readonly destination: Destination;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly protocols: readonly string[];
  readonly timeoutMs: number;
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
  pause(): void;
  resume(): void;
  abort(): void;
  /** Ends the first-token deadline. */
  tokenSeen(): void;
}

export { TransportError } from './transport-error.ts';
export type { Handshake };

export interface TransportConfig {
  guard: AddressGuardConfig;
  /** Sockets to one origin; further calls wait in line. Default 512. */
  connectionsPerOrigin?: number;
}

/** An address that was checked and taken apart once. */
type Target =
  | { readonly pool: Pool; readonly path: string }
  /** Each question has a socket of its own. */
  | { readonly connect: buildConnector.connector };

export class Transport {
  readonly #guard: AddressGuard;
  readonly #connections: number;
  readonly #deadlines = new Deadlines();
  readonly #pools = new Map<string, Pool>();
  readonly #targets = new WeakMap<Destination, Target>();

  constructor(config: TransportConfig) {
    this.#guard = new AddressGuard(config.guard);
    this.#connections = config.connectionsPerOrigin ?? 512;
  }

  /** Sends a request. Every outcome, a refused address included, reaches the receiver, never the caller. */
  send(request: OutgoingRequest, receiver: ReplyReceiver): OutgoingCall {
    const call = new RunningCall(receiver, request.timeouts, this.#deadlines);
    let target: Target;
    try {
      target = this.#target(request.destination);
    } catch (error) {
      const kind = error instanceof AddressRefused ? 'refused-address' : 'invalid-request';
      queueMicrotask(() => call.fail(new TransportError(kind, false, error)));
      return call;
    }
    if ('connect' in target) {
      const { destination, headers, body, talk } = request;
      const question = Buffer.isBuffer(body) ? body : undefined;
      const handshakeMs = request.timeouts.headersMs;
      const { connect } = target;
      dispatchSocket({ url: destination.url, headers, body: question, talk, connect, handshakeMs }, call);
      return call;
    }
    target.pool.dispatch(
      {
        method: request.method,
        path: target.path,
        headers: request.headers,
        body:
          request.body === undefined || Buffer.isBuffer(request.body) ? (request.body ?? null) : request.body.open(),
        // Own deadlines: the library's are coarse, reset at odd moments and cannot be told apart afterwards.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      call,
    );
    // Upstreams may name any number of hosts: nothing of one is kept once it has answered.
    if (request.destination.egress === 'guarded') target.pool.close().catch(() => undefined);
    return call;
  }

  /** Opens a socket that stays open. Rejects with `TransportError`; a refused handshake is an answer. */
  openSocket(question: SocketQuestion): Promise<Handshake> {
    const { destination, headers, protocols, timeoutMs } = question;
    try {
      const target = this.#target(destination);
      if (!('connect' in target)) throw new TypeError('the address is not that of a socket');
      const { connect } = target;
      return shakeHands(openSocket({ url: destination.url, headers, connect, protocols }), timeoutMs);
    } catch (error) {
      const kind = error instanceof AddressRefused ? 'refused-address' : 'invalid-request';
      return Promise.reject(new TransportError(kind, false, error));
    }
  }

  /** Waits for running calls, then closes every socket. */
  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.close()));
  }

  /** Breaks running calls and closes every socket. */
  async destroy(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #target(destination: Destination): Target {
    const known = this.#targets.get(destination);
    if (known !== undefined) return known;
    const isSocket = /^wss?:/.test(destination.url);
    const url = new URL(isSocket ? destination.url.replace(/^ws/, 'http') : destination.url);
    this.#guard.checkUrl(url, destination.egress);
    if (isSocket) return { connect: this.#connector(url, destination) };
    const pathStart = destination.url.indexOf('/', url.protocol.length + 2);
    const path = pathStart < 0 ? '/' : destination.url.slice(pathStart);
    if (destination.egress === 'guarded') return { pool: this.#newPool(url, destination, 1), path };
    const target = { pool: this.#pool(url, destination), path };
    this.#targets.set(destination, target);
    return target;
  }

  #pool(url: URL, destination: Destination): Pool {
    const { proxy, egress, connectMs } = destination;
    const key = `${proxy ?? ''} ${egress} ${connectMs} ${url.origin}`;
    const known = this.#pools.get(key);
    if (known !== undefined) return known;
    const pool = this.#newPool(url, destination, this.#connections);
    this.#pools.set(key, pool);
    return pool;
  }

  #newPool(url: URL, destination: Destination, connections: number): Pool {
    return new Pool(url.origin, {
      connections,
      pipelining: 1,
      keepAliveTimeout: 30_000,
      keepAliveMaxTimeout: 600_000,
      maxHeaderSize: 64 * 1024,
      connect: this.#connector(url, destination),
    });
  }

  #connector(url: URL, { proxy, egress, connectMs }: Destination): buildConnector.connector {
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    return connectorFor({
      timeoutMs: connectMs,
      lookup: this.#guard.lookup(egress, port),
      ...(proxy === undefined ? {} : { proxy: new URL(proxy) }),
    });
  }
}

/** One call: the handler that undici drives, the handle that the caller holds and the deadlines, in one object. */
class RunningCall implements OutgoingCall, Dispatcher.DispatchHandler, Watched {
  readonly #receiver: ReplyReceiver;
  readonly #timeouts: CallTimeouts;
  readonly #deadlines: Deadlines;
  readonly #place: number;
  #startedMs = 0;
  #lastByteMs = 0;
  #headSeen = false;
  #tokenSeen = false;
  #paused = false;
  #over = false;
  #written = false;
  #controller: Dispatcher.DispatchController | undefined;
  #decoder: Transform | undefined;

  constructor(receiver: ReplyReceiver, timeouts: CallTimeouts, deadlines: Deadlines) {
    this.#receiver = receiver;
    this.#timeouts = timeouts;
    this.#deadlines = deadlines;
    this.#place = deadlines.watch(this);
    this.#startedMs = deadlines.nowMs;
  }

  pause(): void {
    this.#paused = true;
    if (this.#decoder !== undefined) this.#decoder.pause();
    else this.#controller?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#lastByteMs = this.#deadlines.nowMs;
    if (this.#decoder !== undefined) this.#decoder.resume();
    else this.#controller?.resume();
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

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Called off while it waited for a socket: nothing was written, the socket goes back unused.
    if (this.#over) controller.abort(new Error('called off'));
    else this.#written = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (this.#over || status < 200) return;
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

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over) return;
    this.#lastByteMs = this.#deadlines.nowMs;
    if (this.#decoder === undefined) this.#receiver.onData(chunk);
    else if (!this.#decoder.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#decoder !== undefined) this.#decoder.end();
    else if (this.#finish()) this.#receiver.onEnd();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (!this.#finish()) return;
    this.#decoder?.destroy();
    this.#receiver.onError(new TransportError(this.#kindOf(error), this.#written, error));
  }

  #kindOf(error: Error): TransportErrorKind {
    if (error instanceof AddressRefused) return 'refused-address';
    if (error instanceof errors.InvalidArgumentError) return 'invalid-request';
    return this.#written && !(error instanceof TunnelError) ? 'reset' : 'connect';
  }

  #listen(decoder: Transform): void {
    decoder.on('data', (chunk: Buffer) => {
      if (!this.#over) this.#receiver.onData(chunk);
    });
    decoder.on('drain', () => this.#controller?.resume());
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
    this.#deadlines.forget(this, this.#place);
    return true;
  }

  #destroy(): void {
    this.#decoder?.destroy();
    this.#controller?.abort(new Error('called off'));
  }
}

/**
 * The only outbound network of the relay. It moves bytes: which status is a failure, what an event is and when a token
 * was seen are decided by its callers. Knows no format, channel or price.
 */
import type { buildConnector } from 'undici';
import type { SocketTalk } from '../relay/socket-talk.ts';
import { AddressGuard, type AddressGuardConfig, AddressRefused, type EgressClass } from './address-guard.ts';
import { Connection } from './connection.ts';
import { Connections } from './connections.ts';
import { connectorFor, type ProxyPlace, proxyPort } from './connector.ts';
import { Deadlines } from './deadlines.ts';
import { type Handshake, shakeHands } from './handshake.ts';
import { Reading } from './reading.ts';
import {
  type BodySource,
  type CallSurroundings,
  type CallTimeouts,
  type OutgoingCall,
  type ReplyReceiver,
  RunningCall,
} from './running-call.ts';
import { dispatchSocket, openSocket } from './socket-dispatch.ts';
import { TransportError } from './transport-error.ts';

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
  /** Ends the handshake while it goes on; an open socket is its owner's. */
  readonly calledOff: AbortSignal;
}

export type { BodySource, CallTimeouts, OutgoingCall, ReplyHeaders, ReplyReceiver } from './running-call.ts';
export { TransportError } from './transport-error.ts';
export type { Handshake };

export interface TransportConfig {
  guard: AddressGuardConfig;
  /** Sockets to one origin; further calls wait in line. Default 512. */
  connectionsPerOrigin?: number;
}

/** An address that was checked and taken apart once. */
type Target =
  | { readonly connections: Connections; readonly path: string }
  /** Upstreams may name any number of hosts: nothing of one is kept once it has answered. */
  | { readonly once: Connection; readonly path: string }
  /** Each question has a socket of its own. */
  | { readonly connect: buildConnector.connector };

/** Windows fills the room of a read while others begin. */
const directRooms = process.platform === 'win32' ? 'own' : 'shared';

export class Transport {
  readonly #guard: AddressGuard;
  readonly #connections: number;
  readonly #deadlines = new Deadlines();
  readonly #direct: CallSurroundings = { deadlines: this.#deadlines, reading: new Reading(directRooms) };
  /** Sockets of tunnels are opened before it is known what will be read from them. */
  readonly #tunnelled: CallSurroundings = { deadlines: this.#deadlines, reading: new Reading('own') };
  readonly #pools = new Map<string, Connections>();
  readonly #targets = new WeakMap<Destination, Target>();

  constructor(config: TransportConfig) {
    this.#guard = new AddressGuard(config.guard);
    this.#connections = config.connectionsPerOrigin ?? 512;
  }

  /** Sends a request. Every outcome, a refused address included, reaches the receiver, never the caller. */
  send(request: OutgoingRequest, receiver: ReplyReceiver): OutgoingCall {
    const surroundings = request.destination.proxy === undefined ? this.#direct : this.#tunnelled;
    const call = new RunningCall(receiver, request.timeouts, surroundings);
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
    const { method, headers, body } = request;
    const question = { method, path: target.path, headers, body };
    if ('connections' in target) call.ask(question, target.connections);
    else {
      call.askAlone(question, target.once);
      target.once.close().catch(() => undefined);
    }
    return call;
  }

  /** Opens a socket that stays open. Rejects with `TransportError`; a refused handshake is an answer. */
  openSocket(question: SocketQuestion): Promise<Handshake> {
    const { destination, headers, protocols, timeoutMs, calledOff } = question;
    try {
      const target = this.#target(destination);
      if (!('connect' in target)) throw new TypeError('the address is not that of a socket');
      const { connect } = target;
      return shakeHands(openSocket({ url: destination.url, headers, connect, protocols }), timeoutMs, calledOff);
    } catch (error) {
      const kind = error instanceof AddressRefused ? 'refused-address' : 'invalid-request';
      return Promise.reject(new TransportError(kind, false, error));
    }
  }

  /** Kept connections in use, and how many calls wait for one, over all origins. */
  get pool(): { readonly used: number; readonly waiting: number } {
    let [used, waiting] = [0, 0];
    for (const pool of this.#pools.values()) {
      used += pool.used;
      waiting += pool.waiting;
    }
    return { used, waiting };
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
    const proxy = destination.proxy === undefined ? undefined : new URL(destination.proxy);
    // Operators name proxies as they name base URLs, whomever is asked through them.
    if (proxy !== undefined) this.#guard.checkHost(proxy.hostname, proxyPort(proxy), 'channel');
    if (isSocket) return { connect: this.#connector(url, destination) };
    const pathStart = destination.url.indexOf('/', url.protocol.length + 2);
    const path = pathStart < 0 ? '/' : destination.url.slice(pathStart);
    if (destination.egress === 'guarded') return { once: this.#newConnection(url, destination), path };
    const target = { connections: this.#connectionsTo(url, destination), path };
    this.#targets.set(destination, target);
    return target;
  }

  #connectionsTo(url: URL, destination: Destination): Connections {
    const { proxy, connectMs } = destination;
    const key = `${proxy ?? ''} ${connectMs} ${url.origin}`;
    const known = this.#pools.get(key);
    if (known !== undefined) return known;
    const pool = new Connections(this.#connections, () => this.#newConnection(url, destination));
    this.#pools.set(key, pool);
    return pool;
  }

  #newConnection(url: URL, destination: Destination): Connection {
    return new Connection(url.origin, {
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
      reading: this.#direct.reading.options,
      ...(proxy === undefined ? {} : { proxy: this.#proxyPlace(new URL(proxy)) }),
    });
  }

  #proxyPlace(url: URL): ProxyPlace {
    return { url, lookup: this.#guard.lookup('channel', proxyPort(url)) };
  }
}

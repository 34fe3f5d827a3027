/**
 * Opens sockets for the transport: directly, through an HTTP(S) proxy's CONNECT, or through SOCKS5.
 * undici's own SOCKS5 agent is marked experimental and has fixed timeouts (read 2026-08), so both tunnels are made here.
 */
import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { buildConnector } from 'undici';
import { passOverContinue } from './early-words.ts';
import type { ReadOptions } from './reading.ts';

export interface ConnectorOptions {
  /** For the socket and for TLS, each; 0 = no limit. */
  timeoutMs: number;
  /** Resolver of the target; a proxy resolves the target itself. */
  lookup: LookupFunction;
  /** Undefined connects directly. */
  proxy?: ProxyPlace;
  /** How sockets without a proxy are read. */
  reading: ReadOptions;
}

/** A proxy, and the resolver of its own name. */
export interface ProxyPlace {
  /** `http:`, `https:` or `socks5:` with optional credentials. */
  readonly url: URL;
  readonly lookup: LookupFunction;
}

/** The port that a proxy's address names or means. */
export function proxyPort({ port, protocol }: URL): string {
  return port || ({ 'http:': '80', 'https:': '443' }[protocol] ?? '1080');
}

/** Why a tunnel could not be made; never shown to users. */
export class TunnelError extends Error {
  readonly code = 'TUNNEL_FAILED';
}

const CONNECT_REPLY_LIMIT = 16 * 1024;

/** A connector for one pool. */
export function connectorFor(options: ConnectorOptions): buildConnector.connector {
  const connect = openerFor(options);
  return (target, callback) =>
    connect(target, (...[error, socket]) => {
      if (error === null) callback(null, passOverContinue(socket));
      else callback(error, null);
    });
}

function openerFor(options: ConnectorOptions): buildConnector.connector {
  const direct = buildConnector({ timeout: options.timeoutMs, lookup: options.lookup, ...options.reading });
  const { proxy } = options;
  if (proxy === undefined) return direct;
  const upgrade = buildConnector({ timeout: options.timeoutMs });
  return (target, callback) => {
    openTunnel(proxy, target, options.timeoutMs).then(
      (socket) => {
        if (target.protocol !== 'https:') return callback(null, socket);
        upgrade({ ...target, httpSocket: socket }, callback);
      },
      (error: unknown) => callback(error instanceof Error ? error : new TunnelError('tunnel failed'), null),
    );
  };
}

async function openTunnel(place: ProxyPlace, target: buildConnector.Options, timeoutMs: number): Promise<Socket> {
  const { url: proxy } = place;
  const socket = dialProxy(place);
  const port = Number(target.port || (target.protocol === 'https:' ? 443 : 80));
  return new Promise((resolve, reject) => {
    const late = () => fail(new TunnelError('the proxy did not answer in time'));
    const timer = timeoutMs > 0 ? setTimeout(late, timeoutMs).unref() : undefined;
    const fail = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const ready = (rest: Buffer) => {
      clearTimeout(timer);
      socket.removeAllListeners('data');
      socket.off('error', fail);
      socket.off('close', closed);
      socket.pause();
      if (rest.length > 0) socket.unshift(rest);
      resolve(socket);
    };
    const closed = () => fail(new TunnelError('the proxy closed the connection'));
    socket.once('error', fail);
    socket.once('close', closed);
    const talk =
      proxy.protocol === 'socks5:' || proxy.protocol === 'socks:'
        ? new SocksDialogue(socket, proxy, target.hostname, port)
        : new ConnectDialogue(socket, proxy, target.hostname, port);
    socket.once(proxy.protocol === 'https:' ? 'secureConnect' : 'connect', () => talk.open());
    socket.on('data', (chunk: Buffer) => {
      try {
        const rest = talk.push(chunk);
        if (rest !== undefined) ready(rest);
      } catch (error) {
        fail(error instanceof Error ? error : new TunnelError('tunnel failed'));
      }
    });
  });
}

function dialProxy({ url, lookup }: ProxyPlace): Socket {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(proxyPort(url));
  if (url.protocol === 'https:') {
    return tlsConnect({ host, port, lookup, ...(isIP(host) === 0 ? { servername: host } : {}) });
  }
  return netConnect({ host, port, lookup });
}

/** `push` answers the bytes after the dialogue once it is over, undefined before. */
interface Dialogue {
  open(): void;
  push(chunk: Buffer): Buffer | undefined;
}

class ConnectDialogue implements Dialogue {
  readonly #socket: Socket;
  readonly #head: string;
  #seen: Buffer = Buffer.alloc(0);

  constructor(socket: Socket, proxy: URL, host: string, port: number) {
    this.#socket = socket;
    const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
    const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`];
    if (proxy.username !== '') {
      const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
      lines.push(`Proxy-Authorization: Basic ${Buffer.from(pair).toString('base64')}`);
    }
    this.#head = `${lines.join('\r\n')}\r\n\r\n`;
  }

  open(): void {
    this.#socket.write(this.#head);
  }

  push(chunk: Buffer): Buffer | undefined {
    this.#seen = this.#seen.length === 0 ? chunk : Buffer.concat([this.#seen, chunk]);
    const end = this.#seen.indexOf('\r\n\r\n');
    if (end < 0) {
      if (this.#seen.length > CONNECT_REPLY_LIMIT) throw new TunnelError('the proxy answered too much');
      return undefined;
    }
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(this.#seen.toString('latin1', 0, end))?.[1];
    if (status === undefined || !status.startsWith('2')) {
      throw new TunnelError(`the proxy answered ${status ?? 'no status'}`);
    }
    return this.#seen.subarray(end + 4);
  }
}

/** RFC 1928 with the user name and password method of RFC 1929; the proxy resolves names. */
class SocksDialogue implements Dialogue {
  readonly #socket: Socket;
  readonly #user: Buffer;
  readonly #password: Buffer;
  readonly #request: Buffer;
  #stage: 'method' | 'login' | 'request' = 'method';
  #seen: Buffer = Buffer.alloc(0);

  constructor(socket: Socket, proxy: URL, host: string, port: number) {
    this.#socket = socket;
    this.#user = Buffer.from(decodeURIComponent(proxy.username));
    this.#password = Buffer.from(decodeURIComponent(proxy.password));
    this.#request = Buffer.concat([Buffer.from([5, 1, 0]), socksAddress(host), Buffer.from([port >> 8, port & 255])]);
  }

  open(): void {
    this.#socket.write(this.#user.length > 0 ? Buffer.from([5, 2, 0, 2]) : Buffer.from([5, 1, 0]));
  }

  push(chunk: Buffer): Buffer | undefined {
    this.#seen = this.#seen.length === 0 ? chunk : Buffer.concat([this.#seen, chunk]);
    if (this.#stage === 'request') return this.#finish();
    if (this.#seen.length < 2) return undefined;
    const answer = this.#seen[1];
    const rest = this.#seen.subarray(2);
    this.#seen = rest;
    if (this.#stage === 'method') {
      if (answer === 2) {
        this.#stage = 'login';
        this.#socket.write(
          Buffer.concat([
            Buffer.from([1, this.#user.length]),
            this.#user,
            Buffer.from([this.#password.length]),
            this.#password,
          ]),
        );
        return undefined;
      }
      if (answer !== 0) throw new TunnelError('the proxy refuses every way of signing in');
    } else if (answer !== 0) {
      throw new TunnelError('the proxy refused the credentials');
    }
    this.#stage = 'request';
    this.#socket.write(this.#request);
    return undefined;
  }

  #finish(): Buffer | undefined {
    if (this.#seen.length < 5) return undefined;
    if (this.#seen[1] !== 0) throw new TunnelError(`the proxy answered code ${this.#seen[1]}`);
    const kind = this.#seen[3];
    const addressLength = kind === 1 ? 4 : kind === 4 ? 16 : 1 + (this.#seen[4] ?? 0);
    const total = 4 + addressLength + 2;
    return this.#seen.length < total ? undefined : this.#seen.subarray(total);
  }
}

function socksAddress(host: string): Buffer {
  if (isIP(host) === 4) return Buffer.from([1, ...host.split('.').map(Number)]);
  const name = Buffer.from(host);
  if (name.length > 255) throw new TunnelError('the host name is too long for SOCKS5');
  return Buffer.concat([Buffer.from([3, name.length]), name]);
}

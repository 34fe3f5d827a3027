/**
 * Calls that are one question and its answer over a WebSocket, for the handler that drives HTTP calls: the question is
 * one text frame, every frame of the answer becomes a server-sent event; where more is said, a talk decides frame by
 * frame. A refused handshake is an ordinary answer.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { type RawData, WebSocket } from 'ws';
import type { SocketTalk, SocketTurn } from '../relay/socket-talk.ts';

export interface SocketPlace {
  /** `ws:` or `wss:`, sent as it is: its query may be signed. */
  readonly url: string;
  /** Names and values in turn; what belongs to a body is left out. */
  readonly headers: readonly string[];
  readonly connect: buildConnector.connector;
  /** Subprotocols that are offered. */
  readonly protocols?: readonly string[];
  /** Until the handshake must be over, whoever still waits for it. Default and 0: the longest that there is. */
  readonly handshakeMs?: number;
}

export interface SocketQuestion extends SocketPlace {
  readonly body: Buffer | undefined;
  /** Undefined: the body is all that is said. */
  readonly talk?: SocketTalk | undefined;
}

/** What a socket may be told by whoever listens to it. */
export interface SocketControl {
  pause(): void;
  resume(): void;
  /** The handler hears nothing more. */
  abort(): void;
}

/** Hears one exchange: dial, open, head, any number of data, end; or an error at any point, last. */
export interface SocketHandler {
  /** The handshake goes on from here; what is told is heard at once. */
  onSocketDial(socket: SocketControl): void;
  onSocketOpen(): void;
  onSocketHead(status: number, headers: IncomingHttpHeaders): void;
  onSocketData(chunk: Buffer): void;
  onSocketEnd(): void;
  onSocketError(error: Error): void;
}

/** Largest frame that is read. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;
const SUBPROTOCOL = 'sec-websocket-protocol';
const LONGEST_HANDSHAKE_MS = 60_000;
const DEADLINE_SLACK_MS = 500;
const BODY_HEADERS = new Set(['content-type', 'accept', 'accept-encoding']);
/** How sockets end that said all they had to say. */
const CLEAN_CLOSES = new Set([1000, 1001, 1005]);

/** A socket whose connection is made by the given connector; nobody listens to it yet. */
export function openSocket({ url, headers, connect, protocols = [], handshakeMs = 0 }: SocketPlace): WebSocket {
  const target = new URL(url);
  const isSecure = target.protocol === 'wss:';
  // The call's own deadline comes first.
  const handshakeTimeout = (handshakeMs || LONGEST_HANDSHAKE_MS) + DEADLINE_SLACK_MS;
  const socket = new WebSocket(url, [...protocols], {
    headers: handshakeHeaders(headers),
    perMessageDeflate: false,
    // One frame a turn of the event loop: other calls are not kept waiting for all that a server sends at once.
    allowSynchronousEvents: false,
    maxPayload: MAX_FRAME_BYTES,
    handshakeTimeout,
    createConnection: (_: unknown, made?: (error: Error | null, made: Socket) => void) => {
      const place = {
        hostname: target.hostname.replace(/^\[|\]$/g, ''),
        protocol: isSecure ? 'https:' : 'http:',
        port: target.port || (isSecure ? '443' : '80'),
      };
      connect(place, (error, opened) => {
        if (error !== null) {
          socket.emit('error', error);
          return;
        }
        // The library listens for the end of the time, and leaves it to the connection to tell.
        opened.setTimeout(handshakeTimeout);
        made?.(null, opened);
        // A tunnel hands its socket over at rest.
        opened.resume();
      });
      return undefined;
    },
  });
  // A server may name none of the subprotocols that it is offered (RFC 6455 4.1), which the library takes for a fault.
  const [first] = protocols;
  if (first !== undefined) socket.once('upgrade', ({ headers: named }) => (named[SUBPROTOCOL] ??= first));
  return socket;
}

/** Asks; everything that comes of it reaches the handler. */
export function dispatchSocket(question: SocketQuestion, handler: SocketHandler): void {
  new SocketExchange(openSocket(question), handler, question.talk).run(question.body);
}

function handshakeHeaders(headers: readonly string[]): Record<string, string> {
  const kept: Record<string, string> = {};
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    if (!BODY_HEADERS.has(name)) kept[name] = headers[at + 1] ?? '';
  }
  return kept;
}

class SocketExchange implements SocketControl {
  readonly #socket: WebSocket;
  readonly #handler: SocketHandler;
  readonly #talk: SocketTalk | undefined;
  #answer: IncomingMessage | undefined;
  #over = false;

  constructor(socket: WebSocket, handler: SocketHandler, talk: SocketTalk | undefined) {
    this.#socket = socket;
    this.#handler = handler;
    this.#talk = talk;
  }

  run(body: Buffer | undefined): void {
    const socket = this.#socket;
    socket.on('open', () => this.#ask(body));
    socket.on('message', (frame, isBinary) => this.#hear(bytesOf(frame), isBinary ? 'binary' : 'text'));
    socket.on('unexpected-response', (_, answer) => this.#refuse(answer));
    socket.on('error', (error) => this.#break(error));
    socket.on('close', (code) => {
      if (CLEAN_CLOSES.has(code) && this.#talk === undefined) this.#end();
      else this.#break(new Error(`the socket closed with code ${code}`));
    });
    this.#handler.onSocketDial(this);
  }

  abort(): void {
    if (this.#over) return;
    this.#over = true;
    this.#answer?.destroy();
    this.#socket.terminate();
  }

  pause(): void {
    this.#answer?.pause();
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.pause();
  }

  resume(): void {
    this.#answer?.resume();
    this.#socket.resume();
  }

  #ask(body: Buffer | undefined): void {
    this.#handler.onSocketOpen();
    if (this.#over) return;
    this.#socket.send(body?.toString('utf8') ?? '');
    if (this.#talk === undefined) this.#handler.onSocketHead(200, { 'content-type': 'text/event-stream' });
  }

  #hear(frame: Buffer, kind: 'text' | 'binary'): void {
    if (this.#over) return;
    if (this.#talk === undefined) {
      const text = frame.toString('utf8').replace(/\r?\n|\r/g, '\ndata: ');
      this.#handler.onSocketData(Buffer.from(`data: ${text}\n\n`));
      return;
    }
    let turn: SocketTurn;
    try {
      turn = this.#talk.hear(frame, kind);
    } catch (error) {
      // A frame that nobody can follow ends the call like a broken body.
      this.#break(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.#follow(turn);
  }

  /** The receiver may call the whole off between any two of these. */
  #follow({ say, contentType, tell, end }: SocketTurn): void {
    if (contentType !== undefined) this.#handler.onSocketHead(200, { 'content-type': contentType });
    if (tell !== undefined && !this.#over) this.#handler.onSocketData(tell);
    if (end === true) this.#end();
    else if (say !== undefined) this.#say(say[Symbol.iterator]());
  }

  /** One frame at a time: what the other end does not take does not pile up here. */
  #say(frames: Iterator<string | Buffer>): void {
    if (this.#over) return;
    const next = frames.next();
    if (next.done === true) return;
    this.#socket.send(next.value, (error) => {
      // A socket that broke says so itself.
      if (!error) this.#say(frames);
    });
  }

  /** The handshake failed: what the server says about it is the answer. */
  #refuse(answer: IncomingMessage): void {
    this.#answer = answer;
    this.#handler.onSocketOpen();
    if (this.#over) return;
    this.#handler.onSocketHead(answer.statusCode ?? 502, answer.headers);
    answer.on('data', (chunk: Buffer) => {
      if (!this.#over) this.#handler.onSocketData(chunk);
    });
    answer.on('end', () => this.#end());
    answer.on('error', (error) => this.#break(error));
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#handler.onSocketEnd();
    this.#socket.terminate();
  }

  #break(error: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#handler.onSocketError(error);
    this.#socket.terminate();
  }
}

function bytesOf(frame: RawData): Buffer {
  if (Array.isArray(frame)) return Buffer.concat(frame);
  return Buffer.isBuffer(frame) ? frame : Buffer.from(frame);
}

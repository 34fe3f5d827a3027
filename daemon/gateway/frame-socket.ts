/** One side of a realtime session: text frames with back-pressure, life signs, and a close that is told once. */

/** What is used of a WebSocket. */
export interface WebSocketLike {
  /** 2: one end has said goodbye, and the connection is not closed yet. */
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(text: string, sent: (error?: Error | null) => void): void;
  ping(): void;
  pause(): void;
  resume(): void;
  close(code: number, reason: string): void;
  terminate(): void;
  on(event: 'message', listener: (data: Buffer | ArrayBuffer | Buffer[], isBinary: boolean) => void): unknown;
  on(event: 'close', listener: (code: number, reason: Buffer) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'pong', listener: () => void): unknown;
}

/** What is known of the connection that a WebSocket reads. */
export interface FrameConnection {
  /** True while what has come is not read, since what came before is still looked at. */
  isBehind(): boolean;
  /** True once nothing can be sent or come any more. */
  isBroken(): boolean;
}

/** An accepted client. */
export interface FramePeer {
  readonly socket: WebSocketLike;
  readonly connection: FrameConnection;
}

export interface FrameListener {
  /** @param bytes the text as it came */
  onText(text: string, bytes: Buffer): void;
  onBinary(): void;
  onClose(code: number, reason: string): void;
}

/** Unsent bytes above which the other side is no longer read. */
const MAX_UNSENT_BYTES = 1024 * 1024;
/** A close says at most so many bytes. */
const MAX_REASON_BYTES = 123;
const CLOSING = 2;
/** What a connection that was not closed in so many words is said to be closed with. */
const ABNORMAL = 1006;
/** So long an end has to close its connection. */
const CLOSE_MS = 1000;
/** Between two questions whether an end that is not read is still there: what is sent breaks only with the second. */
const KNOCK_MS = 200;
/** So long what was said before a connection broke is still handed on. */
const LATE_MS = 300;
/** In place of a frame that is no text. */
const BINARY = Symbol('binary');

export class FrameSocket {
  readonly #socket: WebSocketLike;
  readonly #connection: FrameConnection | undefined;
  #listener: FrameListener | undefined;
  #over = false;
  #isHeld = false;
  #isPaused = false;
  /** Frames that had been read when the reading stopped: each may become a hundred thousand times as much. */
  #ahead: (Buffer | typeof BINARY)[] = [];
  /** How many of them were handed on. */
  #handed = 0;
  #isHanding = false;
  /** How the connection was closed, behind all that. */
  #goodbye: { readonly code: number; readonly reason: string } | undefined;
  #brokenSinceMs: number | undefined;
  #seenMs: number;
  #closingSinceMs: number | undefined;
  #knockedMs = 0;
  readonly #now: () => number;

  /**
   * @param now monotonic milliseconds
   * @param connection where it can be told
   */
  constructor(socket: WebSocketLike, now: () => number, connection?: FrameConnection) {
    this.#socket = socket;
    this.#connection = connection;
    this.#now = now;
    this.#seenMs = now();
  }

  /** When the other end last gave a sign of life; this moment while nobody listens for one, if it takes what it is told. */
  get seenMs(): number {
    return this.#isStill && !this.#isCrowded ? this.#now() : this.#seenMs;
  }

  get #isCrowded(): boolean {
    return this.#socket.bufferedAmount > MAX_UNSENT_BYTES;
  }

  /** Nothing is read of the connection. */
  get #isStill(): boolean {
    return this.#isPaused || this.#ahead.length > 0;
  }

  listen(listener: FrameListener): void {
    const socket = this.#socket;
    this.#listener = listener;
    socket.on('message', (data, isBinary) => {
      this.#seenMs = this.#now();
      if (this.#over) return;
      const frame = isBinary ? BINARY : bytesOf(data);
      if (this.#isStill) this.#ahead.push(frame);
      else this.#hand(frame);
    });
    socket.on('pong', () => {
      this.#seenMs = this.#now();
    });
    // A close follows every error.
    socket.on('error', () => undefined);
    socket.on('close', (code, reason) => {
      this.#goodbye = { code, reason: reason.toString('utf8') };
      if (this.#ahead.length === 0) this.#leaveOff(this.#goodbye);
    });
  }

  #hand(frame: Buffer | typeof BINARY): void {
    if (frame === BINARY) this.#listener?.onBinary();
    else this.#listener?.onText(frame.toString('utf8'), frame);
  }

  /** Hands on what was read ahead, a frame a turn of the event loop, as sockets do; only then more is read. */
  #handOn(): void {
    if (this.#isHanding) return;
    this.#isHanding = true;
    setImmediate(() => {
      this.#isHanding = false;
      const frame = this.#ahead[this.#handed];
      if (this.#over || this.#isPaused || frame === undefined) return;
      this.#handed += 1;
      if (this.#handed === this.#ahead.length) {
        this.#ahead = [];
        this.#handed = 0;
      }
      this.#hand(frame);
      if (!this.#over && !this.#isPaused) this.#goOn();
    });
  }

  #goOn(): void {
    if (this.#ahead.length > 0) this.#handOn();
    else if (this.#goodbye !== undefined) this.#leaveOff(this.#goodbye);
    else this.#socket.resume();
  }

  #leaveOff({ code, reason }: { readonly code: number; readonly reason: string }): void {
    if (this.#over) return;
    this.#over = true;
    this.#ahead = [];
    this.#listener?.onClose(code, reason);
  }

  /** Sends a frame; the source, which for an answer is this end itself, is not read while too much waits here. */
  send(text: string, source: FrameSocket | undefined): void {
    if (this.#over) return;
    this.#socket.send(text, (error) => {
      // A ping waits behind all that: what the other end has taken meanwhile is a sign of life as well.
      if (this.#isCrowded && !error) this.#seenMs = this.#now();
      if (!this.#isCrowded) source?.resume();
    });
    if (this.#isCrowded) source?.pause();
  }

  pause(): void {
    if (this.#over) return;
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    if (this.#over || this.#isHeld) return;
    if (this.#isStill) this.#seenMs = this.#now();
    this.#isPaused = false;
    this.#goOn();
  }

  /** Reads nothing more before `release`, whoever asks to go on. */
  hold(): void {
    this.#isHeld = true;
    this.pause();
  }

  release(): void {
    this.#isHeld = false;
    this.resume();
  }

  ping(): void {
    if (!this.#over) this.#socket.ping();
  }

  /** Asks an end that is not read whether it is there: its leaving cannot be heard, but what is sent to it breaks. */
  knock(nowMs: number): void {
    const isUnread = this.#isStill || this.#connection?.isBehind() === true;
    if (!isUnread || nowMs - this.#knockedMs < KNOCK_MS) return;
    this.#knockedMs = nowMs;
    this.ping();
  }

  /** Leaves an end whose connection broke long ago, whatever it had said before; its listener is told. */
  missBroken(nowMs: number): void {
    if (this.#over || this.#connection?.isBroken() !== true) return;
    this.#brokenSinceMs ??= nowMs;
    if (nowMs - this.#brokenSinceMs >= LATE_MS) this.#leaveOff(this.#goodbye ?? { code: ABNORMAL, reason: '' });
  }

  /** Leaves an end that has said goodbye, or broken the protocol, and keeps its connection open; its listener is told. */
  hangUp(nowMs: number): void {
    if (this.#over || this.#socket.readyState !== CLOSING) return;
    this.#closingSinceMs ??= nowMs;
    if (nowMs - this.#closingSinceMs >= CLOSE_MS) this.#socket.terminate();
  }

  close(code: number, reason: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#ahead = [];
    this.#socket.resume();
    this.#socket.close(sendable(code), fitting(reason));
    this.#leave();
  }

  /** Who does not answer the close is left, but for one that still takes what it was told before. */
  #leave(): void {
    const unsent = this.#socket.bufferedAmount;
    const timer = setTimeout(() => {
      if (this.#socket.bufferedAmount < unsent) this.#leave();
      else this.#socket.terminate();
    }, CLOSE_MS);
    timer.unref();
  }
}

function bytesOf(data: Buffer | ArrayBuffer | Buffer[]): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

/** As many whole characters of a reason as a close can say. */
function fitting(reason: string): string {
  const bytes = Buffer.from(reason);
  let end = Math.min(bytes.length, MAX_REASON_BYTES);
  // A byte of the form 10xxxxxx goes on with the character before it.
  while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString('utf8');
}

/** Some codes only report that none came. */
function sendable(code: number): number {
  if (code === 1005) return 1000;
  const isCommon = code >= 1000 && code <= 1014 && code !== 1004 && code !== ABNORMAL;
  return isCommon || (code >= 3000 && code <= 4999) ? code : 1011;
}

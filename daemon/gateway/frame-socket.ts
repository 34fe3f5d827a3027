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
/** So long an end has to close its connection. */
const CLOSE_MS = 1000;
/** Between two questions whether an end that is not read is still there. */
const KNOCK_MS = 1000;

export class FrameSocket {
  readonly #socket: WebSocketLike;
  #over = false;
  #isHeld = false;
  #isPaused = false;
  #seenMs: number;
  #closingSinceMs: number | undefined;
  #knockedMs = 0;
  readonly #now: () => number;

  /** @param now monotonic milliseconds */
  constructor(socket: WebSocketLike, now: () => number) {
    this.#socket = socket;
    this.#now = now;
    this.#seenMs = now();
  }

  /** When the other end last gave a sign of life; this moment while nobody listens for one, if it takes what it is told. */
  get seenMs(): number {
    return this.#isPaused && !this.#isCrowded ? this.#now() : this.#seenMs;
  }

  get #isCrowded(): boolean {
    return this.#socket.bufferedAmount > MAX_UNSENT_BYTES;
  }

  listen(listener: FrameListener): void {
    const socket = this.#socket;
    socket.on('message', (data, isBinary) => {
      this.#seenMs = this.#now();
      if (this.#over) return;
      if (isBinary) {
        listener.onBinary();
        return;
      }
      const bytes = bytesOf(data);
      listener.onText(bytes.toString('utf8'), bytes);
    });
    socket.on('pong', () => {
      this.#seenMs = this.#now();
    });
    // A close follows every error.
    socket.on('error', () => undefined);
    socket.on('close', (code, reason) => {
      if (this.#over) return;
      this.#over = true;
      listener.onClose(code, reason.toString('utf8'));
    });
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
    if (this.#isPaused) this.#seenMs = this.#now();
    this.#isPaused = false;
    this.#socket.resume();
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
    if (!this.#isPaused || nowMs - this.#knockedMs < KNOCK_MS) return;
    this.#knockedMs = nowMs;
    this.ping();
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
  const isCommon = code >= 1000 && code <= 1014 && code !== 1004 && code !== 1006;
  return isCommon || (code >= 3000 && code <= 4999) ? code : 1011;
}

/** The response side of an upgrade: what is refused gets a plain HTTP answer on the bare connection. */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Sink } from '../gateway/exchange.ts';

/** So long a client that was refused has to read why. */
const HANG_UP_MS = 5000;

export class UpgradeSink implements Sink {
  readonly #socket: Duplex;
  /** Names and values in turn. */
  readonly #headers: string[];
  #state: 'open' | 'answered' | 'upgraded' = 'open';
  #gone = false;
  #goneListener: (() => void) | undefined;

  /** @param headers names and values in turn that the answer carries */
  constructor(socket: Duplex, headers: readonly string[]) {
    this.#socket = socket;
    this.#headers = [...headers];
    // A client that ends its side before the upgrade waits for nothing: sockets are of no use by halves.
    socket.once('end', () => {
      if (this.#state === 'open') socket.destroy();
    });
    socket.on('close', () => {
      this.#gone = true;
      if (this.#state === 'open') this.#goneListener?.();
    });
  }

  get headersSent(): boolean {
    return this.#state !== 'open';
  }

  get gone(): boolean {
    return this.#gone;
  }

  get queuedBytes(): number {
    return this.#socket.writableLength;
  }

  /** What was set so far, a line for each header. */
  get lines(): readonly string[] {
    return linesOf(this.#headers);
  }

  /** The connection is a socket now and answers no more. */
  upgraded(): void {
    this.#state = 'upgraded';
  }

  setHeader(name: string, value: string): void {
    this.#headers.push(name, value);
  }

  replaceHeader(name: string, value: string): void {
    const at = this.#headers.lastIndexOf(name);
    if (at < 0) this.#headers.push(name, value);
    else this.#headers[at + 1] = value;
  }

  answer(status: number, contentType: string, body: Buffer | string): void {
    if (this.#state !== 'open' || this.#gone) return;
    this.#state = 'answered';
    const own = ['Content-Type', contentType, 'Content-Length', String(Buffer.byteLength(body)), 'Connection', 'close'];
    const lines = linesOf([...this.#headers, ...own]);
    this.#socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n`);
    this.#socket.end(body);
    this.#hangUp();
  }

  /** Nobody watches a connection that has asked to go on in another protocol: a client that stays would keep it for ever. */
  #hangUp(): void {
    const timer = setTimeout(() => this.#socket.destroy(), HANG_UP_MS);
    timer.unref();
    this.#socket.once('close', () => clearTimeout(timer));
  }

  start(): never {
    throw new TypeError('an upgrade is answered whole or not at all');
  }

  write(): never {
    throw new TypeError('an upgrade is answered whole or not at all');
  }

  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  onDrain(): void {}

  onGone(listener: () => void): void {
    this.#goneListener = listener;
  }
}

/** @param headers names and values in turn */
function linesOf(headers: readonly string[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return lines;
}

/** Keeps the beginning of what a client is sent, for the log of prompts and answers; everything goes on unchanged. */
import type { Sink } from './exchange.ts';

/** Bytes kept of an answer: the texts that are stored are far shorter, but events carry much around them. */
const MAX_KEPT_BYTES = 1024 * 1024;

export class AnswerCopy implements Sink {
  readonly #sink: Sink;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** What was sent, up to a megabyte. */
  get bytes(): Buffer {
    return Buffer.concat(this.#kept);
  }

  get headersSent(): boolean {
    return this.#sink.headersSent;
  }

  get gone(): boolean {
    return this.#sink.gone;
  }

  get queuedBytes(): number {
    return this.#sink.queuedBytes;
  }

  setHeader(name: string, value: string): void {
    this.#sink.setHeader(name, value);
  }

  replaceHeader(name: string, value: string): void {
    this.#sink.replaceHeader(name, value);
  }

  start(status: number, contentType: string): void {
    this.#sink.start(status, contentType);
  }

  write(chunk: Buffer | string): boolean {
    this.#keep(chunk);
    return this.#sink.write(chunk);
  }

  end(): void {
    this.#sink.end();
  }

  answer(status: number, contentType: string, body: Buffer | string): void {
    this.#keep(body);
    this.#sink.answer(status, contentType, body);
  }

  destroy(): void {
    this.#sink.destroy();
  }

  onDrain(listener: () => void): void {
    this.#sink.onDrain(listener);
  }

  onGone(listener: () => void): void {
    this.#sink.onGone(listener);
  }

  #keep(chunk: Buffer | string): void {
    const room = MAX_KEPT_BYTES - this.#keptBytes;
    if (room <= 0) return;
    const piece = Buffer.from(chunk).subarray(0, room);
    this.#kept.push(piece);
    this.#keptBytes += piece.length;
  }
}

/** Keeps what an upstream answers to one call. */
import type { CallTimeouts, ReplyReceiver, TransportError } from '../../daemon/upstream/transport.ts';

export const noTimeouts: CallTimeouts = { headersMs: 0, firstTokenMs: 0, idleMs: 0, totalMs: 0 };

export class ReplyCollector implements ReplyReceiver {
  status = 0;
  readonly chunks: Buffer[] = [];
  error: TransportError | undefined;
  /** Resolves at the end, however it comes. */
  readonly done: Promise<void>;
  #resolve: () => void = () => {};

  constructor() {
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }

  onHead(status: number): void {
    this.status = status;
  }

  onData(chunk: Buffer): void {
    this.chunks.push(chunk);
  }

  onEnd(): void {
    this.#resolve();
  }

  onError(error: TransportError): void {
    this.error = error;
    this.#resolve();
  }
}

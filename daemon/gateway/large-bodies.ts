/**
 * Large bodies are read in a thread: parsing fifty megabytes would hold up every stream of the node (relay.md 20.6). What
 * the thread hands over is mostly long texts, which costs little more than copying them.
 */
import { TollgateError } from '../errors.ts';
import { WorkerThread } from '../relay/threads/worker-thread.ts';
import type { ParseReply } from './large-bodies-worker.ts';
import { type ParsedBody, parseBody } from './parse-body.ts';

/** Bytes from which on a body is large. */
export const LARGE_BODY_BYTES = 8 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const IDLE_MS = 60_000;

export class LargeBodies {
  readonly #thread: WorkerThread<ParseReply>;

  /** @param report told when the thread failed; its body is then read here */
  constructor(report: (error: unknown) => void) {
    const timing = { timeoutMs: TIMEOUT_MS, idleMs: IDLE_MS };
    this.#thread = new WorkerThread({ beside: import.meta.url, module: './large-bodies-worker', ...timing, report });
  }

  /** The body as it says; at once where it is small. Throws, or rejects with, `invalid_request`. */
  parse(body: Buffer): ParsedBody | Promise<ParsedBody> {
    return body.length < LARGE_BODY_BYTES ? parseBody(body) : this.#parse(body);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  async #parse(body: Buffer): Promise<ParsedBody> {
    const reply = await this.#thread.ask({ body });
    if (reply === undefined) return parseBody(body);
    if ('json' in reply) return { body, json: reply.json };
    throw new TollgateError('invalid_request', { reason: reply.reason });
  }
}

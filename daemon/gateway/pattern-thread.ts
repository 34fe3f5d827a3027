/** Long prompts are looked through for patterns in a thread: that takes a second for some megabytes (relay.md 20.6). */
import { WorkerThread } from '../relay/threads/worker-thread.ts';
import type { PatternReply } from './pattern-thread-worker.ts';

const TIMEOUT_MS = 60_000;
const IDLE_MS = 60_000;

export class PatternThread {
  readonly #thread: WorkerThread<PatternReply>;
  #last: Promise<unknown> = Promise.resolve();

  /** @param report told when the thread failed */
  constructor(report: (error: unknown) => void) {
    const timing = { timeoutMs: TIMEOUT_MS, idleMs: IDLE_MS };
    this.#thread = new WorkerThread({ beside: import.meta.url, module: './pattern-thread-worker', ...timing, report });
  }

  /**
   * The line of a pattern that one of the texts matches. One question after the other, so that each has the whole time
   * and none fails with another. Rejects when the thread failed: what was not looked through must not pass.
   */
  find(asked: { readonly lines: readonly string[]; readonly texts: readonly string[] }): Promise<string | undefined> {
    const answer = this.#last.then(() => this.#thread.ask(asked));
    this.#last = answer;
    return answer.then((reply) => {
      if (reply === undefined) throw new Error('a prompt could not be looked through for sensitive words');
      return reply.line;
    });
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

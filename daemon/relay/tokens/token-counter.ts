/**
 * Counts tokens as exactly as the model allows: by vocabulary in a thread of its own, else by estimate. The thread is
 * started when first needed, ends when idle, and is replaced when it takes too long.
 */
import type { Worker } from 'node:worker_threads';
import { WorkerThread } from '../threads/worker-thread.ts';
import { estimateText, tokenFamilyOf } from './estimate.ts';
import { type EstimatorChoice, vocabularyOf } from './tokenizer.ts';
import type { CountReply, CountRequest } from './worker.ts';

export interface TokenCounterConfig {
  readonly estimator: EstimatorChoice;
  /** Longest wait for a count before the estimate is taken. */
  readonly timeoutMs: number;
  /** Silence after which the thread, and the memory of its vocabularies, is given back. */
  readonly idleMs: number;
  /** Told when the thread could not be started, failed or was too slow; the count became an estimate. */
  readonly report: (error: unknown) => void;
  /** Default: the thread that counts by vocabulary. */
  readonly startThread?: () => Worker;
}

/** Texts above this many characters together are always estimated (relay.md 14.3). */
const MAX_COUNTED_LENGTH = 256 * 1024;

export class TokenCounter {
  readonly #config: TokenCounterConfig;
  readonly #thread: WorkerThread<CountReply>;

  constructor(config: TokenCounterConfig) {
    this.#config = config;
    const { timeoutMs, idleMs, report, startThread } = config;
    const thread = { beside: import.meta.url, module: './worker', startThread };
    this.#thread = new WorkerThread({ ...thread, timeoutMs, idleMs, report });
  }

  /** Tokens of all texts together. Never rejects: what cannot be counted is estimated. */
  async count(model: string, texts: readonly string[]): Promise<number> {
    const vocabulary = vocabularyOf(model, this.#config.estimator);
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    if (length === 0) return 0;
    if (vocabulary !== undefined && length <= MAX_COUNTED_LENGTH) {
      const question: Omit<CountRequest, 'id'> = { vocabulary, texts };
      const reply = await this.#thread.ask(question);
      if (reply !== undefined) return reply.tokens;
    }
    const family = tokenFamilyOf(model);
    return texts.reduce((sum, text) => sum + estimateText(family, text), 0);
  }

  /** Ends the thread; counts under way become estimates. */
  close(): Promise<void> {
    return this.#thread.close();
  }
}

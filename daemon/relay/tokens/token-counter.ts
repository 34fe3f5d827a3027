/**
 * Counts tokens as exactly as the model allows: by vocabulary in a thread of its own, else by estimate. The thread is
 * started when first needed, ends when idle, and is replaced when it takes too long.
 */
import { Worker } from 'node:worker_threads';
import { estimateText, tokenFamilyOf } from './estimate.ts';
import { type EstimatorChoice, type VocabularyName, vocabularyOf } from './tokenizer.ts';
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

interface Waiting {
  readonly resolve: (tokens: number | undefined) => void;
  readonly timer: NodeJS.Timeout;
}

/** Starts the thread from the file beside this one: as built, or as a source, which a thread must be taught to read. */
function startWorker(): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./worker.js', import.meta.url));
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const source = JSON.stringify(new URL('./worker.ts', import.meta.url).href);
  return new Worker(`import(${loader}).then(({ register }) => { register(); return import(${source}); });`, {
    eval: true,
  });
}

export class TokenCounter {
  readonly #config: TokenCounterConfig;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #nextId = 1;

  constructor(config: TokenCounterConfig) {
    this.#config = config;
  }

  /** Tokens of all texts together. Never rejects: what cannot be counted is estimated. */
  async count(model: string, texts: readonly string[]): Promise<number> {
    const vocabulary = vocabularyOf(model, this.#config.estimator);
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    if (length === 0) return 0;
    if (vocabulary !== undefined && length <= MAX_COUNTED_LENGTH) {
      const tokens = await this.#ask(vocabulary, texts);
      if (tokens !== undefined) return tokens;
    }
    const family = tokenFamilyOf(model);
    return texts.reduce((sum, text) => sum + estimateText(family, text), 0);
  }

  /** Ends the thread; counts under way become estimates. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#drop();
  }

  #ask(vocabulary: VocabularyName, texts: readonly string[]): Promise<number | undefined> {
    return new Promise((resolve) => {
      const id = this.#nextId++;
      const timer = setTimeout(() => this.#fail(new Error('counting tokens took too long')), this.#config.timeoutMs);
      timer.unref();
      this.#waiting.set(id, { resolve, timer });
      const request: CountRequest = { id, vocabulary, texts };
      try {
        this.#running().postMessage(request);
      } catch (error) {
        this.#fail(error);
      }
    });
  }

  #running(): Worker {
    clearTimeout(this.#idle);
    if (this.#worker !== undefined) return this.#worker;
    const worker = (this.#config.startThread ?? startWorker)();
    worker.unref();
    worker.on('message', (reply: CountReply) => this.#answered(reply));
    worker.on('error', (error) => this.#fail(error));
    this.#worker = worker;
    return worker;
  }

  #answered({ id, tokens }: CountReply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    clearTimeout(waiting?.timer);
    waiting?.resolve(tokens);
    if (this.#waiting.size > 0) return;
    this.#idle = setTimeout(() => this.#drop().catch(this.#config.report), this.#config.idleMs);
    this.#idle.unref();
  }

  /** Whoever waits gets the estimate; the next count tries a new thread. */
  #fail(error: unknown): void {
    this.#config.report(error);
    this.#drop().catch(this.#config.report);
  }

  async #drop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    for (const { resolve, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      resolve(undefined);
    }
    this.#waiting.clear();
    await worker?.terminate();
  }
}

/**
 * A thread for work that would hold up the event loop: started when first needed, ended when idle, and replaced when it
 * takes too long.
 */
import { Worker } from 'node:worker_threads';

export interface WorkerThreadConfig {
  /** Where the thread's module lies: beside this one (`import.meta.url`), under a name without its ending. */
  readonly beside: string;
  readonly module: string;
  /** Longest wait for an answer. */
  readonly timeoutMs: number;
  /** Silence after which the thread, and its memory, is given back. */
  readonly idleMs: number;
  /** Told when the thread could not be started, failed or was too slow. */
  readonly report: (error: unknown) => void;
  /** Default: a thread that runs the module. */
  readonly startThread?: (() => Worker) | undefined;
}

interface Waiting<Reply> {
  readonly resolve: (reply: Reply | undefined) => void;
  readonly timer: NodeJS.Timeout;
}

/** Starts the thread from a built file, or from a source, which a thread must be taught to read. */
function startWorker({ beside, module }: WorkerThreadConfig): Worker {
  if (!beside.endsWith('.ts')) return new Worker(new URL(`${module}.js`, beside));
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const source = JSON.stringify(new URL(`${module}.ts`, beside).href);
  return new Worker(`import(${loader}).then(({ register }) => { register(); return import(${source}); });`, {
    eval: true,
  });
}

/** Asks with objects, each of which the thread answers by one `Reply` with its `id`. */
export class WorkerThread<Reply extends { readonly id: number }> {
  readonly #config: WorkerThreadConfig;
  readonly #waiting = new Map<number, Waiting<Reply>>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #nextId = 1;

  constructor(config: WorkerThreadConfig) {
    this.#config = config;
  }

  /** The thread's answer; undefined when it failed or took too long. Never rejects. */
  ask(question: object): Promise<Reply | undefined> {
    return new Promise((resolve) => {
      const id = this.#nextId++;
      const { module, timeoutMs } = this.#config;
      const timer = setTimeout(() => this.#fail(new Error(`the thread ${module} took too long`)), timeoutMs);
      timer.unref();
      this.#waiting.set(id, { resolve, timer });
      try {
        this.#running().postMessage({ ...question, id });
      } catch (error) {
        this.#fail(error);
      }
    });
  }

  /** Ends the thread; whoever waits gets no answer. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#drop();
  }

  #running(): Worker {
    clearTimeout(this.#idle);
    if (this.#worker !== undefined) return this.#worker;
    const worker = this.#config.startThread?.() ?? startWorker(this.#config);
    worker.unref();
    worker.on('message', (reply: Reply) => this.#answered(reply));
    worker.on('error', (error) => this.#fail(error));
    this.#worker = worker;
    return worker;
  }

  #answered(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    clearTimeout(waiting?.timer);
    waiting?.resolve(reply);
    if (this.#waiting.size > 0) return;
    this.#idle = setTimeout(() => this.#drop().catch(this.#config.report), this.#config.idleMs);
    this.#idle.unref();
  }

  /** Whoever waits goes on without; the next question tries a new thread. */
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

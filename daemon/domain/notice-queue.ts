/** Notices on their way: a bounded queue with a few tries each. Offering never waits; what does not fit is counted. */
import type { NoticeFigures } from '../contract/alerts.ts';
import { type Delivery, DeliveryFailure } from './notice-delivery.ts';

export interface NoticeQueueDeps {
  /** One try. Rejects with `DeliveryFailure`, or anything else, which is tried again. */
  readonly deliver: (delivery: Delivery) => Promise<void>;
  /** Told of a notice that will not arrive. */
  readonly report: (event: { readonly delivery: Delivery; readonly cause: unknown }) => void;
  readonly limits?: Partial<NoticeQueueLimits>;
}

export interface NoticeQueueLimits {
  /** Notices that wait, for a first or a later try; one more is dropped. */
  readonly maxWaiting: number;
  /** Tries at the same time. */
  readonly maxRunning: number;
  /** Pauses before the tries after the first; when they are used up the notice has failed. */
  readonly retryDelaysMs: readonly number[];
  /** How long `stop` waits for tries under way. */
  readonly stopMs: number;
}

const defaultLimits: NoticeQueueLimits = {
  maxWaiting: 1000,
  maxRunning: 4,
  retryDelaysMs: [10_000, 60_000, 300_000, 900_000],
  stopMs: 5000,
};

interface Waiting {
  readonly delivery: Delivery;
  readonly failures: number;
}

export class NoticeQueue {
  readonly #deps: NoticeQueueDeps;
  readonly #limits: NoticeQueueLimits;
  readonly #ready: Waiting[] = [];
  readonly #pauses = new Set<NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  readonly #figures = { sent: 0, failed: 0, dropped: 0 };
  #isStopped = false;

  constructor(deps: NoticeQueueDeps) {
    this.#deps = deps;
    this.#limits = { ...defaultLimits, ...deps.limits };
  }

  get figures(): NoticeFigures {
    return { waiting: this.#waiting, ...this.#figures };
  }

  /** Takes a notice if there is room; never waits and never throws. */
  offer(delivery: Delivery): boolean {
    if (this.#isStopped || this.#waiting >= this.#limits.maxWaiting) {
      this.#figures.dropped += 1;
      return false;
    }
    this.#ready.push({ delivery, failures: 0 });
    this.#start();
    return true;
  }

  /** Resolves when nothing is under way or ready; what pauses before a later try is not waited for. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Begins nothing more and gives what runs a moment; what still waits is lost. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#figures.dropped += this.#ready.length + this.#pauses.size;
    this.#ready.length = 0;
    for (const pause of this.#pauses) clearTimeout(pause);
    this.#pauses.clear();
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#limits.stopMs);
    });
    await Promise.race([this.idle(), timeUp]);
    clearTimeout(timer);
  }

  get #waiting(): number {
    return this.#ready.length + this.#pauses.size;
  }

  #start(): void {
    while (this.#running.size < this.#limits.maxRunning) {
      const next = this.#ready.shift();
      if (!next) return;
      const run = this.#try(next).finally(() => {
        this.#running.delete(run);
        this.#start();
      });
      this.#running.add(run);
    }
  }

  async #try({ delivery, failures }: Waiting): Promise<void> {
    try {
      await this.#deps.deliver(delivery);
      this.#figures.sent += 1;
    } catch (cause) {
      const delayMs = this.#limits.retryDelaysMs[failures];
      const isFinal = cause instanceof DeliveryFailure && cause.again === 'never';
      if (isFinal || delayMs === undefined || this.#isStopped) {
        this.#figures.failed += 1;
        this.#deps.report({ delivery, cause });
        return;
      }
      this.#pause({ delivery, failures: failures + 1 }, delayMs);
    }
  }

  #pause(next: Waiting, delayMs: number): void {
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      this.#ready.push(next);
      this.#start();
    }, delayMs);
    pause.unref();
    this.#pauses.add(pause);
  }
}

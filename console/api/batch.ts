/**
 * Many calls in a loop (console.md 3, rule 7): 4 at a time, 300 a minute, waits where the server asks for it, can be
 * stopped and taken up again. What is refused is kept with its reason, and the others go on.
 */
import { ApiError } from '../../daemon/contract/client.ts';

export interface BatchFailure<Item> {
  readonly item: Item;
  readonly error: unknown;
}

export interface BatchProgress<Item> {
  readonly total: number;
  /** Served and refused ones. */
  readonly done: number;
  readonly failures: readonly BatchFailure<Item>[];
  readonly isRunning: boolean;
  /** Seconds until it goes on, while the server wants it to wait. */
  readonly waitSeconds?: number;
}

export interface BatchOptions {
  readonly parallel?: number;
  readonly perMinute?: number;
  /** Milliseconds; replaced in tests. */
  readonly now?: () => number;
  readonly sleep?: (ms: number) => Promise<void>;
}

type Act<Item> = (item: Item, signal: AbortSignal) => Promise<unknown>;

/** Taken where a 429 does not say how long. */
const usualWaitSeconds = 5;
const realSleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * True for what an act must hand on, since the loop deals with it: the call was given up by its stop, or the server had no
 * time for it. Either is then done later.
 */
export function isForTheLoop(error: unknown, signal: AbortSignal | undefined): boolean {
  return signal !== undefined && (signal.aborted || (error instanceof ApiError && error.status === 429));
}

export class Batch<Item> {
  readonly #total: number;
  readonly #act: Act<Item>;
  readonly #tell: (progress: BatchProgress<Item>) => void;
  readonly #parallel: number;
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #sleep: (ms: number) => Promise<void>;
  #waiting: Item[];
  #done = 0;
  #failures: BatchFailure<Item>[] = [];
  #starts: number[] = [];
  #pausedUntil = 0;
  #run: AbortController | undefined;

  constructor(
    items: readonly Item[],
    act: Act<Item>,
    tell: (progress: BatchProgress<Item>) => void = () => undefined,
    options: BatchOptions = {},
  ) {
    this.#total = items.length;
    this.#waiting = [...items];
    this.#act = act;
    this.#tell = tell;
    this.#parallel = options.parallel ?? 4;
    this.#perMinute = options.perMinute ?? 300;
    this.#now = options.now ?? Date.now;
    this.#sleep = options.sleep ?? realSleep;
  }

  get progress(): BatchProgress<Item> {
    const wait = Math.ceil((this.#pausedUntil - this.#now()) / 1000);
    const isRunning = this.#run !== undefined;
    return {
      total: this.#total,
      done: this.#done,
      failures: this.#failures,
      isRunning,
      ...(isRunning && wait > 0 ? { waitSeconds: wait } : {}),
    };
  }

  /** Resolves when nothing is left or it was stopped; called again, it does what is left. */
  async run(): Promise<BatchProgress<Item>> {
    if (this.#run) return this.progress;
    const run = new AbortController();
    this.#run = run;
    this.#tell(this.progress);
    try {
      await Promise.all(Array.from({ length: this.#parallel }, () => this.#work(run.signal)));
    } finally {
      this.#run = undefined;
      this.#tell(this.progress);
    }
    return this.progress;
  }

  /** Nothing more is begun; what is on its way is given up and stays to be done. */
  stop(): void {
    this.#run?.abort();
  }

  async #work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pause = this.#pause();
      if (pause > 0) {
        await this.#sleep(Math.min(pause, 1000));
        this.#tell(this.progress);
        continue;
      }
      const item = this.#waiting.shift();
      if (item === undefined) return;
      this.#starts.push(this.#now());
      await this.#try(item, signal);
    }
  }

  /** Milliseconds until the next call may begin. */
  #pause(): number {
    const now = this.#now();
    this.#starts = this.#starts.filter((start) => start > now - 60_000);
    const first = this.#starts[0];
    const byPace = first !== undefined && this.#starts.length >= this.#perMinute ? first + 60_000 - now : 0;
    return this.#waiting.length === 0 ? 0 : Math.max(byPace, this.#pausedUntil - now);
  }

  async #try(item: Item, signal: AbortSignal): Promise<void> {
    try {
      await this.#act(item, signal);
      this.#done += 1;
    } catch (error) {
      if (signal.aborted) {
        this.#waiting.unshift(item);
        return;
      }
      if (error instanceof ApiError && error.status === 429) {
        this.#waiting.unshift(item);
        const until = this.#now() + (error.retryAfter ?? usualWaitSeconds) * 1000;
        this.#pausedUntil = Math.max(this.#pausedUntil, until);
      } else {
        this.#done += 1;
        this.#failures = [...this.#failures, { item, error }];
      }
    }
    this.#tell(this.progress);
  }
}

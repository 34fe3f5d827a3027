/**
 * When a screen asks the server again (cli.md 5.4): only what is in view, one call of a kind at a time, at most so many a
 * minute, more and more seldom after failures, and seldom when nobody has touched a key for long.
 */

/** Time, replaced in tests. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Does something later; what it returns takes that back. */
  after(ms: number, run: () => void): () => void;
}

export const realClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Something that is asked for again and again. */
export interface Source {
  readonly kind: string;
  readonly periodMs: number;
  call(): Promise<void>;
}

export interface RefreshState {
  readonly word: 'live' | 'paused' | 'retrying' | 'offline';
  readonly periodMs: number;
  /** Milliseconds of the clock; when the first call failed of those that have failed since. */
  readonly since: number | undefined;
}

interface Watched {
  readonly source: Source;
  isRunning: boolean;
  failures: number;
  failingSince: number | undefined;
  /** Takes back the next call. */
  cancel: (() => void) | undefined;
  /** Asked for while a call was under way. */
  again: boolean;
}

export interface RefresherDeps {
  readonly clock: Clock;
  /** Told after every call. */
  onAnswer(failure: unknown): void;
}

const longestMs = 60_000;
const callsPerMinute = 40;
const untouchedMs = 15 * 60_000;
/** So many failures, one after another, are no longer a hiccup. */
const offlineAfter = 3;

export class Refresher {
  readonly #deps: RefresherDeps;
  #watched: readonly Watched[] = [];
  /** Those without an answer, also of what is no longer in view. */
  readonly #underWay = new Map<Source, Watched>();
  #starts: number[] = [];
  #isPaused = false;
  #touchedAt: number;

  constructor(deps: RefresherDeps) {
    this.#deps = deps;
    this.#touchedAt = deps.clock.now();
  }

  /** Asks for these from now on, at once, and no longer for those before. */
  show(sources: readonly Source[]): void {
    for (const { cancel } of this.#watched) cancel?.();
    this.#watched = sources.map(
      (source) =>
        this.#underWay.get(source) ?? {
          source,
          isRunning: false,
          failures: 0,
          failingSince: undefined,
          cancel: undefined,
          again: false,
        },
    );
    for (const watched of this.#watched) {
      // A screen comes back before its call is answered: of two beside each other the older answer could come last.
      if (watched.isRunning) watched.again = true;
      else this.#begin(watched);
    }
  }

  /** Asks now for one kind, or for all. */
  refresh(kind?: string): void {
    for (const watched of this.#watched) {
      if (kind !== undefined && watched.source.kind !== kind) continue;
      if (watched.isRunning) watched.again = true;
      else this.#begin(watched);
    }
  }

  /** A call is under way. */
  get isBusy(): boolean {
    return this.#watched.some(({ isRunning }) => isRunning);
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    for (const watched of this.#watched) {
      watched.cancel?.();
      watched.cancel = undefined;
      if (!isPaused && !watched.isRunning) this.#begin(watched);
    }
  }

  /** Somebody is there. */
  touch(): void {
    const { clock } = this.#deps;
    const wasAway = clock.now() - this.#touchedAt > untouchedMs;
    this.#touchedAt = clock.now();
    if (wasAway && !this.#isPaused) this.refresh();
  }

  end(): void {
    for (const { cancel } of this.#watched) cancel?.();
    this.#watched = [];
  }

  /** What the status word says: that of the source that fares worst. */
  get state(): RefreshState {
    const worst = [...this.#watched].sort((a, b) => b.failures - a.failures)[0];
    const fastest = Math.min(...this.#watched.map((watched) => this.#periodOf(watched)));
    const failures = worst?.failures ?? 0;
    const word = this.#isPaused ? 'paused' : failures >= offlineAfter ? 'offline' : failures > 0 ? 'retrying' : 'live';
    return {
      word,
      periodMs: word === 'retrying' && worst ? this.#periodOf(worst) : Number.isFinite(fastest) ? fastest : 0,
      since: worst?.failingSince,
    };
  }

  #periodOf({ source, failures }: Watched): number {
    const isAway = this.#deps.clock.now() - this.#touchedAt > untouchedMs;
    const period = isAway ? Math.max(source.periodMs, longestMs) : source.periodMs;
    return failures === 0 ? period : Math.max(source.periodMs, Math.min(longestMs, source.periodMs * 2 ** failures));
  }

  #begin(watched: Watched): void {
    const { clock } = this.#deps;
    watched.cancel?.();
    watched.cancel = undefined;
    const now = clock.now();
    this.#starts = this.#starts.filter((at) => now - at < 60_000);
    const [oldest] = this.#starts;
    if (oldest !== undefined && this.#starts.length >= callsPerMinute) {
      this.#later(watched, oldest + 60_000 - now);
      return;
    }
    this.#starts.push(now);
    watched.isRunning = true;
    this.#underWay.set(watched.source, watched);
    watched.source.call().then(
      () => this.#answered(watched, undefined),
      (failure: unknown) => this.#answered(watched, failure ?? new Error('it failed')),
    );
  }

  #answered(watched: Watched, failure: unknown): void {
    watched.isRunning = false;
    this.#underWay.delete(watched.source);
    watched.failures = failure === undefined ? 0 : watched.failures + 1;
    watched.failingSince = failure === undefined ? undefined : (watched.failingSince ?? this.#deps.clock.now());
    if (!this.#watched.includes(watched)) return;
    this.#deps.onAnswer(failure);
    if (watched.again) {
      watched.again = false;
      this.#begin(watched);
    } else if (!this.#isPaused) {
      this.#later(watched, Math.max(this.#periodOf(watched), askedToWaitMs(failure)));
    }
  }

  #later(watched: Watched, ms: number): void {
    watched.cancel = this.#deps.clock.after(ms, () => this.#begin(watched));
  }
}

/** What a 429 asks for. */
function askedToWaitMs(failure: unknown): number {
  const seconds: unknown = failure instanceof Error ? Reflect.get(failure, 'retryAfter') : undefined;
  return typeof seconds === 'number' ? seconds * 1000 : 0;
}

/**
 * Jobs run beside the requests: each at its interval with a little jitter, never twice at once, and those of the
 * cluster on one node at a time under a lease. A job that throws is logged and runs again at its next turn.
 */

import type { Lease } from '../cluster/leases.ts';
import type { JobState } from '../domain/node-figures.ts';

export interface Job {
  /** Unique; names the lease and the log lines. */
  readonly name: string;
  readonly everyMs: number;
  /** Pause after a run that failed; `everyMs` when absent. */
  readonly afterFailureMs?: number;
  /** `node`: on every node; `cluster`: on one node of the cluster. */
  readonly scope: 'node' | 'cluster';
  /** Runs once at start, too, when true. */
  readonly atStart?: boolean;
  run(signal: AbortSignal): Promise<void>;
}

export interface SchedulerDeps {
  /** Undefined when another node holds the name. */
  readonly acquireLease: (name: string, ttlMs: number) => Promise<Lease | undefined>;
  readonly report: (event: { job: string; error: unknown }) => void;
  /** In [0, 1). */
  readonly random: () => number;
}

/** A crashed run frees its lease after this long. */
const leaseMs = 60_000;
/** A timer that is to wait longer, some 25 days, goes off at once. */
const longestTimerMs = 2 ** 31 - 1;

export class Scheduler {
  readonly #deps: SchedulerDeps;
  readonly #stop = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  readonly #states = new Map<string, JobState>();

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
  }

  /** How each job went last, in the order in which they were started. */
  states(): JobState[] {
    return [...this.#states.values()];
  }

  start(jobs: readonly Job[]): void {
    for (const { name, scope } of jobs) {
      this.#states.set(name, { name, scope, lastAt: 0, lastMs: 0, outcome: 'never', nextAt: 0 });
    }
    for (const job of jobs) {
      if (job.atStart) this.#launch(job);
      else this.#plan(job);
    }
  }

  /** Plans nothing more and waits for what runs. */
  async stop(): Promise<void> {
    this.#stop.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.allSettled(this.#running);
  }

  #plan(job: Job, pauseMs = job.everyMs): void {
    if (this.#stop.signal.aborted) return;
    // Up to a tenth later, so that nodes that started together do not stay in step.
    const delayMs = pauseMs * (1 + this.#deps.random() / 10);
    this.#note(job, { nextAt: Math.floor((Date.now() + delayMs) / 1000) });
    this.#launchIn(delayMs, job);
  }

  #launchIn(delayMs: number, job: Job): void {
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        if (delayMs > longestTimerMs) this.#launchIn(delayMs - longestTimerMs, job);
        else this.#launch(job);
      },
      Math.min(delayMs, longestTimerMs),
    );
    timer.unref();
    this.#timers.add(timer);
  }

  #launch(job: Job): void {
    const lastAt = Math.floor(Date.now() / 1000);
    const startedMs = performance.now();
    const ended = (outcome: JobState['outcome']) =>
      this.#note(job, { outcome, lastAt, lastMs: Math.round(performance.now() - startedMs) });
    const run = this.#once(job)
      .then(
        (outcome) => {
          ended(outcome);
          return job.everyMs;
        },
        (error: unknown) => {
          ended('failed');
          this.#deps.report({ job: job.name, error });
          return job.afterFailureMs ?? job.everyMs;
        },
      )
      .then((pauseMs) => {
        this.#running.delete(run);
        this.#plan(job, pauseMs);
      });
    this.#running.add(run);
  }

  #note(job: Job, change: Partial<JobState>): void {
    const state = this.#states.get(job.name);
    if (state) this.#states.set(job.name, { ...state, ...change });
  }

  async #once(job: Job): Promise<'done' | 'elsewhere'> {
    if (job.scope === 'node') {
      await job.run(this.#stop.signal);
      return 'done';
    }
    const lease = await this.#deps.acquireLease(`job:${job.name}`, leaseMs);
    if (lease === undefined) return 'elsewhere';
    // Of its own, with a listener that is taken away: what `AbortSignal.any` makes stays with the signal that lives on.
    const ends = new AbortController();
    const end = () => ends.abort();
    if (this.#stop.signal.aborted) end();
    this.#stop.signal.addEventListener('abort', end);
    const renewal = setInterval(() => {
      lease.renew(leaseMs).then(
        (kept) => {
          if (!kept) end();
        },
        () => undefined, // An unreachable lease store shows at the next renewal, or ends the lease by its age.
      );
    }, leaseMs / 3);
    renewal.unref();
    try {
      await job.run(ends.signal);
      return 'done';
    } finally {
      clearInterval(renewal);
      this.#stop.signal.removeEventListener('abort', end);
      await lease.release();
    }
  }
}

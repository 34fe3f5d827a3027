/**
 * One coarse clock for every upstream call of the process: a call costs a place in a list instead of several timers,
 * and a chunk costs one field write. Deadlines fire up to one tick late.
 */
import { Roster } from './roster.ts';

/** Something with deadlines of its own. */
export interface Watched {
  /** Called once a tick; `nowMs` is monotonic. */
  check(nowMs: number): void;
}

const TICK_MS = 100;

export class Deadlines {
  readonly #watched = new Roster<Watched>();
  #timer: NodeJS.Timeout | undefined;
  #nowMs = performance.now();

  /** Monotonic milliseconds, at most one tick old while anything is watched. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Returns the place to give to `forget`. */
  watch(target: Watched): number {
    if (this.#timer === undefined) {
      this.#nowMs = performance.now();
      this.#timer = setInterval(() => this.#tick(), TICK_MS);
      this.#timer.unref();
    }
    return this.#watched.add(target);
  }

  forget(target: Watched, place: number): void {
    this.#watched.remove(target, place);
  }

  #tick(): void {
    this.#nowMs = performance.now();
    this.#watched.forEach((target) => {
      target.check(this.#nowMs);
    });
    // The timer outlives short gaps between calls, so that a busy node does not start one per call.
    if (this.#watched.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }
}

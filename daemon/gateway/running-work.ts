/** What runs and can be asked to end: the streams and attempts of this node. */
import { Roster } from '../upstream/roster.ts';

export interface Interruptible {
  /** Ends as soon as it can do so properly. */
  interrupt(): void;
}

export class RunningWork {
  readonly #running = new Roster<Interruptible>();
  #interrupted = false;

  /** Returns the place to give to `remove`. */
  add(work: Interruptible): number {
    // What begins after the grace is over ends at once.
    if (this.#interrupted) queueMicrotask(() => work.interrupt());
    return this.#running.add(work);
  }

  remove(work: Interruptible, place: number): void {
    this.#running.remove(work, place);
  }

  /** The grace of a shutdown is over. */
  interruptAll(): void {
    this.#interrupted = true;
    this.#running.forEach((work) => {
      work.interrupt();
    });
  }
}

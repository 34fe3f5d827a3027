/** What runs and can be asked to end: the streams and attempts of this node. */

export interface Interruptible {
  /** Ends as soon as it can do so properly. */
  interrupt(): void;
}

export class RunningWork {
  readonly #running = new Set<Interruptible>();
  #interrupted = false;

  add(work: Interruptible): void {
    this.#running.add(work);
    // What begins after the grace is over ends at once.
    if (this.#interrupted) queueMicrotask(() => work.interrupt());
  }

  remove(work: Interruptible): void {
    this.#running.delete(work);
  }

  /** The grace of a shutdown is over. */
  interruptAll(): void {
    this.#interrupted = true;
    for (const work of [...this.#running]) work.interrupt();
  }
}

/** One queue for all that streams: what came in is drawn together, before a frame, and 20 times a second at most. */

const minGapMs = 50;

class FrameQueue {
  readonly #waiting = new Set<() => void>();
  #isPlanned = false;
  #drawnAt = Number.NEGATIVE_INFINITY;

  /** Runs the job before one of the next frames; a job that waits already is not run twice. */
  add(job: () => void): void {
    this.#waiting.add(job);
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    requestAnimationFrame(this.#draw);
  }

  readonly #draw = (now: number): void => {
    if (now - this.#drawnAt < minGapMs) {
      requestAnimationFrame(this.#draw);
      return;
    }
    this.#drawnAt = now;
    this.#isPlanned = false;
    const jobs = [...this.#waiting];
    this.#waiting.clear();
    for (const job of jobs) job();
  };
}

/** The queue of the page. */
export const frames = new FrameQueue();

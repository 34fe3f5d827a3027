/**
 * One queue for all that streams: what came in is drawn together, before a frame, 20 times a second at most, and so
 * seldom that two thirds of the time are left to the reader: a long answer takes long to draw.
 */

const minGapMs = 50;
const timesOfDrawing = 3;

export class FrameQueue {
  readonly #waiting = new Set<() => void>();
  #isPlanned = false;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #gapMs = minGapMs;

  /** Runs the job before one of the next frames; a job that waits already is not run twice. */
  add(job: () => void): void {
    this.#waiting.add(job);
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    requestAnimationFrame(this.#draw);
  }

  readonly #draw = (now: number): void => {
    if (now - this.#drawnAt < this.#gapMs) {
      requestAnimationFrame(this.#draw);
      return;
    }
    this.#drawnAt = now;
    this.#isPlanned = false;
    const jobs = [...this.#waiting];
    this.#waiting.clear();
    const began = performance.now();
    for (const job of jobs) job();
    // After the frame, when the page is laid out and painted as well.
    setTimeout(() => {
      this.#gapMs = Math.max(minGapMs, timesOfDrawing * (performance.now() - began));
    });
  };
}

/** The queue of the page. */
export const frames = new FrameQueue();

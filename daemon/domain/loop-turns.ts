/** Long work on the event loop, a few milliseconds at a time. */
import { setImmediate as turnOfLoop } from 'node:timers/promises';

/** Others wait no longer than this, and for the step that is under way. */
const TURN_MS = 4;

export class LoopTurns {
  #last: Promise<void> = Promise.resolve();

  /**
   * Runs the steps to their end: at once when they take no more than a turn, else in turns of the loop of their own,
   * which all that is run here gets one after the other.
   */
  run<T>(steps: Iterator<unknown, T>): T | Promise<T> {
    const first = turnOf(steps);
    return first.done === true ? first.value : this.#goOn(steps);
  }

  async #goOn<T>(steps: Iterator<unknown, T>): Promise<T> {
    for (;;) {
      this.#last = this.#last.then(() => turnOfLoop());
      await this.#last;
      const step = turnOf(steps);
      if (step.done === true) return step.value;
    }
  }
}

function turnOf<T>(steps: Iterator<unknown, T>): IteratorResult<unknown, T> {
  const begun = performance.now();
  let step = steps.next();
  while (step.done !== true && performance.now() - begun < TURN_MS) step = steps.next();
  return step;
}

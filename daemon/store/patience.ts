/**
 * How long callers wait for a database that may have stopped answering. Once it has let somebody wait in vain, those
 * who ask next wait little, or they would wait as long in turn; its first answer ends that.
 */
export interface PatienceLimits {
  /** Milliseconds. */
  readonly usualMs: number;
  /** The same after somebody has waited in vain. */
  readonly stalledMs: number;
}

export class Patience {
  readonly #limits: PatienceLimits;
  #isStalled = false;

  constructor(limits: PatienceLimits) {
    this.#limits = limits;
  }

  /** Ends as `work` does, or with `late()` when that takes too long; its own end then only tells that there is one. */
  async outlast<T>(work: Promise<T>, late: (ms: number) => Error): Promise<T> {
    const { usualMs, stalledMs } = this.#limits;
    const ms = this.#isStalled ? stalledMs : usualMs;
    const began = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(late(ms)), ms).unref();
    });
    try {
      const result = await Promise.race([work, deadline]);
      this.#isStalled = false;
      return result;
    } catch (error) {
      // Drivers give up by themselves too, about as late.
      if (performance.now() - began >= usualMs / 2) this.#isStalled = true;
      work.then(
        () => {
          this.#isStalled = false;
        },
        () => undefined,
      );
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The error rates of all nodes: each writes what it has counted, a few rows a minute, and reads the sums. */
import type { ErrorCountStore } from '../store/error-counts.ts';
import type { ErrorRate, ErrorRates } from './error-rates.ts';

export interface SharedErrorRatesDeps {
  /** What this process counts. */
  readonly own: Pick<ErrorRates, 'byMinute'>;
  readonly counts: ErrorCountStore;
  /** Names this run of this process: after a restart it counts from nothing. */
  readonly processId: string;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

/** Longer than any window of a rule. */
const keptMinutes = 120;

export class SharedErrorRates {
  readonly #deps: SharedErrorRatesDeps;
  /** Unix minute up to which everything was written; that minute itself may have gone on. */
  #writtenTo = 0;

  constructor(deps: SharedErrorRatesDeps) {
    this.#deps = deps;
  }

  /**
   * Sums of the last minutes, the running one included: of this node as of now, of the others as of when they asked
   * last, about a minute ago at most.
   */
  async of(minutes: number): Promise<ErrorRate[]> {
    const { own, counts, processId, nowSeconds } = this.#deps;
    const now = Math.floor(nowSeconds() / 60);
    // Where the clock was set back, minutes that were written go on.
    const from = Math.min(this.#writtenTo, now);
    const fresh = own.byMinute(minutes).filter(({ minute }) => minute >= from);
    await counts.put(fresh.map((rate) => ({ processId, ...rate })));
    this.#writtenTo = now;
    await counts.deleteBefore(now - keptMinutes);
    return counts.sumsSince(now - minutes + 1);
  }
}

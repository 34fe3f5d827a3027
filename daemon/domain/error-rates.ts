/** How many calls of each channel, and of the site, failed lately on this node: counted by the minute, in bounded space. */

/** The site as a whole, among channel ids. */
export const wholeSite = 0;

export interface ErrorRate {
  /** `wholeSite` or a channel id. */
  readonly channelId: number;
  readonly failed: number;
  readonly total: number;
}

/** Of one Unix minute. */
export interface MinuteRate extends ErrorRate {
  readonly minute: number;
}

interface Count {
  failed: number;
  total: number;
}

const keptMinutes = 60;
const maxChannels = 10_000;

export class ErrorRates {
  readonly #nowSeconds: () => number;
  /** Unix minute -> channel -> counts. */
  readonly #minutes = new Map<number, Map<number, Count>>();

  /** @param nowSeconds Unix seconds: all nodes count by the same minutes */
  constructor(nowSeconds: () => number) {
    this.#nowSeconds = nowSeconds;
  }

  /** Counts one call that ended; never throws and never waits. */
  count(channelId: number, result: 'answered' | 'failed'): void {
    const counts = this.#countsOf(this.#running());
    const known = counts.get(channelId);
    if (!known && counts.size >= maxChannels) return;
    const count = known ?? { failed: 0, total: 0 };
    count.total += 1;
    if (result === 'failed') count.failed += 1;
    counts.set(channelId, count);
  }

  /** What was counted in each of the last minutes, the running one included. */
  byMinute(minutes: number): MinuteRate[] {
    const from = this.#running() - minutes + 1;
    return [...this.#minutes].flatMap(([minute, counts]) =>
      minute < from ? [] : [...counts].map(([channelId, count]) => ({ minute, channelId, ...count })),
    );
  }

  #running(): number {
    return Math.floor(this.#nowSeconds() / 60);
  }

  #countsOf(minute: number): Map<number, Count> {
    const known = this.#minutes.get(minute);
    if (known) return known;
    // Minutes to come were counted before the clock was set back.
    for (const other of this.#minutes.keys()) if (Math.abs(minute - other) >= keptMinutes) this.#minutes.delete(other);
    const counts = new Map<number, Count>();
    this.#minutes.set(minute, counts);
    return counts;
  }
}

/** How many calls of each channel, and of the site, failed lately on this node: counted by the minute, in bounded space. */

/** The site as a whole, among channel ids. */
export const wholeSite = 0;

export interface ErrorRate {
  /** `wholeSite` or a channel id. */
  readonly channelId: number;
  readonly failed: number;
  readonly total: number;
}

/** Of one minute, `ago` minutes before the running one. */
export interface MinuteRate extends ErrorRate {
  readonly ago: number;
}

interface Count {
  failed: number;
  total: number;
}

const keptMinutes = 60;
const minuteMs = 60_000;
const maxChannels = 10_000;

export class ErrorRates {
  readonly #now: () => number;
  /** Minute -> channel -> counts; the oldest minute first. */
  readonly #minutes = new Map<number, Map<number, Count>>();

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts one call that ended; never throws and never waits. */
  count(channelId: number, result: 'answered' | 'failed'): void {
    const minute = this.#minute(Math.floor(this.#now() / minuteMs));
    const known = minute.get(channelId);
    if (!known && minute.size >= maxChannels) return;
    const count = known ?? { failed: 0, total: 0 };
    count.total += 1;
    if (result === 'failed') count.failed += 1;
    minute.set(channelId, count);
  }

  /** What was counted in each of the last minutes, the running one included, the oldest first. */
  byMinute(minutes: number): MinuteRate[] {
    const now = Math.floor(this.#now() / minuteMs);
    return [...this.#minutes].flatMap(([minute, counts]) => {
      const ago = now - minute;
      return ago >= minutes ? [] : [...counts].map(([channelId, count]) => ({ ago, channelId, ...count }));
    });
  }

  #minute(minute: number): Map<number, Count> {
    const known = this.#minutes.get(minute);
    if (known) return known;
    const counts = new Map<number, Count>();
    this.#minutes.set(minute, counts);
    for (const old of this.#minutes.keys()) {
      if (old > minute - keptMinutes) break;
      this.#minutes.delete(old);
    }
    return counts;
  }
}

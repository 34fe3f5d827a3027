/**
 * Tries that channels failed before they answered, on this node, in bounded space. The log cannot tell: its row of a call
 * stands under the channel that answered, or under none where nobody did. Nodes tell each other with their heartbeats.
 */

/** Of one channel, in the full hours that end with the running one. */
export interface FailedTriesOf {
  readonly channelId: number;
  readonly lastHour: number;
  readonly lastDay: number;
}

const hourSeconds = 3600;
/** Beside the running hour, as sums of the log are asked for. */
const hoursOfHour = 1;
const hoursOfDay = 24;

export class FailedTries {
  readonly #nowSeconds: () => number;
  /** By clock hour, then by channel. */
  readonly #hours = new Map<number, Map<number, number>>();

  /** @param nowSeconds Unix seconds */
  constructor(nowSeconds: () => number) {
    this.#nowSeconds = nowSeconds;
  }

  /** Never throws and never waits. */
  count(channelId: number): void {
    const hour = this.#running();
    const counts = this.#hours.get(hour) ?? this.#begin(hour);
    counts.set(channelId, (counts.get(channelId) ?? 0) + 1);
  }

  /** What failed within the day, the most first; of at most so many channels. */
  read(most = Number.POSITIVE_INFINITY): FailedTriesOf[] {
    const running = this.#running();
    const found = new Map<number, { channelId: number; lastHour: number; lastDay: number }>();
    for (const [hour, counts] of this.#hours) {
      if (hour < running - hoursOfDay) continue;
      for (const [channelId, count] of counts) {
        const sum = found.get(channelId) ?? { channelId, lastHour: 0, lastDay: 0 };
        found.set(channelId, sum);
        sum.lastDay += count;
        if (hour >= running - hoursOfHour) sum.lastHour += count;
      }
    }
    return [...found.values()].sort((one, other) => other.lastDay - one.lastDay).slice(0, most);
  }

  #running(): number {
    return Math.floor(this.#nowSeconds() / hourSeconds);
  }

  /** Makes room for an hour, and forgets those that no day reaches back to. */
  #begin(hour: number): Map<number, number> {
    for (const old of this.#hours.keys()) if (old < hour - hoursOfDay) this.#hours.delete(old);
    const counts = new Map<number, number>();
    this.#hours.set(hour, counts);
    return counts;
  }
}

/** What several nodes counted, by channel. */
export function addedTries(told: readonly FailedTriesOf[]): Map<number, FailedTriesOf> {
  const sums = new Map<number, FailedTriesOf>();
  for (const one of told) {
    const known = sums.get(one.channelId) ?? { lastHour: 0, lastDay: 0 };
    const lastHour = known.lastHour + one.lastHour;
    sums.set(one.channelId, { channelId: one.channelId, lastHour, lastDay: known.lastDay + one.lastDay });
  }
  return sums;
}

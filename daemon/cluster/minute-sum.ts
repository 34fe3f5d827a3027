/** What was drawn from one key in the last minute, second by second: as large for one call as for a million. */

/** A second counts until a whole minute after its end, so that no minute ever holds more than the limit. */
export const countedSeconds = 61;

export class MinuteSum {
  readonly #amounts = new Float64Array(countedSeconds);
  #latest = 0;
  #sum = 0;

  /** All that counts at this second. */
  at(second: number): number {
    this.#advance(second);
    return this.#sum;
  }

  /** Adds to a second, or takes from it; what has left the minute is past. Never less than nothing is left there. */
  add(second: number, amount: number): void {
    this.#advance(second);
    if (second <= this.#latest - countedSeconds) return;
    const place = second % countedSeconds;
    const before = this.#amounts[place] ?? 0;
    const after = Math.max(0, before + amount);
    this.#amounts[place] = after;
    this.#sum += after - before;
  }

  /** The second whose end makes room for at most `most` being left: the sum is above it now. */
  secondThatFrees(most: number): number {
    let left = this.#sum;
    for (let second = this.#latest - countedSeconds + 1; second <= this.#latest; second += 1) {
      left -= this.#amounts[second % countedSeconds] ?? 0;
      if (left <= most) return second;
    }
    return this.#latest;
  }

  #advance(second: number): void {
    if (second <= this.#latest) return;
    const gone = Math.min(second - this.#latest, countedSeconds);
    for (let step = 1; step <= gone; step += 1) {
      const place = (this.#latest + step) % countedSeconds;
      this.#sum -= this.#amounts[place] ?? 0;
      this.#amounts[place] = 0;
    }
    this.#latest = second;
  }
}

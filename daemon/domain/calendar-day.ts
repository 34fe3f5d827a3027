/** Calendar days of one time zone (management-api.md 1.9, D5). */

export class CalendarDays {
  readonly #format: Intl.DateTimeFormat;

  /** @param timeZone an IANA name such as `Europe/Berlin`. */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
  }

  /** `YYYY-MM-DD` of a moment in unix seconds. */
  dayOf(seconds: number): string {
    const parts = new Map(this.#format.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]));
    return `${(parts.get('year') ?? '').padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`;
  }

  /** The first second of the day after the one of this moment; days of 23 and 25 hours and zones that skip midnight count. */
  nextDayStart(seconds: number): number {
    const today = this.dayOf(seconds);
    let before = seconds;
    let after = seconds + 50 * 3600;
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.dayOf(middle) === today) before = middle;
      else after = middle;
    }
    return after;
  }
}

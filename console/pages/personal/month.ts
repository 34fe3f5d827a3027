/** Months as `YYYY-MM`, the way the check-ins are asked for, and the wait for the next day. */

/** The month of a moment in the server's zone; in the browser's where it does not know that zone. */
export function monthOf(milliseconds: number, timeZone: string): string {
  const options = { year: 'numeric', month: '2-digit' } as const;
  const date = new Date(milliseconds);
  try {
    return monthText(new Intl.DateTimeFormat('en', { ...options, timeZone }).formatToParts(date));
  } catch {
    return monthText(new Intl.DateTimeFormat('en', options).formatToParts(date));
  }
}

function monthText(parts: readonly Intl.DateTimeFormatPart[]): string {
  const part = (type: 'year' | 'month') => parts.find((found) => found.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}`;
}

export function monthAfter(month: string, steps: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + steps, 1)).toISOString().slice(0, 7);
}

/** Every day with its column, 1 for Monday. */
export function daysOf(month: string): readonly { date: string; day: number; column: number }[] {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate();
  return Array.from({ length: count }, (_, index) => {
    const date = new Date(Date.UTC(year, number - 1, index + 1));
    return { date: date.toISOString().slice(0, 10), day: index + 1, column: ((date.getUTCDay() + 6) % 7) + 1 };
  });
}

const minute = 60_000;
const hour = 3_600_000;

/**
 * How long to wait before asking whether the next day has begun, as an answer of `toldAt` said. A clock by which the day
 * was long past when the answer came is wrong, and no reason for haste. A timer of weeks would end at once.
 */
export function millisecondsUntil(seconds: number | undefined, toldAt: number, now: number): number | false {
  if (seconds === undefined) return false;
  const end = seconds * 1000;
  return end < toldAt - minute ? hour : Math.min(hour, Math.max(5_000, end - now));
}

/** Hours, days, weeks and months of the site's time zone (D5): when the one of a moment began, and when the next begins. */
import type { BudgetPeriod } from '../contract/budgets.ts';
import { CalendarDays } from './calendar-day.ts';

/** Unix seconds; the end is the first second of the next. */
export interface Span {
  readonly startsAt: number;
  readonly endsAt: number;
}

const hourSeconds = 3600;
const daySeconds = 86_400;
/** No zone is farther from UTC than this, a day that it skipped included. */
const farthestSeconds = 40 * hourSeconds;

export class BudgetPeriods {
  readonly #days: CalendarDays;
  readonly #clock: Intl.DateTimeFormat;
  readonly #zone: string;
  /** The span of each period asked for last: asked for with every call, computed when it is over. */
  readonly #latest = new Map<BudgetPeriod, Span>();

  /** @param timeZone an IANA name such as `Europe/Berlin`. */
  constructor(timeZone: string) {
    this.#zone = timeZone;
    this.#days = new CalendarDays(timeZone);
    this.#clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  }

  /** The period of a moment in unix seconds. Days of a change of the clock have 23 or 25 hours. */
  at(per: BudgetPeriod, seconds: number): Span {
    const latest = this.#latest.get(per);
    if (latest !== undefined && seconds >= latest.startsAt && seconds < latest.endsAt) return latest;
    const span = this.#spanAt(per, seconds);
    this.#latest.set(per, span);
    return span;
  }

  /** A moment as the site's clocks show it, with the name of its zone. */
  write(seconds: number): string {
    return `${this.#clock.format(seconds * 1000)} (${this.#zone})`;
  }

  #spanAt(per: BudgetPeriod, seconds: number): Span {
    if (per === 'hour') return this.#hourAt(seconds);
    const [first, next] = datesOf(per, this.#days.dayOf(seconds));
    return { startsAt: this.#startOf(first), endsAt: this.#startOf(next) };
  }

  /** An hour that the clock shows twice is two; where the clock changes by half an hour, one is shorter or longer. */
  #hourAt(seconds: number): Span {
    const intoHour = (moment: number) => {
      const minute = Number(this.#clock.format(moment * 1000).slice(-2));
      return minute * 60 + (((moment % 60) + 60) % 60);
    };
    const startsAt = seconds - intoHour(seconds);
    return { startsAt, endsAt: startsAt + hourSeconds };
  }

  /** The first second of a date, or of the first one after it where the zone skipped it. */
  #startOf(date: string): number {
    const utc = Date.parse(`${date}T00:00:00Z`) / 1000;
    let before = utc - farthestSeconds;
    let after = utc + farthestSeconds;
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.#days.dayOf(middle) < date) before = middle;
      else after = middle;
    }
    return after;
  }
}

/** First date of the period that holds a date, and of the next one. */
function datesOf(per: Exclude<BudgetPeriod, 'hour'>, date: string): readonly [first: string, next: string] {
  const day = Date.parse(`${date}T00:00:00Z`) / 1000;
  if (per === 'day') return [date, dateOf(day + daySeconds)];
  if (per === 'week') {
    const sinceMonday = (new Date(day * 1000).getUTCDay() + 6) % 7;
    const monday = day - sinceMonday * daySeconds;
    return [dateOf(monday), dateOf(monday + 7 * daySeconds)];
  }
  const [year, month] = [Number(date.slice(0, 4)), Number(date.slice(5, 7))];
  return [`${date.slice(0, 7)}-01`, dateOf(Date.UTC(year, month, 1) / 1000)];
}

function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

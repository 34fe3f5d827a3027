/** A month back by the calendar of the browser. Pure. */
import dayjs from 'dayjs';

/** The same time of day a month earlier, on the last day of that month where it has no such day: 31 May gives 30 April. */
export function monthBefore(seconds: number): number {
  return dayjs.unix(seconds).subtract(1, 'month').unix();
}

/** The span that a question about usage asks for. */
import { TollgateError } from '../errors.ts';

/** As asked for: unix seconds; what is missing is 24 hours from the other end, or before now. */
export interface AskedSpan {
  readonly start_timestamp?: number | undefined;
  readonly end_timestamp?: number | undefined;
}

export interface UsageSpan {
  readonly from: number;
  readonly until: number;
}

const hourSeconds = 3600;
const daySeconds = 86_400;
/** The end of the year 9999. Beyond it, as where milliseconds are sent for seconds, there is nothing but hours to count. */
const farthestSeconds = 253_402_300_799;

/** At most so many days, of which one may have 25 hours. Throws `data_span`. */
export function usageSpan(asked: AskedSpan, days: number, nowSeconds: () => number): UsageSpan {
  const [start, end] = [asked.start_timestamp, asked.end_timestamp].map((seconds) =>
    seconds === undefined ? undefined : Math.min(Math.max(seconds, 0), farthestSeconds),
  );
  const until = end ?? (start === undefined ? nowSeconds() : start + daySeconds);
  const from = start ?? until - daySeconds;
  if (until - from > days * daySeconds + hourSeconds) {
    throw new TollgateError('data_span', { days }, { field: 'end_timestamp' });
  }
  return { from, until };
}

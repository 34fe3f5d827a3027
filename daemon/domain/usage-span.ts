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

/** At most so many days, of which one may have 25 hours. Throws `data_span`. */
export function usageSpan(asked: AskedSpan, days: number, nowSeconds: () => number): UsageSpan {
  const { start_timestamp: start, end_timestamp: end } = asked;
  const until = end ?? (start === undefined ? nowSeconds() : start + daySeconds);
  const from = start ?? until - daySeconds;
  if (until - from > days * daySeconds + hourSeconds) {
    throw new TollgateError('data_span', { days }, { field: 'end_timestamp' });
  }
  return { from, until };
}

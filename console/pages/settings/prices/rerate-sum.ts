/** Charges by one key, or all together; quota. */
import type { PriceRerateView } from '../../../../daemon/contract/price-work.ts';

export type RerateSum = PriceRerateView['rows'][number];

/** All rows as one. */
export function sumOf(rows: readonly RerateSum[]): RerateSum {
  const sum = { key: '', requests: 0, charged: 0, would_be: 0 };
  for (const { requests, charged, would_be } of rows) {
    sum.requests += requests;
    sum.charged += charged;
    sum.would_be += would_be;
  }
  return sum;
}

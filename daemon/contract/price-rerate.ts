/** A re-rating is answered portion by portion; who asks for it adds them up. */
import type { PriceRerateView } from './price-work.ts';

/** What a whole span of time comes to. */
export type RerateReport = Omit<PriceRerateView, 'next'>;

/** Requests that a reason names. */
export const namedRequests = 20;

export const noCharges: RerateReport = { rows: [], left: [], differing: 0 };

/** The report with one more portion. */
export function withPortion(report: RerateReport, portion: RerateReport): RerateReport {
  const rows = new Map(report.rows.map((row) => [row.key, row]));
  for (const row of portion.rows) {
    const { requests = 0, charged = 0, would_be = 0 } = rows.get(row.key) ?? {};
    rows.set(row.key, {
      key: row.key,
      requests: requests + row.requests,
      charged: charged + row.charged,
      would_be: would_be + row.would_be,
    });
  }
  const left = new Map(report.left.map((one) => [one.reason, one]));
  for (const one of portion.left) {
    const { rows: count = 0, charged = 0, request_ids: ids = [] } = left.get(one.reason) ?? {};
    left.set(one.reason, {
      reason: one.reason,
      rows: count + one.rows,
      charged: charged + one.charged,
      request_ids: [...ids, ...one.request_ids].slice(0, namedRequests),
    });
  }
  return { rows: [...rows.values()], left: [...left.values()], differing: report.differing + portion.differing };
}

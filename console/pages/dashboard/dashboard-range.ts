/** The span and unit that the address of the dashboard names. Pure. */
import { addDays, dayOf, isDay, startOfDay, type Unit, units } from './dashboard-buckets.ts';

export const ranges = ['today', '24h', '7d', '30d', 'own'] as const;
export type Range = (typeof ranges)[number];

export interface Span {
  readonly unit: Unit;
  readonly range: Range;
  /** Days of the site's zone, both within. */
  readonly start: string;
  readonly end: string;
  /** Unix seconds, the last one without. */
  readonly from: number;
  readonly to: number;
}

const defaultRange = { hour: '24h', day: '7d', week: '30d' } as const;

/** @param defaultUnit as the site sets it */
export function spanOf(address: URLSearchParams, defaultUnit: string | undefined, now: number, zone: string): Span {
  const unit = units.find((one) => one === (address.get('unit') ?? defaultUnit)) ?? 'hour';
  const start = address.get('start') ?? '';
  const end = address.get('end') ?? '';
  const today = dayOf(now, zone);
  if (isDay(start) && isDay(end)) {
    return { unit, range: 'own', start, end, from: startOfDay(start, zone), to: startOfDay(addDays(end, 1), zone) };
  }
  const range = ranges.find((one) => one !== 'own' && one === address.get('range')) ?? defaultRange[unit];
  const first = addDays(today, range === '30d' ? -29 : range === '7d' ? -6 : 0);
  // Whole hours, as the figures are: this one and the 23 before it.
  const from = range === '24h' ? now - (now % 3600) - 23 * 3600 : startOfDay(first, zone);
  return { unit, range, start: dayOf(from, zone), end: today, from, to: now };
}

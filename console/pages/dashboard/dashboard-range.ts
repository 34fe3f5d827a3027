/** The span and unit that the address of the dashboard names. Pure. */
import { rangeText } from '../../components/time-range-text.ts';
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
  /** Days of the calendar that it touches. */
  readonly days: number;
}

/** As many days before, or as many hours; of the running day the same hours of the day before it. */
export function spanBefore({ from, to, days, range }: Span): { readonly from: number; readonly to: number } {
  const shift = (range === '24h' ? 1 : days) * 86_400;
  return { from: from - shift, to: to - shift };
}

/**
 * The same span as the log's filter names it. By its moments, since the log has days of the browser's zone, and its seven
 * days begin at this time of day; a span that ends now stays open.
 */
export function logRangeOf({ range, from, to }: Span): string {
  return rangeText(range === 'own' ? { from, to: to - 1 } : { from });
}

const defaultRange = { hour: '24h', day: '7d', week: '30d' } as const;

/** @param defaultUnit as the site sets it */
export function spanOf(address: URLSearchParams, defaultUnit: string | undefined, now: number, zone: string): Span {
  const unit = units.find((one) => one === (address.get('unit') ?? defaultUnit)) ?? 'hour';
  const start = address.get('start') ?? '';
  const end = address.get('end') ?? '';
  const today = dayOf(now, zone);
  if (isDay(start) && isDay(end)) {
    const [from, to] = [startOfDay(start, zone), startOfDay(addDays(end, 1), zone)];
    return { unit, range: 'own', start, end, from, to, days: daysFrom(start, end) };
  }
  const range = ranges.find((one) => one !== 'own' && one === address.get('range')) ?? defaultRange[unit];
  const first = addDays(today, range === '30d' ? -29 : range === '7d' ? -6 : 0);
  // Whole hours, as the figures are: this one and the 23 before it.
  const from = range === '24h' ? now - (now % 3600) - 23 * 3600 : startOfDay(first, zone);
  const firstDay = dayOf(from, zone);
  return { unit, range, start: firstDay, end: today, from, to: now, days: daysFrom(firstDay, today) };
}

/** The unit in which a chosen range is drawn: a day's days would be one bar, the hours of a month thinner than a pixel. */
export function unitIn(range: Range, unit: Unit): Unit {
  if (range === 'today' || range === '24h') return 'hour';
  return range === '30d' && unit === 'hour' ? 'day' : unit;
}

/** Both counted. */
function daysFrom(start: string, end: string): number {
  return Math.round((Date.parse(end) - Date.parse(start)) / 86_400_000) + 1;
}

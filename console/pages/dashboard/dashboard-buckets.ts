/** Hourly figures put together to the hours, days and weeks of a time zone. Pure. */
import type { UsageDataView } from '../../../daemon/contract/usage-data.ts';
import { knownZone } from '../../components/site-time.ts';

export const units = ['hour', 'day', 'week'] as const;
export type Unit = (typeof units)[number];

export interface Bucket {
  /** `11-22 08:00`, or the day, of a week its Monday. */
  readonly name: string;
  readonly rows: readonly UsageDataView[];
}

const hour = 3600;
const daySeconds = 86_400;

interface LocalHour {
  readonly day: string;
  readonly hour: string;
}

function clockOf(zone: string): (seconds: number) => LocalHour {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: knownZone(zone),
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
  });
  return (seconds) => {
    const parts = new Map(format.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]));
    return { day: `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`, hour: parts.get('hour') ?? '00' };
  };
}

const utcOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1000;

/** True for a real day such as `2026-11-22`, of those that have a next one in four digits of a year. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && text < '9999' && Number.isFinite(utcOf(text)) && addDays(text, 0) === text;
}

/** The day so many days after another, by the calendar. */
export function addDays(day: string, count: number): string {
  return new Date((utcOf(day) + count * daySeconds) * 1000).toISOString().slice(0, 10);
}

/** The day of a moment in a zone. */
export const dayOf = (seconds: number, zone: string): string => clockOf(zone)(seconds).day;

/** The first second of a day in a zone: the first quarter of an hour that has its date, as clocks may skip midnight. */
export function startOfDay(day: string, zone: string): number {
  const clock = clockOf(zone);
  // No zone is further than 14 hours from UTC.
  let moment = utcOf(day) - 14 * hour;
  while (clock(moment).day < day) moment += hour / 4;
  return moment;
}

function mondayOf(day: string): string {
  const weekday = new Date(utcOf(day) * 1000).getUTCDay();
  return addDays(day, -((weekday + 6) % 7));
}

/** Every bucket of the span in order, those without figures too; the hour that a clock runs twice is one. */
export function bucketsOf(
  rows: readonly UsageDataView[],
  { from, to, unit, zone }: { readonly from: number; readonly to: number; readonly unit: Unit; readonly zone: string },
): readonly Bucket[] {
  const clock = clockOf(zone);
  const nameOf = (seconds: number): string => {
    const local = clock(seconds);
    if (unit === 'hour') return `${local.day.slice(5)} ${local.hour}:00`;
    return unit === 'day' ? local.day : mondayOf(local.day);
  };
  const found = new Map<string, UsageDataView[]>();
  for (let moment = from; moment < to; moment += hour) {
    const name = nameOf(moment);
    if (!found.has(name)) found.set(name, []);
  }
  for (const row of rows) {
    // An hour that began before the span belongs to its first bucket.
    found.get(nameOf(Math.max(row.created_at, from)))?.push(row);
  }
  return [...found].map(([name, own]) => ({ name, rows: own }));
}

export interface Sums {
  readonly quota: number;
  readonly count: number;
  readonly tokens: number;
}

export function sumsOf(rows: readonly UsageDataView[]): Sums {
  return rows.reduce(
    (sums, row) => ({
      quota: sums.quota + row.quota,
      count: sums.count + row.count,
      tokens: sums.tokens + row.token_used,
    }),
    { quota: 0, count: 0, tokens: 0 },
  );
}

/** What each model used, the dearest first. */
export function modelSums(rows: readonly UsageDataView[]): readonly (Sums & { readonly model: string })[] {
  const byModel = new Map<string, UsageDataView[]>();
  for (const row of rows) {
    const own = byModel.get(row.model_name);
    if (own) own.push(row);
    else byModel.set(row.model_name, [row]);
  }
  return [...byModel]
    .map(([model, own]) => ({ model, ...sumsOf(own) }))
    .toSorted((a, b) => b.quota - a.quota || b.count - a.count);
}

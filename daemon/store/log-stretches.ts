/** Which hours and days of the log a question touches: arithmetic only. Times are unix seconds. */

export const HOUR_SECONDS = 3600;
export const DAY_SECONDS = 86_400;

/** `until` is not part of the range; an open end is an infinity. */
export interface TimeRange {
  readonly from: number;
  readonly until: number;
}

/** A range in parts that do not overlap: whole days, whole hours outside them, and what is left at the ends. */
export interface RangeParts {
  readonly days: readonly TimeRange[];
  readonly hours: readonly TimeRange[];
  /** Shorter than an hour each, or than two where the range has no whole hour. */
  readonly edges: readonly TimeRange[];
}

export function partsOf({ from, until }: TimeRange): RangeParts {
  const hours = within({ from, until }, HOUR_SECONDS);
  if (isEmpty(hours)) return { days: [], hours: [], edges: filled([{ from, until }]) };
  const edges = filled([
    { from, until: hours.from },
    { from: hours.until, until },
  ]);
  const days = within(hours, DAY_SECONDS);
  if (isEmpty(days)) return { days: [], hours: [hours], edges };
  const outside = [
    { from: hours.from, until: days.from },
    { from: days.until, until: hours.until },
  ];
  return { days: [days], hours: filled(outside), edges };
}

/** The largest range of whole units inside. */
function within({ from, until }: TimeRange, seconds: number): TimeRange {
  return { from: Math.ceil(from / seconds) * seconds, until: Math.floor(until / seconds) * seconds };
}

const isEmpty = ({ from, until }: TimeRange) => from >= until;
const filled = (ranges: readonly TimeRange[]) => ranges.filter((range) => !isEmpty(range));

/** A range with the number of its rows that match. */
export interface Stretch extends TimeRange {
  readonly rows: number;
}

/** Rows to read of a stretch: `limit` after the newest `offset`. */
export interface Portion extends TimeRange {
  readonly offset: number;
  readonly limit: number;
}

/** The portions that make up a window of the list. @param stretches newest first */
export function portionsOf(stretches: readonly Stretch[], window: { offset: number; limit: number }): Portion[] {
  const portions: Portion[] = [];
  let before = 0;
  for (const { from, until, rows } of stretches) {
    if (before >= window.offset + window.limit) break;
    const offset = Math.max(0, window.offset - before);
    const limit = Math.min(rows - offset, window.offset + window.limit - before - offset);
    if (limit > 0) portions.push({ from, until, offset, limit });
    before += rows;
  }
  return portions;
}

export function newestFirst<Range extends TimeRange>(ranges: readonly Range[]): Range[] {
  return [...ranges].sort((left, right) => right.from - left.from);
}

/** How many rows they have together. */
export function rowsOf(stretches: readonly Stretch[]): number {
  return stretches.reduce((total, { rows }) => total + rows, 0);
}

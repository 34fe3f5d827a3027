/** Which parts of the log a question touches, hour by hour: arithmetic only. */
import type { TimeRange } from './log-filter.ts';

export const HOUR_SECONDS = 3600;

/** Rows of an hour that match; hours are named by their first second. */
export interface HourCount {
  readonly hour: number;
  readonly count: number;
}

/** A range as whole hours, which the rollups answer, and the rest of its first and last hour, which rows answer. */
export interface HourSplit {
  /** First whole hour; undefined for an open start. */
  readonly firstHour: number | undefined;
  /** The hour after the last whole one; undefined for an open end. */
  readonly endHour: number | undefined;
  /** At most two, both ends of each included. */
  readonly edges: readonly { readonly from: number; readonly until: number }[];
}

/** Splits a range. A range without a whole hour is one edge. */
export function splitHours({ from, until }: TimeRange): HourSplit {
  const firstHour = from === undefined ? undefined : Math.ceil(from / HOUR_SECONDS) * HOUR_SECONDS;
  const endHour = until === undefined ? undefined : Math.floor((until + 1) / HOUR_SECONDS) * HOUR_SECONDS;
  if (from !== undefined && until !== undefined && endHour !== undefined && (firstHour ?? 0) >= endHour) {
    return { firstHour: 0, endHour: 0, edges: from <= until ? [{ from, until }] : [] };
  }
  const edges: { from: number; until: number }[] = [];
  if (from !== undefined && firstHour !== undefined && from < firstHour) edges.push({ from, until: firstHour - 1 });
  if (until !== undefined && endHour !== undefined && endHour <= until) edges.push({ from: endHour, until });
  return { firstHour, endHour, edges };
}

/** Hours to read for a window of the list, and how many matches to skip in the first of them. */
export interface HourSelection {
  readonly hours: readonly number[];
  readonly offset: number;
}

/** The hours that hold matches `offset` to `offset + limit`. @param counts newest first. */
export function selectHours(counts: readonly HourCount[], window: { offset: number; limit: number }): HourSelection {
  const hours: number[] = [];
  let before = 0;
  let offset = 0;
  for (const { hour, count } of counts) {
    if (before + count > window.offset) {
      if (hours.length === 0) offset = window.offset - before;
      hours.push(hour);
    }
    before += count;
    if (before >= window.offset + window.limit) break;
  }
  return { hours, offset };
}

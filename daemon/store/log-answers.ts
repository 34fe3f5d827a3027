/**
 * Totals, sums and pages of the log out of `log_days` and `log_hours`; rows are read only at the ends of a range, where
 * no whole hour is, and for the page itself.
 */
import type { Knex } from 'knex';
import { type LogFilter, rangeOf, withFacts, withinFilter, withinRange } from './log-filter.ts';
import {
  DAY_SECONDS,
  HOUR_SECONDS,
  newestFirst,
  type Portion,
  partsOf,
  portionsOf,
  rowsOf,
  type Stretch,
  type TimeRange,
} from './log-stretches.ts';
import type { LogSumStore, SumTable } from './log-sums.ts';
import type { Window } from './paging.ts';

export interface LogSums {
  quota: number;
  promptTokens: number;
  completionTokens: number;
}

/** Where the rows of a page are. */
export interface LogPlace {
  /** Newest first. */
  readonly portions: readonly Portion[];
  /** Rows that match in all. */
  readonly total: number;
}

/** A filter that the sums can answer for, and the id up to which rows are in them. */
interface Question {
  readonly filter: LogFilter;
  readonly foldedTo: number;
}

/** Portions read in one statement. */
const PORTIONS_AT_ONCE = 100;

const widths: Readonly<Record<SumTable, number>> = { log_days: DAY_SECONDS, log_hours: HOUR_SECONDS };
const figures = ['quota', 'prompt_tokens', 'completion_tokens'] as const;

export class LogAnswers {
  readonly #db: Knex;
  readonly #sums: LogSumStore;

  constructor(db: Knex, sums: LogSumStore) {
    this.#db = db;
    this.#sums = sums;
  }

  /** Where the window of the list is; the filter is one that the sums can answer for. */
  place(filter: LogFilter, window: Window): Promise<LogPlace> {
    return this.#sums.ask((foldedTo) => this.#place({ filter, foldedTo }, window));
  }

  async #place(question: Question, window: Window): Promise<LogPlace> {
    const { filter } = question;
    const { days, hours, edges } = partsOf(rangeOf(filter));
    const inDays = await this.#stretches('log_days', question, days);
    const others = [
      ...(await this.#stretches('log_hours', question, hours)),
      ...(await this.#edgeStretches(filter, edges)),
    ];
    const total = rowsOf(inDays) + rowsOf(others);
    const wanted = portionsOf(newestFirst([...inDays, ...others]), window);
    const newest = wanted[0];
    const oldest = wanted.at(-1);
    if (!newest || !oldest) return { portions: [], total };
    // Only days that the window touches are looked at by the hour.
    const touched = inDays.filter(({ from }) => from >= oldest.from && from <= newest.from);
    const byHour = touched.length === 0 ? [] : await this.#stretches('log_hours', question, [around(touched)]);
    const untouched = inDays.filter((day) => !touched.includes(day));
    const fine = newestFirst([...untouched, ...byHour, ...others]);
    return { portions: portionsOf(fine, window), total };
  }

  /** Ids of the rows of the portions. */
  async ids(filter: LogFilter, portions: readonly Portion[]): Promise<number[]> {
    const found: number[] = [];
    for (let at = 0; at < portions.length; at += PORTIONS_AT_ONCE) {
      const parts = portions.slice(at, at + PORTIONS_AT_ONCE).map((portion) => this.#portion(filter, portion));
      const rows: { id: number }[] = await this.#db.unionAll(parts);
      found.push(...rows.map(({ id }) => id));
    }
    return found;
  }

  /** Sums over the rows that match. */
  sums(filter: LogFilter): Promise<LogSums> {
    return this.#sums.ask((foldedTo) => this.#figures({ filter, foldedTo }));
  }

  async #figures({ filter, foldedTo }: Question): Promise<LogSums> {
    const { days, hours, edges } = partsOf(rangeOf(filter));
    const summed = (table: SumTable, ranges: readonly TimeRange[]) =>
      ranges.length === 0 ? [] : this.#sums.parts({ table, filter, ranges, foldedTo, columns: figures });
    const parts = [
      ...summed('log_days', days),
      ...summed('log_hours', hours),
      ...edges.map((range) => withinRange(withFacts(this.#db('logs'), filter), 'created_at', range).select(figures)),
    ];
    const sum = (column: string) => this.#db.raw('cast(coalesce(sum(??), 0) as bigint)', [column]);
    const none = { quota: 0, promptTokens: 0, completionTokens: 0 };
    if (parts.length === 0) return none;
    const row: LogSums | undefined = await this.#db
      .from(this.#db.unionAll(parts).as('parts'))
      .select({ quota: sum('quota'), promptTokens: sum('prompt_tokens'), completionTokens: sum('completion_tokens') })
      .first();
    return row ?? none;
  }

  async #stretches(table: SumTable, { filter, foldedTo }: Question, ranges: readonly TimeRange[]): Promise<Stretch[]> {
    if (ranges.length === 0) return [];
    const parts = this.#sums.parts({ table, filter, ranges, foldedTo, columns: ['starts_at', 'row_count'] });
    const found: { from: number; rows: number }[] = await this.#db
      .from(this.#db.unionAll(parts).as('parts'))
      .groupBy('starts_at')
      .select({ from: 'starts_at', rows: this.#db.raw('cast(sum(row_count) as bigint)') });
    return found.map(({ from, rows }) => ({ from, until: from + widths[table], rows }));
  }

  async #edgeStretches(filter: LogFilter, edges: readonly TimeRange[]): Promise<Stretch[]> {
    const counted = edges.map(async (range) => {
      const query = withinRange(withFacts(this.#db('logs'), filter), 'created_at', range);
      const row: { rows: number } | undefined = await query.count({ rows: '*' }).first();
      return { ...range, rows: row?.rows ?? 0 };
    });
    return Promise.all(counted);
  }

  #portion(filter: LogFilter, { from, until, offset, limit }: Portion): Knex.QueryBuilder {
    const rows = withinFilter(this.#db('logs').select('id'), { ...filter, from, until: until - 1 })
      .orderBy([
        { column: 'created_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .offset(offset)
      .limit(limit);
    return this.#db.select('id').from(rows.as('portion'));
  }
}

/** One range around all of them. */
function around(ranges: readonly TimeRange[]): TimeRange {
  return {
    from: Math.min(...ranges.map(({ from }) => from)),
    until: Math.max(...ranges.map(({ until }) => until)),
  };
}

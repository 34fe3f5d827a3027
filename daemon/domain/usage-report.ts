/** Reports of usage (cli.md E15, console.md 6.8): sums of consumption by user, model, channel, token, group and time. */
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import type { LogFacts } from '../store/log-filter.ts';
import { type ReportFigures, type ReportKey, type ReportRow, wholeHours } from '../store/log-reports.ts';
import type { TimeRange } from '../store/log-stretches.ts';
import type { Actor } from './actor.ts';
import type { CalendarDays } from './calendar-day.ts';
import { type AskedSpan, usageSpan } from './usage-span.ts';

export interface UsageReportDeps {
  readonly database: Database;
  /** Days of the site's zone; weeks are seven of them from Monday. */
  readonly days: CalendarDays;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

export interface ReportRequest extends AskedSpan {
  /** Up to two names, cut by commas; at most one of them is a time. */
  readonly by?: string | undefined;
  readonly username?: string | undefined;
  readonly token_name?: string | undefined;
  /** Exact; one trailing `%` makes it a prefix. */
  readonly model_name?: string | undefined;
  readonly channel?: number | undefined;
  readonly group?: string | undefined;
  /** Rows at most. */
  readonly top?: number | undefined;
}

export type Period = 'hour' | 'day' | 'week';

export interface UsageReport {
  /** Empty when nothing is to be kept apart. */
  readonly rows: readonly ReportRow[];
  readonly keys: readonly ReportKey[];
  readonly period: Period | undefined;
  /** Of everything, rows beyond the limit included. */
  readonly totals: ReportFigures;
  /** The whole hours that are summed. */
  readonly range: TimeRange;
}

/** What moved on the site as a whole. */
export interface SiteTotals extends ReportFigures {
  readonly activeUsers: number;
  readonly users: number;
  readonly newUsers: number;
  /** Quota credited by codes and payments. */
  readonly toppedUp: number;
  readonly paidOrders: number;
}

const keyNames: readonly ReportKey[] = ['user', 'model', 'channel', 'token', 'group'];
const ownKeys: readonly ReportKey[] = ['model', 'token', 'group'];
const periodNames: readonly Period[] = ['hour', 'day', 'week'];

const hourSeconds = 3600;
const daySeconds = 86_400;
const mostDays = { all: 366, own: 31 } as const;
const mostRows = 10_000;

export class UsageReportService {
  readonly #deps: UsageReportDeps;

  constructor(deps: UsageReportDeps) {
    this.#deps = deps;
  }

  /** Sums over all users. Throws `data_span`, `report_keys`. */
  report(request: ReportRequest): Promise<UsageReport> {
    const { username, channel } = request;
    const filter = { ...commonFilter(request), username, channelId: channel || undefined };
    return this.#report(request, { filter, allowed: keyNames, days: mostDays.all });
  }

  /** Sums over the caller's calls. Throws `data_span`, `report_keys`. */
  reportOwn(actor: Actor, request: ReportRequest): Promise<UsageReport> {
    const filter = { ...commonFilter(request), userId: actor.userId };
    return this.#report(request, { filter, allowed: ownKeys, days: mostDays.own });
  }

  /** Throws `data_span`. */
  async site(span: AskedSpan): Promise<SiteTotals> {
    const range = this.#range(span, mostDays.all);
    const { logReports, users, topUps } = this.#deps.database.stores;
    const { users: activeUsers, ...figures } = await logReports.totals({ filter: {}, range });
    return {
      ...figures,
      activeUsers,
      users: await users.countCreated({ from: 0, until: range.until }),
      newUsers: await users.countCreated(range),
      toppedUp: await logReports.credited(1, range),
      paidOrders: await topUps.countCompleted(range),
    };
  }

  async #report(
    request: ReportRequest,
    { filter, allowed, days }: { filter: LogFacts; allowed: readonly ReportKey[]; days: number },
  ): Promise<UsageReport> {
    const { keys, period } = keysOf(request.by ?? '', allowed);
    const range = this.#range(request, days);
    const { logReports } = this.#deps.database.stores;
    const periods = period === undefined ? [] : this.#periods(range, period);
    const limit = Math.min(Math.max(request.top || 1000, 1), mostRows);
    const rows: ReportRow[] = [];
    // Some days at a time, so that no statement takes long.
    for (const some of portionsOf(periods)) {
      const part = { from: some[0]?.from ?? range.from, until: some.at(-1)?.until ?? range.until };
      const isSplit = keys.length > 0 || period !== undefined;
      if (isSplit && rows.length < limit)
        rows.push(...(await logReports.rows({ filter, range: part, keys, periods: some, limit: limit - rows.length })));
    }
    const { users: _users, ...totals } = await logReports.totals({ filter, range });
    return { rows, keys, period, totals, range };
  }

  #range(asked: AskedSpan, days: number): TimeRange {
    const { from, until } = usageSpan(asked, days, this.#deps.nowSeconds);
    return wholeHours({ from, until: Math.max(until, from) });
  }

  /** Periods that cover the range; a day that starts within an hour of UTC starts with that hour. */
  #periods(range: TimeRange, period: Period): TimeRange[] {
    const starts: number[] = [];
    for (let at = range.from; at < range.until; at = this.#next(at, period)) starts.push(at);
    return starts.map((from, index) => ({ from, until: starts[index + 1] ?? range.until }));
  }

  #next(at: number, period: Period): number {
    if (period === 'hour') return at + hourSeconds;
    const { days } = this.#deps;
    let next = at;
    do {
      // In a zone that is half an hour off, the hour in which a day starts belongs to that day.
      next = Math.floor(days.nextDayStart(next + hourSeconds - 1) / hourSeconds) * hourSeconds;
    } while (period === 'week' && !isMonday(days.dayOf(next + hourSeconds - 1)));
    return next;
  }
}

/** The periods in groups of about ten days; one empty group when there are none. */
function portionsOf(periods: readonly TimeRange[]): TimeRange[][] {
  const groups: TimeRange[][] = [[]];
  for (const period of periods) {
    const group = groups.at(-1);
    const first = group?.[0];
    if (group && (!first || period.until - first.from <= 10 * daySeconds)) group.push(period);
    else groups.push([period]);
  }
  return groups;
}

function isMonday(day: string): boolean {
  // By its parts: a text is no date to the parser where its year has more than four digits.
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1, date)).getUTCDay() === 1;
}

function keysOf(
  by: string,
  allowed: readonly ReportKey[],
): { readonly keys: readonly ReportKey[]; readonly period: Period | undefined } {
  const names = by
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const keys = allowed.filter((key) => names.includes(key));
  const periods = periodNames.filter((name) => names.includes(name));
  const isKnown = names.length === keys.length + periods.length;
  if (names.length > 2 || periods.length > 1 || !isKnown) {
    throw new TollgateError('report_keys', { keys: [...allowed, ...periodNames].join(', ') }, { field: 'by' });
  }
  return { keys, period: periods[0] };
}

function commonFilter({ token_name: tokenName, model_name: model, group }: ReportRequest): LogFacts {
  const isPrefix = model?.endsWith('%') ?? false;
  return {
    tokenName,
    modelName: isPrefix ? undefined : model,
    modelPrefix: isPrefix ? model?.slice(0, -1) || undefined : undefined,
    group,
  };
}

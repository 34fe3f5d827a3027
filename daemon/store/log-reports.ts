/** SQL for reports: sums of consumption by whatever one asks for, out of the sums that settlements keep. */
import type { Knex } from 'knex';
import type { Engine } from './dialect.ts';
import type { LogFacts } from './log-filter.ts';
import { DAY_SECONDS, HOUR_SECONDS, partsOf, type TimeRange } from './log-stretches.ts';
import { LogSumStore, type SumTable } from './log-sums.ts';

/** What sums may be kept apart by; tokens are those of their user. */
export type ReportKey = 'user' | 'model' | 'channel' | 'token' | 'group';

export interface ReportFigures {
  /** Calls without those that failed. */
  requests: number;
  failures: number;
  quota: number;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  /** What the attempts cost the operator; for no user's eyes. */
  cost: number;
}

/** One combination of the keys asked for; all other members are 0 or "". */
export interface ReportRow extends ReportFigures {
  /** Start of the period, unix seconds; 0 when periods are not asked for. */
  periodStart: number;
  userId: number;
  /** Newest name of the user in the time asked about, by the alphabet. */
  username: string;
  modelName: string;
  channelId: number;
  tokenName: string;
  group: string;
}

export interface ReportQuestion {
  /** Without `type`: consumption alone is reported. */
  readonly filter: LogFacts;
  /** Starts and ends at a full hour. */
  readonly range: TimeRange;
  readonly keys: readonly ReportKey[];
  /** Periods to keep apart, in order, without gaps; each starts and ends at a full hour. Empty for none. */
  readonly periods: readonly TimeRange[];
  readonly limit: number;
}

type Summed = Pick<ReportQuestion, 'filter' | 'range' | 'periods'>;

const CONSUME = 2;

/** Columns of the sums that reports are made of. */
const reported = [
  ...['starts_at', 'user_id', 'failed', 'channel_id', 'model_name', 'token_name', 'group', 'username'],
  ...['calls', 'quota', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'cost'],
];

const keyColumns = {
  user: ['user_id'],
  model: ['model_name'],
  channel: ['channel_id'],
  token: ['user_id', 'token_name'],
  group: ['group'],
} as const satisfies Record<ReportKey, readonly string[]>;

export class LogReportStore {
  readonly #db: Knex;
  readonly #engine: Engine;
  readonly #sums: LogSumStore;

  constructor(db: Knex, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
    this.#sums = new LogSumStore(db, engine);
  }

  /** By period, then the most expensive first; at most `limit` rows. There is a key or a period. */
  rows(question: ReportQuestion): Promise<ReportRow[]> {
    return this.#sums.ask((foldedTo) => this.#rows(question, foldedTo));
  }

  async #rows(question: ReportQuestion, foldedTo: number): Promise<ReportRow[]> {
    const { keys, periods, limit } = question;
    const columns = new Set(keys.flatMap((key): readonly string[] => keyColumns[key]));
    const query = this.#source(question, foldedTo);
    const named = (column: string, none: string) => (columns.has(column) ? this.#db.ref(column) : this.#db.raw(none));
    const withPeriods = periods.length > 0;
    const period = isHourly(periods) ? 'starts_at' : 'period_start';
    const byUser = columns.has('user_id');
    query
      .select({
        periodStart: withPeriods ? this.#db.ref(period) : this.#db.raw('0'),
        userId: named('user_id', '0'),
        username: byUser ? this.#db.raw('max(username)') : this.#db.raw("''"),
        modelName: named('model_name', "''"),
        channelId: named('channel_id', '0'),
        tokenName: named('token_name', "''"),
        group: named('group', "''"),
        ...this.#figures(),
      })
      .groupBy([...(withPeriods ? [period] : []), ...columns])
      .orderBy([
        ...(withPeriods ? [{ column: period }] : []),
        { column: 'quota', order: 'desc' },
        ...[...columns].map((column) => ({ column })),
      ])
      .limit(limit);
    // Attempts that failed belong to nobody.
    if (byUser) query.where('user_id', '>', 0);
    return query;
  }

  /** The whole of it. */
  async totals(question: Pick<ReportQuestion, 'filter' | 'range'>): Promise<ReportFigures & { users: number }> {
    // Rows of attempts that failed belong to nobody.
    const users = this.#db.raw('count(distinct nullif(user_id, 0))');
    const row = await this.#sums.ask(
      async (foldedTo): Promise<(ReportFigures & { users: number }) | undefined> =>
        this.#source({ ...question, periods: [] }, foldedTo)
          .select({ users, ...this.#figures() })
          .first(),
    );
    const none = { requests: 0, failures: 0, quota: 0, promptTokens: 0, completionTokens: 0, cachedTokens: 0, cost: 0 };
    return row ?? { users: 0, ...none };
  }

  /** What was credited to balances: rows of that type (1 top-up, 4 system, 5 check-in) in the range, in whole hours. */
  async credited(type: number, range: TimeRange): Promise<number> {
    const row = await this.#sums.ask(
      async (foldedTo): Promise<{ quota: number } | undefined> =>
        this.#summed({ filter: { type }, range, periods: [] }, foldedTo)
          .select({ quota: this.#sum('quota') })
          .first(),
    );
    return row?.quota ?? 0;
  }

  /** Sums of consumption within the question, each with the start of its period. */
  #source({ filter, range, periods }: Summed, foldedTo: number): Knex.QueryBuilder {
    return this.#summed({ filter: { ...filter, type: CONSUME }, range, periods }, foldedTo);
  }

  /** Sums that match: by day, which are a fraction of the rows, where no period ends within a day of UTC, else by hour. */
  #summed({ filter, range, periods }: Summed, foldedTo: number): Knex.QueryBuilder {
    const hasWholeDays = !isHourly(periods) && periods.slice(1).every(({ from }) => from % DAY_SECONDS === 0);
    const { days, hours } = hasWholeDays ? partsOf(range) : { days: [], hours: [range] };
    const part = (table: SumTable, ranges: readonly TimeRange[]) => {
      const [sums, rows] = this.#sums.parts({ table, filter, ranges, foldedTo, columns: reported });
      return [this.#inPeriods(sums, 'starts_at', periods), this.#inPeriods(rows, 'created_at', periods)];
    };
    const parts = [
      ...(days.length > 0 ? part('log_days', days) : []),
      ...(hours.length > 0 || days.length === 0 ? part('log_hours', hours.length > 0 ? hours : [range]) : []),
    ];
    return this.#db.from(this.#db.unionAll(parts).as('sums'));
  }

  /** Joined before parts are united, so that each period is a range of an index. */
  #inPeriods(part: Knex.QueryBuilder, time: string, periods: readonly TimeRange[]): Knex.QueryBuilder {
    if (periods.length === 0 || isHourly(periods)) return part;
    const list = JSON.stringify(periods.map(({ from, until }) => [from, until]));
    const spans =
      this.#engine === 'postgres'
        ? 'join (select (v ->> 0)::bigint as period_start, (v ->> 1)::bigint as period_end from jsonb_array_elements(?::jsonb) as v) as periods on ?? >= period_start and ?? < period_end'
        : 'join (select value ->> 0 as period_start, value ->> 1 as period_end from json_each(?)) as periods on ?? >= period_start and ?? < period_end';
    return part.joinRaw(spans, [list, time, time]).select('period_start');
  }

  #figures() {
    const calls = (failed: boolean) =>
      this.#db.raw('cast(coalesce(sum(case when failed = ? then calls else 0 end), 0) as bigint)', [failed]);
    return {
      requests: calls(false),
      failures: calls(true),
      quota: this.#sum('quota'),
      promptTokens: this.#sum('prompt_tokens'),
      completionTokens: this.#sum('completion_tokens'),
      cachedTokens: this.#sum('cached_tokens'),
      cost: this.#sum('cost'),
    };
  }

  #sum(column: string): Knex.Raw {
    return this.#db.raw('cast(coalesce(sum(??), 0) as bigint)', [column]);
  }
}

/** Whether each period is an hour, as the sums are: then nothing is to be joined. */
function isHourly(periods: readonly TimeRange[]): boolean {
  return periods.length > 0 && periods.every(({ from, until }) => until - from === HOUR_SECONDS);
}

/** The smallest range of whole hours around. */
export function wholeHours({ from, until }: TimeRange): TimeRange {
  return {
    from: Math.floor(from / HOUR_SECONDS) * HOUR_SECONDS,
    until: Math.ceil(until / HOUR_SECONDS) * HOUR_SECONDS,
  };
}

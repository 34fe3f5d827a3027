/**
 * SQL for `log_hours` and `log_days`: sums of the log over everything a list can be filtered by. A settlement pays
 * nothing for them: a job folds new rows in behind it, and until then questions read those rows from the log itself.
 */
import type { Knex } from 'knex';
import type { Engine } from './dialect.ts';
import { type LogFacts, withFacts, withinRange } from './log-filter.ts';
import { DAY_SECONDS, HOUR_SECONDS, type TimeRange } from './log-stretches.ts';

export type SumTable = 'log_hours' | 'log_days';

/** Figures that are summed. */
export type SumFigure =
  | 'row_count'
  | 'calls'
  | 'quota'
  | 'prompt_tokens'
  | 'completion_tokens'
  | 'cached_tokens'
  | 'cost';

/** Where folding is. */
interface FoldState {
  /** Rows up to this id are in the sums. */
  foldedTo: number;
  /** The newest id at the time of the mark: by now no row up to it can still be uncommitted. */
  markId: number;
  /** Unix seconds. */
  markedAt: number;
}

/** Longer than any transaction lives: whatever had an id by then is committed or gone. */
const SETTLED_AFTER_SECONDS = 60;

const widths: Readonly<Record<SumTable, number>> = { log_hours: HOUR_SECONDS, log_days: DAY_SECONDS };
const tables = ['log_hours', 'log_days'] as const satisfies readonly SumTable[];
const figures = ['row_count', 'calls', 'quota', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'cost'] as const;
const facts = ['user_id', 'type', 'failed', 'channel_id', 'model_name', 'token_name', 'group', 'username'] as const;

/** Each figure of one row, under a name to be bound. A member of a JSON text is recognised by its sign: within a string its quotes are escaped. */
const ofRow: Readonly<Record<Engine, Readonly<Record<SumFigure, string>>>> = {
  sqlite: {
    row_count: '1 as ??',
    calls: `(type = 2 and instr(other, '"tool":{') = 0 and instr(other, '"is_test":true') = 0 and instr(other, '"attempt":{') = 0) as ??`,
    quota: 'quota as ??',
    prompt_tokens: 'prompt_tokens as ??',
    completion_tokens: 'completion_tokens as ??',
    cached_tokens: `coalesce(case when json_valid(other) then other ->> '$.cache_tokens' end, 0) as ??`,
    cost: 'cost as ??',
  },
  postgres: {
    row_count: '1 as ??',
    calls: `(type = 2 and strpos(other, '"tool":{') = 0 and strpos(other, '"is_test":true') = 0 and strpos(other, '"attempt":{') = 0)::int as ??`,
    quota: 'quota as ??',
    prompt_tokens: 'prompt_tokens as ??',
    completion_tokens: 'completion_tokens as ??',
    cached_tokens: `coalesce(substring(split_part(other, '"cache_tokens":', 2) from '^[0-9]{1,15}')::bigint, 0) as ??`,
    cost: 'cost as ??',
  },
};

export class LogSumStore {
  readonly #db: Knex;
  readonly #engine: Engine;

  constructor(db: Knex, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
  }

  /**
   * Asks a question of the sums and of the rows that are not in them, with the id that parts them. It is asked again
   * when folding has moved on meanwhile.
   */
  async ask<T>(question: (foldedTo: number) => Promise<T>): Promise<T> {
    let foldedTo = (await this.#state()).foldedTo;
    for (let tries = 1; ; tries++) {
      const answer = await question(foldedTo);
      const now = (await this.#state()).foldedTo;
      if (now === foldedTo || tries === 5) return answer;
      foldedTo = now;
    }
  }

  /**
   * What matches in these ranges, as parts to be united: figures under the start of their hour or day, from the sums and
   * from rows behind them. The ranges start and end with an hour or day.
   */
  parts(source: {
    readonly table: SumTable;
    readonly filter: LogFacts;
    readonly ranges: readonly TimeRange[];
    readonly foldedTo: number;
    readonly columns: readonly string[];
  }): [sums: Knex.QueryBuilder, rows: Knex.QueryBuilder] {
    const { table, filter, ranges, foldedTo, columns } = source;
    const within = (query: Knex.QueryBuilder, column: string) =>
      withFacts(query, filter).where((either) => {
        for (const range of ranges) either.orWhere((one) => void withinRange(one, column, range));
      });
    const summed = within(this.#db(table), 'starts_at').select(columns);
    const rows = within(this.#db('logs').where('id', '>', foldedTo), 'created_at').select(
      columns.map((column) => this.#ofRow(column, widths[table])),
    );
    return [summed, rows];
  }

  /** Marks how far the log has come; returns whether there is something to fold up to an earlier mark. */
  async mark(nowSeconds: number): Promise<boolean> {
    const state = await this.#state();
    if (state.markId > state.foldedTo && nowSeconds - state.markedAt >= SETTLED_AFTER_SECONDS) return true;
    if (state.markId > state.foldedTo) return false;
    const newest: number[] = await this.#db('logs').orderBy('id', 'desc').limit(1).pluck('id');
    await this.#db('log_sum_state')
      .where({ id: 1, folded_to: state.foldedTo })
      .update({ mark_id: newest[0] ?? 0, marked_at: nowSeconds });
    return false;
  }

  /** Folds the next rows in, at most `limit` and up to the mark: in a transaction. False when nothing is left. */
  async fold(limit: number): Promise<boolean> {
    const { foldedTo, markId } = await this.#lock();
    if (markId <= foldedTo) return false;
    const next = this.#db('logs').select('id').where('id', '>', foldedTo).where('id', '<=', markId);
    const found: number[] = await next.orderBy('id').limit(limit).pluck('id');
    const upTo = found.length < limit ? markId : (found.at(-1) ?? markId);
    if (found.length > 0) for (const table of tables) await this.#add(table, { after: foldedTo, upTo });
    await this.#db('log_sum_state').where({ id: 1 }).update({ folded_to: upTo });
    return upTo < markId;
  }

  /** Takes these rows out of the sums, as far as they are in them: in the transaction that is about to delete them. */
  async takeOut(ids: readonly number[]): Promise<void> {
    const { foldedTo } = await this.#lock();
    const gone = ids.filter((id) => id <= foldedTo);
    if (gone.length === 0) return;
    await this.#shift(gone, -1);
    for (const table of tables) {
      const width = widths[table];
      const starts = this.#db('logs')
        .whereIn('id', gone)
        .distinct(this.#db.raw('created_at - created_at % ?', [width]));
      await this.#db(table).whereIn('starts_at', starts).where('row_count', '<=', 0).delete();
    }
  }

  /** Changes figures of these rows, and the sums that they are in with them: in the transaction of the change. */
  async amend(ids: readonly number[], change: () => Promise<void>): Promise<void> {
    const { foldedTo } = await this.#lock();
    const folded = ids.filter((id) => id <= foldedTo);
    await this.#shift(folded, -1);
    await change();
    await this.#shift(folded, 1);
  }

  /** Adds rows as they stand to the sums, or takes them out. */
  async #shift(ids: readonly number[], sign: 1 | -1): Promise<void> {
    if (ids.length === 0) return;
    for (const table of tables) {
      await this.#merge(table, this.#grouped(this.#db('logs').whereIn('id', ids), widths[table], sign));
    }
  }

  #add(table: SumTable, { after, upTo }: { after: number; upTo: number }): Promise<void> {
    const rows = this.#db('logs').where('id', '>', after).where('id', '<=', upTo);
    return this.#merge(table, this.#grouped(rows, widths[table], 1));
  }

  /** Sums of rows under the columns of the tables. */
  #grouped(rows: Knex.QueryBuilder, width: number, sign: 1 | -1): Knex.QueryBuilder {
    const placed = rows.select(['starts_at', ...facts, ...figures].map((column) => this.#ofRow(column, width)));
    const sums = figures.map((figure) => this.#db.raw('cast(? * sum(??) as bigint)', [sign, figure]));
    return this.#db
      .from(placed.as('placed'))
      .select('starts_at', ...facts, ...sums)
      .groupBy('starts_at', ...facts)
      .orderBy(['starts_at', ...facts]);
  }

  async #merge(table: SumTable, sums: Knex.QueryBuilder): Promise<void> {
    const key = ['starts_at', ...facts];
    const names = [...key, ...figures];
    const list = (columns: readonly string[]) => columns.map(() => '??').join(', ');
    // A where clause keeps SQLite from taking the conflict for a join.
    const merging = `insert into ?? (${list(names)}) select * from ? where true on conflict (${list(key)}) do update set ${figures.map(() => '?? = ?? + ??').join(', ')}`;
    const gains = figures.flatMap((figure) => [figure, `${table}.${figure}`, `excluded.${figure}`]);
    await this.#db.raw(merging, [table, ...names, sums.as('sums'), ...key, ...gains]);
  }

  #ofRow(column: string, width: number): Knex.Raw {
    if (column === 'starts_at') return this.#db.raw('created_at - created_at % ? as starts_at', [width]);
    const figure = figures.find((known) => known === column);
    return figure === undefined ? this.#db.raw('??', [column]) : this.#figure(figure);
  }

  #figure(figure: SumFigure): Knex.Raw {
    return this.#db.raw(ofRow[this.#engine][figure], [figure]);
  }

  async #state(): Promise<FoldState> {
    const state: FoldState | undefined = await this.#states().first();
    return state ?? { foldedTo: 0, markId: 0, markedAt: 0 };
  }

  async #lock(): Promise<FoldState> {
    const state: FoldState | undefined = await this.#states().forUpdate().first();
    return state ?? { foldedTo: 0, markId: 0, markedAt: 0 };
  }

  #states(): Knex.QueryBuilder {
    return this.#db('log_sum_state')
      .where({ id: 1 })
      .select({ foldedTo: 'folded_to', markId: 'mark_id', markedAt: 'marked_at' });
  }
}

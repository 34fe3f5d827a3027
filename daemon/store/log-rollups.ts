/**
 * SQL for `log_rollups`: figures of the log by hour, user, token, model, channel and group. Inserting a log row costs
 * them nothing: a background job counts new rows in, and until then they are read from the log itself. Questions are
 * answered from both, in one statement, so that no row is counted twice or left out while the job runs.
 */
import type { Knex } from 'knex';
import { type LogFacts, type TimeRange, withFacts, withinTime } from './log-filter.ts';
import { HOUR_SECONDS, type HourCount, splitHours } from './log-hours.ts';

export interface LogSums {
  quota: number;
  promptTokens: number;
  completionTokens: number;
}

const facts = ['type', 'user_id', 'username', 'token_id', 'token_name', 'model_name', 'channel_id', 'group'] as const;
const figures = ['count', 'quota', 'prompt_tokens', 'completion_tokens'] as const;

export class LogRollupStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /**
   * The newest id in the log; 0 when it is empty. With several writers a smaller id may still be uncommitted: what was
   * the newest id a minute ago is safe to count up to, because no transaction lives that long.
   */
  async latestId(): Promise<number> {
    const row: { id?: number | null } | undefined = await this.#db('logs').max({ id: 'id' }).first();
    return row?.id ?? 0;
  }

  /**
   * Counts in the next rows, at most `limit` and not beyond `upTo`; returns how many. In a transaction; of several
   * callers at once each takes its turn.
   */
  async advance({ upTo, limit }: { upTo: number; limit: number }): Promise<number> {
    const state: { rolled_to: number } | undefined = await this.#db('log_rollup_state').forUpdate().first('rolled_to');
    const rolledTo = state?.rolled_to ?? 0;
    const next = this.#db('logs')
      .select('id')
      .where('id', '>', rolledTo)
      .where('id', '<=', upTo)
      .orderBy('id')
      .limit(limit);
    const found: { last: number | null; rows: number } | undefined = await this.#db
      .from(next.as('next'))
      .max({ last: 'id' })
      .count({ rows: '*' })
      .first();
    if (!found || found.last === null) return 0;
    await this.#add(rolledTo, found.last);
    await this.#db('log_rollup_state').update({ rolled_to: found.last });
    return found.rows;
  }

  /** Time before which all rows count as deleted; 0 = none. */
  async deletedBefore(): Promise<number> {
    const state: { deleted_before: number } | undefined = await this.#db('log_rollup_state').first('deleted_before');
    return state?.deleted_before ?? 0;
  }

  /** Makes all rows from before that time count as deleted at once, so that they may be removed bit by bit. */
  async hideBefore(createdAt: number): Promise<void> {
    await this.#db('log_rollup_state').where('deleted_before', '<', createdAt).update({ deleted_before: createdAt });
    await this.#db('log_rollups')
      .where('hour', '<=', createdAt - HOUR_SECONDS)
      .delete();
  }

  /** How many rows match in each hour that has any, newest first. */
  async hours(filter: LogFacts, range: TimeRange): Promise<HourCount[]> {
    const hour = this.#db.raw('created_at - created_at % ? as ??', [HOUR_SECONDS, 'hour']);
    const parts = this.#parts(filter, range, {
      rolled: [this.#db.ref('hour'), this.#db.ref('count').as('matches')],
      rows: [hour, this.#db.raw('1 as ??', ['matches'])],
    });
    return this.#db
      .from(this.#db.unionAll(parts).as('parts'))
      .groupBy('hour')
      .orderBy('hour', 'desc')
      .select('hour', this.#db.raw('cast(sum(matches) as bigint) as ??', ['count']));
  }

  /** Sums over the rows that match. */
  async sums(filter: LogFacts, range: TimeRange): Promise<LogSums> {
    const columns = ['quota', 'prompt_tokens', 'completion_tokens'];
    const parts = this.#parts(filter, range, { rolled: columns, rows: columns });
    const sum = (column: string) => this.#db.raw('cast(coalesce(sum(??), 0) as bigint)', [column]);
    const row: LogSums | undefined = await this.#db
      .from(this.#db.unionAll(parts).as('parts'))
      .select({ quota: sum('quota'), promptTokens: sum('prompt_tokens'), completionTokens: sum('completion_tokens') })
      .first();
    return row ?? { quota: 0, promptTokens: 0, completionTokens: 0 };
  }

  /** Whole hours from the rollups; from the log itself what is not counted in yet, and what is outside whole hours. */
  #parts(
    filter: LogFacts,
    range: TimeRange,
    columns: { rolled: readonly (string | Knex.Ref<string, object>)[]; rows: readonly (string | Knex.Raw)[] },
  ): Knex.QueryBuilder[] {
    const rolledTo = this.#db('log_rollup_state').select('rolled_to');
    const { firstHour, endHour, edges } = splitHours(range);
    const rolled = withFacts(this.#db('log_rollups').select(columns.rolled), filter);
    if (firstHour !== undefined) rolled.where('hour', '>=', firstHour);
    if (endHour !== undefined) rolled.where('hour', '<', endHour);
    const rows = () => withFacts(this.#db('logs').select(columns.rows), filter);
    return [
      rolled,
      withinTime(rows(), range).where('id', '>', rolledTo),
      ...edges.map((edge) => withinTime(rows(), edge).where('id', '<=', rolledTo.clone())),
    ];
  }

  async #add(after: number, upTo: number): Promise<void> {
    const names = facts.map(() => '??').join(', ');
    const additions = figures.map(() => '?? = ?? + ??').join(', ');
    await this.#db.raw(
      `insert into log_rollups (hour, ${names}, ??, ??, ??, ??)
       select created_at - created_at % ${HOUR_SECONDS}, ${names}, count(*), sum(quota), sum(prompt_tokens),
         sum(completion_tokens)
       from logs where id > ? and id <= ?
       group by created_at - created_at % ${HOUR_SECONDS}, ${names}
       on conflict (hour, ${names}) do update set ${additions}`,
      [
        ...facts,
        ...figures,
        ...facts,
        after,
        upTo,
        ...facts,
        ...facts,
        ...figures.flatMap((name) => [name, `log_rollups.${name}`, `excluded.${name}`]),
      ],
    );
  }
}

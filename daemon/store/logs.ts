/** SQL for the `logs` table. Rows that document a charge are inserted by the ledger; all others here. */
import type { Knex } from 'knex';
import { insertChunks } from './chunks.ts';
import { type Engine, readFlag } from './dialect.ts';
import { LogAnswers, type LogSums } from './log-answers.ts';
import { isSummed, type LogFilter, withinFilter } from './log-filter.ts';
import { HOUR_SECONDS } from './log-stretches.ts';
import { LogSumStore } from './log-sums.ts';
import { countRows, type Page, type Window } from './paging.ts';
import { Table } from './table.ts';

export type { LogFilter } from './log-filter.ts';

export interface LogRecord {
  id: number;
  userId: number;
  createdAt: number;
  /** 1 top-up, 2 consume, 3 manage, 4 system, 5 check-in. */
  type: number;
  content: string;
  /** Name at the time. */
  username: string;
  tokenName: string;
  modelName: string;
  /** Type 2: charge; 1, 4, 5: credited to this user's balance; 3: signed change made by an admin. */
  quota: number;
  promptTokens: number;
  completionTokens: number;
  /** Whole seconds. */
  useTime: number;
  isStream: boolean;
  channelId: number;
  tokenId: number;
  group: string;
  /** JSON text. */
  other: string;
  requestId: string;
  /** The request failed as a whole. */
  failed: boolean;
  ip: string | null;
  /** What the attempts behind the row cost the operator, in quota; for no user's eyes. */
  cost: number;
}

/** Rows of what no upstream was asked for have no cost. */
export type NewLogRow = Omit<LogRecord, 'id' | 'cost'> & Partial<Pick<LogRecord, 'cost'>>;

/** Rows older than a position of the list; without one, the newest. */
export interface LogKeyset {
  readonly before?: Pick<LogRecord, 'createdAt' | 'id'> | undefined;
  readonly limit: number;
}

/** How the calls of one model ended. */
export interface ModelOutcomes {
  readonly modelName: string;
  readonly calls: number;
  readonly failed: number;
}

/** Calls of a minute. */
export interface LogRate {
  requests: number;
  tokens: number;
}

const logs = new Table<LogRecord>(
  'logs',
  {
    id: 'id',
    userId: 'user_id',
    createdAt: 'created_at',
    type: 'type',
    content: 'content',
    username: 'username',
    tokenName: 'token_name',
    modelName: 'model_name',
    quota: 'quota',
    promptTokens: 'prompt_tokens',
    completionTokens: 'completion_tokens',
    useTime: 'use_time',
    isStream: 'is_stream',
    channelId: 'channel_id',
    tokenId: 'token_id',
    group: 'group',
    other: 'other',
    requestId: 'request_id',
    failed: 'failed',
    ip: 'ip',
    cost: 'cost',
  },
  (stored) => ({ ...stored, isStream: readFlag(stored.isStream), failed: readFlag(stored.failed) }),
);

const CONSUME = 2;
/** Newest consume rows among which contents are searched; they say little that is worth finding. */
const SEARCHED_CONSUME = 20_000;
/** Rows that are counted after a row that a reader has seen; whoever is further behind reads the list anew. */
const COUNTED_AFTER = 10_000;

/**
 * Lists are ordered by time, then id, newest first. Rows get both as they come, so that is the order of ids too, save
 * for rows that were written late.
 */
export class LogStore {
  readonly #db: Knex;
  readonly #engine: Engine;
  readonly #answers: LogAnswers;
  readonly #sums: LogSumStore;

  constructor(db: Knex, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
    this.#sums = new LogSumStore(db, engine);
    this.#answers = new LogAnswers(db, this.#sums);
  }

  /** In the order given. */
  async insert(rows: readonly NewLogRow[]): Promise<void> {
    for (const chunk of insertChunks(rows))
      await this.#db('logs').insert(chunk.map((row) => ({ cost: 0, ...logs.row(row) })));
  }

  /**
   * One page and the number of all matches; a late page costs no more than the first. The number is exact, save that of
   * rows after a row, which is 10,000 at most.
   */
  async list(filter: LogFilter, window: Window): Promise<Page<LogRecord>> {
    if (!isSummed(filter)) return this.#listRows(filter, window);
    const { portions, total } = await this.#answers.place(filter, window);
    return { items: await this.#byIds(await this.#answers.ids(filter, portions)), total };
  }

  /** The next rows without a total: as fast far down the list as at its top. */
  async listBefore(filter: LogFilter, { before, limit }: LogKeyset): Promise<LogRecord[]> {
    const query = newestFirst(withinFilter(this.#db('logs'), filter)).limit(limit);
    if (before) query.whereRaw('(created_at, id) < (?, ?)', [before.createdAt, before.id]);
    return this.#rows(query);
  }

  /** Id of the newest row; 0 when there is none. */
  async newestId(): Promise<number> {
    const newest: number[] = await this.#db('logs').orderBy('id', 'desc').limit(1).pluck('id');
    return newest[0] ?? 0;
  }

  /** The next rows behind an id, the oldest first. */
  async after(id: number, limit: number): Promise<LogRecord[]> {
    return logs.all(this.#db('logs').where('id', '>', id).orderBy('id').limit(limit));
  }

  async find(id: number): Promise<LogRecord | undefined> {
    return logs.first(this.#db('logs').where({ id }));
  }

  /** One row, locked until the transaction ends. */
  async lock(id: number): Promise<LogRecord | undefined> {
    return logs.first(this.#db('logs').where({ id }).forUpdate());
  }

  /** Consume rows from one time to before another, behind a row that was seen, the oldest first. */
  async consumed(
    { from, until, after }: { from: number; until: number; after?: Pick<LogRecord, 'createdAt' | 'id'> | undefined },
    limit: number,
  ): Promise<LogRecord[]> {
    const query = this.#db('logs')
      .where({ type: CONSUME })
      .where('created_at', '>=', from)
      .where('created_at', '<', until);
    if (after !== undefined) query.whereRaw('(created_at, id) > (?, ?)', [after.createdAt, after.id]);
    return logs.all(query.orderBy('created_at').orderBy('id').limit(limit));
  }

  /** Newest first: rows whose content starts with the text. Consume rows are searched among the newest only. */
  async searchContent(search: { prefix: string; userId?: number | undefined; limit: number }): Promise<LogRecord[]> {
    const own = { userId: search.userId };
    const others = withinFilter(this.#db('logs'), own).whereNot('type', CONSUME);
    const newest = newestFirst(withinFilter(this.#db('logs').select('*'), { ...own, type: CONSUME }));
    const consumed: Knex.QueryBuilder = this.#db.from(newest.limit(SEARCHED_CONSUME).as('newest'));
    const found: LogRecord[] = [];
    for (const query of [others, consumed]) {
      query.whereRaw('substr(??, 1, ?) = ?', ['content', [...search.prefix].length, search.prefix]);
      found.push(...(await logs.all(newestFirst(query).limit(search.limit))));
    }
    return found.sort((left, right) => right.createdAt - left.createdAt || right.id - left.id).slice(0, search.limit);
  }

  /** Sums over the consume rows within the filter; a filter for another type has none. */
  async sums(filter: LogFilter): Promise<LogSums> {
    const none = { quota: 0, promptTokens: 0, completionTokens: 0 };
    if (filter.type !== undefined && filter.type !== CONSUME) return none;
    const consumed = { ...filter, type: CONSUME };
    if (isSummed(filter)) return this.#answers.sums(consumed);
    const sum = (column: string) => this.#db.raw('cast(coalesce(sum(??), 0) as bigint)', [column]);
    const row: LogSums | undefined = await withinFilter(this.#db('logs'), consumed)
      .select({ quota: sum('quota'), promptTokens: sum('prompt_tokens'), completionTokens: sum('completion_tokens') })
      .first();
    return row ?? none;
  }

  /**
   * Calls and tokens since that time under the filter, whose own times are ignored; a filter for another type than
   * consume has none. Failed calls and channel tests are left out; rows of tools within a call add no call.
   */
  async rate(filter: LogFilter, sinceSeconds: number): Promise<LogRate> {
    if (filter.type !== undefined && filter.type !== CONSUME) return { requests: 0, tokens: 0 };
    // A member of a JSON text can be recognised by its sign: within any string its quotes would be escaped.
    const position = this.#engine === 'postgres' ? 'strpos' : 'instr';
    const within: LogFilter = { ...filter, type: CONSUME, from: sinceSeconds, until: undefined };
    const row: LogRate | undefined = await withinFilter(this.#db('logs'), within)
      .where({ failed: false })
      .whereRaw(`${position}(other, ?) = 0`, ['"is_test":true'])
      .select(
        this.#db.raw(
          `count(case when ${position}(other, ?) = 0 then 1 end) as ??,
           cast(coalesce(sum(prompt_tokens + completion_tokens), 0) as bigint) as ??`,
          ['"tool":{', 'requests', 'tokens'],
        ),
      )
      .first();
    return row ?? { requests: 0, tokens: 0 };
  }

  /** Consume rows of each model since the hour of that time, and how many of them stand for failed calls. */
  async outcomesSince(sinceSeconds: number): Promise<ModelOutcomes[]> {
    const sum = (column: string) => this.#db.raw('cast(sum(??) as bigint)', [column]);
    const failed = this.#db.raw('cast(sum(case when ?? then ?? else 0 end) as bigint)', ['failed', 'row_count']);
    const ranges = [{ from: sinceSeconds - (sinceSeconds % HOUR_SECONDS), until: Number.POSITIVE_INFINITY }];
    const columns = ['user_id', 'model_name', 'failed', 'row_count'];
    return this.#sums.ask(async (foldedTo) => {
      const parts = this.#sums.parts({ table: 'log_hours', filter: { type: CONSUME }, ranges, foldedTo, columns });
      return (
        this.#db
          .from(this.#db.unionAll(parts).as('parts'))
          .whereNot('model_name', '')
          // Attempts that failed belong to nobody: their calls have rows of their own.
          .where('user_id', '>', 0)
          .groupBy('model_name')
          .select({ modelName: 'model_name', calls: sum('row_count'), failed })
      );
    });
  }

  /**
   * Removes at most `limit` rows older than that, the oldest first, and them from the sums: in a transaction. Returns how
   * many; so the log has every row from its oldest on, at any moment.
   */
  async deleteBefore(createdAt: number, limit: number): Promise<number> {
    const oldest = this.#db('logs').where('created_at', '<', createdAt).orderBy('created_at').limit(limit);
    const old: number[] = await oldest.pluck('id');
    if (old.length === 0) return 0;
    await this.#sums.takeOut(old);
    return this.#db('logs').whereIn('id', old).delete();
  }

  /** Few rows by their nature: those of one call, or written after one that a reader has seen. */
  async #listRows(filter: LogFilter, { offset, limit }: Window): Promise<Page<LogRecord>> {
    const matching = () => withinFilter(this.#db('logs'), filter);
    if (filter.afterId === undefined) {
      const total = await countRows(matching());
      return { items: await this.#rows(newestFirst(matching()).offset(offset).limit(limit)), total };
    }
    const counted = this.#db.from(matching().select('id').limit(COUNTED_AFTER).as('counted'));
    const items = await logs.all(matching().orderBy('id', 'desc').offset(offset).limit(limit));
    return { items, total: await countRows(counted) };
  }

  /** Rows are found by the index that carries all filters, and only those of the page are read. */
  async #rows(query: Knex.QueryBuilder): Promise<LogRecord[]> {
    return this.#byIds(await query.pluck('id'));
  }

  /** Newest first. */
  async #byIds(ids: readonly number[]): Promise<LogRecord[]> {
    return ids.length === 0 ? [] : logs.all(newestFirst(this.#db('logs').whereIn('id', ids)));
  }
}

function newestFirst(query: Knex.QueryBuilder): Knex.QueryBuilder {
  return query.orderBy([
    { column: 'created_at', order: 'desc' },
    { column: 'id', order: 'desc' },
  ]);
}

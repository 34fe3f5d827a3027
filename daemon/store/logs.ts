/** SQL for the `logs` table. Rows that document a charge are inserted by the ledger; all others here. */
import type { Knex } from 'knex';
import { insertChunks } from './chunks.ts';
import { type Engine, readFlag } from './dialect.ts';
import { type LogFilter, type TimeRange, withFacts, withinTime } from './log-filter.ts';
import { HOUR_SECONDS, type HourSelection, selectHours } from './log-hours.ts';
import { LogRollupStore, type LogSums } from './log-rollups.ts';
import { countRows, type Page, type Window } from './paging.ts';
import { Table } from './table.ts';

export type { LogFilter } from './log-filter.ts';
export type { LogSums } from './log-rollups.ts';

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
}

export type NewLogRow = Omit<LogRecord, 'id'>;

/** Rows older than a position of the list; without one, the newest. */
export interface LogKeyset {
  readonly before?: Pick<LogRecord, 'createdAt' | 'id'> | undefined;
  readonly limit: number;
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
  },
  (stored) => ({ ...stored, isStream: readFlag(stored.isStream), failed: readFlag(stored.failed) }),
);

const CONSUME = 2;
/** Newest rows looked through before the hours with matches are counted out. */
const RECENT = 2000;
/** Hours read in one statement. */
const HOURS_AT_ONCE = 24;
/** Newest consume rows among which contents are searched; they say little that is worth finding. */
const SEARCHED_CONSUME = 20_000;

/**
 * Lists are ordered by time, then id, newest first. Rows get both as they come, so that is the order of ids too, save
 * for rows that were written late.
 */
export class LogStore {
  readonly #db: Knex;
  readonly #engine: Engine;
  readonly #rollups: LogRollupStore;

  constructor(db: Knex, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
    this.#rollups = new LogRollupStore(db);
  }

  /** In the order given. */
  async insert(rows: readonly NewLogRow[]): Promise<void> {
    for (const chunk of insertChunks(rows)) await this.#db('logs').insert(chunk.map((row) => logs.row(row)));
  }

  /** One page and the exact number of all matches; a late page costs no more than the first. */
  async list(filter: LogFilter, window: Window): Promise<Page<LogRecord>> {
    const range = await this.#range(filter);
    if (filter.requestId !== undefined) return this.#listOfRequest(filter, range, window);
    const counts = await this.#rollups.hours(filter, range);
    const total = counts.reduce((sum, { count }) => sum + count, 0);
    const selection = selectHours(counts, window);
    return { items: await this.#inHours({ filter, range, selection, limit: window.limit }), total };
  }

  /** The next rows without a total. */
  async listBefore(filter: LogFilter, { before, limit }: LogKeyset): Promise<LogRecord[]> {
    const range = await this.#range(filter);
    const within =
      before === undefined ? range : { ...range, until: Math.min(range.until ?? Infinity, before.createdAt) };
    const recent = await logs.all(newestFirst(older(this.#recent(filter, within, RECENT), before)).limit(limit));
    if (recent.length === limit || filter.requestId !== undefined) return recent;
    const counts = await this.#rollups.hours(filter, within);
    // The hour of the position may hold rows on both sides of it: it is read, but counts for nothing.
    const margin = before === undefined ? 0 : (counts[0]?.count ?? 0);
    const { hours } = selectHours(counts, { offset: 0, limit: limit + margin });
    return this.#inHours({ filter, range: within, selection: { hours, offset: 0 }, limit, before });
  }

  /** All rows of one call, oldest first. */
  async listOfRequest(requestId: string): Promise<LogRecord[]> {
    return logs.all(this.#db('logs').where({ request_id: requestId }).orderBy('id'));
  }

  /** Newest first: rows whose content starts with the text. Consume rows are searched among the newest only. */
  async searchContent(search: { prefix: string; userId?: number | undefined; limit: number }): Promise<LogRecord[]> {
    const from = await this.#rollups.deletedBefore();
    const facts = { userId: search.userId };
    const others = withinTime(withFacts(this.#db('logs'), facts), { from }).whereNot('type', CONSUME);
    const consumed = this.#recent({ ...facts, type: CONSUME }, { from }, SEARCHED_CONSUME);
    const found: LogRecord[] = [];
    for (const query of [others, consumed]) {
      query.whereRaw('substr(??, 1, ?) = ?', ['content', [...search.prefix].length, search.prefix]);
      found.push(...(await logs.all(newestFirst(query).limit(search.limit))));
    }
    return found.sort((left, right) => right.createdAt - left.createdAt || right.id - left.id).slice(0, search.limit);
  }

  /** Sums over the consume rows within the filter; a filter for another type has none. */
  async sums(filter: LogFilter): Promise<LogSums> {
    if (filter.type !== undefined && filter.type !== CONSUME) return { quota: 0, promptTokens: 0, completionTokens: 0 };
    return this.#rollups.sums({ ...filter, type: CONSUME }, await this.#range(filter));
  }

  /**
   * Calls and tokens since that time under the filter, whose own times are ignored; of a type other than consume, none. Failed calls and channel tests are
   * left out; rows of tools within a call add no call.
   */
  async rate(filter: LogFilter, sinceSeconds: number): Promise<LogRate> {
    if (filter.type !== undefined && filter.type !== CONSUME) return { requests: 0, tokens: 0 };
    // A member of a JSON text can be recognised by its sign: within any string its quotes would be escaped.
    const position = this.#engine === 'postgres' ? 'strpos' : 'instr';
    const query = withFacts(this.#db('logs'), { ...filter, type: CONSUME });
    const row: LogRate | undefined = await withinTime(query, { from: sinceSeconds })
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

  /** Hides all rows older than that and removes at most `limit` of them; returns how many. */
  async deleteBefore(createdAt: number, limit: number): Promise<number> {
    await this.#rollups.hideBefore(createdAt);
    const old = this.#db('logs').select('id').where('created_at', '<', createdAt).limit(limit);
    return this.#db('logs').whereIn('id', old).delete();
  }

  async #range({ from, until }: LogFilter): Promise<TimeRange> {
    const deletedBefore = await this.#rollups.deletedBefore();
    return { from: deletedBefore > 0 ? Math.max(deletedBefore, from ?? 0) : from, until };
  }

  /** Rows that match among the newest of the range, or of one user's in it. */
  #recent(filter: LogFilter, range: TimeRange, count: number): Knex.QueryBuilder {
    const scope = filter.requestId === undefined ? { userId: filter.userId } : {};
    const newest = newestFirst(withinTime(withFacts(this.#db('logs').select('*'), scope), range)).limit(count);
    if (filter.requestId !== undefined) newest.where({ request_id: filter.requestId });
    return withFacts(this.#db.from(newest.as('newest')), filter);
  }

  async #listOfRequest(filter: LogFilter, range: TimeRange, window: Window): Promise<Page<LogRecord>> {
    const query = withinTime(withFacts(this.#db('logs').where({ request_id: filter.requestId }), filter), range);
    const total = await countRows(query);
    return { items: await logs.all(newestFirst(query).offset(window.offset).limit(window.limit)), total };
  }

  /** Rows of the selected hours, newest first; each hour is a range of its own, however far apart they are. */
  async #inHours(search: {
    filter: LogFilter;
    range: TimeRange;
    selection: HourSelection;
    limit: number;
    before?: LogKeyset['before'];
  }): Promise<LogRecord[]> {
    const { filter, range, selection, limit, before } = search;
    const found: LogRecord[] = [];
    for (let at = 0; at < selection.hours.length && found.length < limit; at += HOURS_AT_ONCE) {
      const offset = at === 0 ? selection.offset : 0;
      const wanted = limit - found.length;
      const parts = selection.hours.slice(at, at + HOURS_AT_ONCE).map((hour) => {
        const rows = withinTime(withFacts(this.#db('logs').select('*'), filter), range);
        withinTime(rows, { from: hour, until: hour + HOUR_SECONDS - 1 });
        const part = newestFirst(older(rows, before)).limit(offset + wanted);
        return this.#db.select('*').from(part.as('part'));
      });
      const query = this.#db.from(this.#db.unionAll(parts).as('parts'));
      found.push(...(await logs.all(newestFirst(query).offset(offset).limit(wanted))));
    }
    return found;
  }
}

function newestFirst(query: Knex.QueryBuilder): Knex.QueryBuilder {
  return query.orderBy([
    { column: 'created_at', order: 'desc' },
    { column: 'id', order: 'desc' },
  ]);
}

function older(query: Knex.QueryBuilder, before: LogKeyset['before']): Knex.QueryBuilder {
  return before ? query.whereRaw('(created_at, id) < (?, ?)', [before.createdAt, before.id]) : query;
}

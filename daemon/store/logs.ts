/** SQL for the `logs` table. Rows that document a charge are inserted by the ledger; all others here. */
import type { Knex } from 'knex';
import { insertChunks } from './chunks.ts';
import { type Engine, readFlag } from './dialect.ts';
import { type LogFilter, withinFilter } from './log-filter.ts';
import { countRows, type Keyset, type Page, type Window } from './paging.ts';
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
}

export type NewLogRow = Omit<LogRecord, 'id'>;

export interface LogSums {
  quota: number;
  promptTokens: number;
  completionTokens: number;
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

export class LogStore {
  readonly #db: Knex;
  readonly #engine: Engine;

  constructor(db: Knex, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
  }

  /** In the order given. */
  async insert(rows: readonly NewLogRow[]): Promise<void> {
    for (const chunk of insertChunks(rows)) await this.#db('logs').insert(chunk.map((row) => logs.row(row)));
  }

  /** Newest first. */
  async list(filter: LogFilter, window: Window): Promise<Page<LogRecord>> {
    const query = withinFilter(this.#db('logs'), filter);
    const total = await countRows(query);
    const items = await logs.all(query.orderBy('id', 'desc').offset(window.offset).limit(window.limit));
    return { items, total };
  }

  /** Newest first, without a total: as fast on the last page as on the first. */
  async listBefore(filter: LogFilter, keyset: Keyset): Promise<LogRecord[]> {
    const query = withinFilter(this.#db('logs'), filter).orderBy('id', 'desc').limit(keyset.limit);
    if (keyset.beforeId !== undefined) query.where('id', '<', keyset.beforeId);
    return logs.all(query);
  }

  /** All rows of one call, oldest first. */
  async listOfRequest(requestId: string): Promise<LogRecord[]> {
    return logs.all(this.#db('logs').where({ request_id: requestId }).orderBy('id'));
  }

  /** Newest first: rows whose content starts with the text. */
  async searchContent(search: { prefix: string; userId?: number | undefined; limit: number }): Promise<LogRecord[]> {
    const query = this.#db('logs').whereRaw('substr(??, 1, ?) = ?', [
      'content',
      [...search.prefix].length,
      search.prefix,
    ]);
    if (search.userId !== undefined) query.where({ user_id: search.userId });
    return logs.all(query.orderBy('id', 'desc').limit(search.limit));
  }

  /** Sums over the consume rows within the filter. */
  async sums(filter: LogFilter): Promise<LogSums> {
    const row: LogSums | undefined = await withinFilter(this.#db('logs'), { ...filter, type: CONSUME })
      .select(
        this.#db.raw(
          'cast(coalesce(sum(quota), 0) as bigint) as ??, cast(coalesce(sum(prompt_tokens), 0) as bigint) as ??, ' +
            'cast(coalesce(sum(completion_tokens), 0) as bigint) as ??',
          ['quota', 'promptTokens', 'completionTokens'],
        ),
      )
      .first();
    return row ?? { quota: 0, promptTokens: 0, completionTokens: 0 };
  }

  /**
   * Calls and tokens since that time under the filter, whose own times are ignored. Failed calls and channel tests are
   * left out; rows of tools within a call add no call.
   */
  async rate(filter: LogFilter, sinceSeconds: number): Promise<LogRate> {
    const within: LogFilter = { ...filter, type: CONSUME, from: sinceSeconds, until: undefined };
    const member = this.#engine === 'postgres' ? '(other::json ->> ?)' : "(other ->> ('$.' || ?))";
    const row: LogRate | undefined = await withinFilter(this.#db('logs'), within)
      .where({ failed: false })
      .whereRaw(`${member} is null`, ['is_test'])
      .select(
        this.#db.raw(
          `count(case when ${member} is null then 1 end) as ??,
           cast(coalesce(sum(prompt_tokens + completion_tokens), 0) as bigint) as ??`,
          ['tool', 'requests', 'tokens'],
        ),
      )
      .first();
    return row ?? { requests: 0, tokens: 0 };
  }

  /** Removes at most `limit` rows older than that; returns how many. */
  async deleteBefore(createdAt: number, limit: number): Promise<number> {
    const old = this.#db('logs').select('id').where('created_at', '<', createdAt).limit(limit);
    return this.#db('logs').whereIn('id', old).delete();
  }
}

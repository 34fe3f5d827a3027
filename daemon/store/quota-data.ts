/** SQL for the `quota_data` table: hourly figures of consumption for the dashboard. */
import type { Knex } from 'knex';
import { insertChunks } from './chunks.ts';
import { asStored, Table } from './table.ts';

export interface QuotaDataRecord {
  id: number;
  userId: number;
  username: string;
  modelName: string;
  /** Start of the hour, unix seconds. */
  createdAt: number;
  tokenUsed: number;
  count: number;
  quota: number;
}

/** What an hour gains; quota may be negative after a refund. */
export type QuotaDataGain = Omit<QuotaDataRecord, 'id'>;

/** Both ends included, unix seconds. */
export interface TimeSpan {
  readonly from: number;
  readonly until: number;
}

const quotaData = new Table<QuotaDataRecord>(
  'quota_data',
  {
    id: 'id',
    userId: 'user_id',
    username: 'username',
    modelName: 'model_name',
    createdAt: 'created_at',
    tokenUsed: 'token_used',
    count: 'count',
    quota: 'quota',
  },
  asStored,
);

export class QuotaDataStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Adds to the hours; each hour of a user and model appears once in the list. */
  async add(gains: readonly QuotaDataGain[]): Promise<void> {
    const sorted = [...gains].sort(byKey);
    for (const chunk of insertChunks(sorted)) {
      await this.#db('quota_data')
        .insert(chunk.map((gain) => quotaData.row(gain)))
        .onConflict(['user_id', 'model_name', 'created_at'])
        .merge({
          username: this.#db.ref('excluded.username'),
          token_used: this.#db.raw('?? + ??', ['quota_data.token_used', 'excluded.token_used']),
          count: this.#db.raw('?? + ??', ['quota_data.count', 'excluded.count']),
          quota: this.#db.raw('?? + ??', ['quota_data.quota', 'excluded.quota']),
        });
    }
  }

  /** Rows of one user, oldest first. */
  async listOfUser(userId: number, span: TimeSpan): Promise<QuotaDataRecord[]> {
    return this.#list({ user_id: userId }, span);
  }

  /** Rows that were counted under a name, oldest first. */
  async listOfName(username: string, span: TimeSpan): Promise<QuotaDataRecord[]> {
    return this.#list({ username }, span);
  }

  async #list(whose: { user_id: number } | { username: string }, span: TimeSpan): Promise<QuotaDataRecord[]> {
    return quotaData.all(
      this.#db('quota_data')
        .where(whose)
        .whereBetween('created_at', [span.from, span.until])
        .orderBy(['created_at', 'id']),
    );
  }

  /** Sums over all users for each model and hour, oldest first; `id`, `userId` are 0, `username` "". */
  async sums(span: TimeSpan): Promise<QuotaDataRecord[]> {
    const sum = (column: string) =>
      this.#db.raw('cast(sum(??) as bigint) as ??', [column, column === 'token_used' ? 'tokenUsed' : column]);
    const rows: Pick<QuotaDataRecord, 'modelName' | 'createdAt' | 'tokenUsed' | 'count' | 'quota'>[] = await this.#db(
      'quota_data',
    )
      .whereBetween('created_at', [span.from, span.until])
      .groupBy('model_name', 'created_at')
      .orderBy(['created_at', 'model_name'])
      .select({ modelName: 'model_name', createdAt: 'created_at' }, sum('token_used'), sum('count'), sum('quota'));
    return rows.map((row) => ({ id: 0, userId: 0, username: '', ...row }));
  }

  /** Removes at most `limit` hours before that time; returns how many. */
  async deleteBefore(createdAt: number, limit: number): Promise<number> {
    const old = this.#db('quota_data').select('id').where('created_at', '<', createdAt).limit(limit);
    return this.#db('quota_data').whereIn('id', old).delete();
  }
}

/** Nodes that flush at once take their row locks in the same order. */
function byKey(left: QuotaDataGain, right: QuotaDataGain): number {
  if (left.userId !== right.userId) return left.userId - right.userId;
  if (left.modelName !== right.modelName) return left.modelName < right.modelName ? -1 : 1;
  return left.createdAt - right.createdAt;
}

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

/** Rows of a user, those that were counted under a name, or all. */
export type WhoseData = { readonly userId: number } | { readonly username: string } | 'all';

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

  /** Their rows, oldest first; those of all as sums for each model and hour: `id`, `userId` are 0, `username` "". */
  async list(whose: WhoseData, span: TimeSpan): Promise<QuotaDataRecord[]> {
    if (whose !== 'all') return quotaData.all(this.#of(whose, span).orderBy(['created_at', 'id']));
    const rows: Omit<QuotaDataRecord, 'id' | 'userId' | 'username'>[] = await this.#of(whose, span)
      .groupBy('model_name', 'created_at')
      .orderBy(['created_at', 'model_name'])
      .select({ modelName: 'model_name', createdAt: 'created_at' }, ...this.#sums());
    return rows.map((row) => ({ id: 0, userId: 0, username: '', ...row }));
  }

  /** The sum of their rows as a list of one; none where there are no rows. */
  async total(whose: WhoseData, span: TimeSpan): Promise<QuotaDataRecord[]> {
    const rows: (Pick<QuotaDataRecord, 'tokenUsed' | 'count' | 'quota'> & { rows: number })[] = await this.#of(
      whose,
      span,
    ).select(this.#db.raw('cast(count(*) as bigint) as rows'), ...this.#sums());
    return rows
      .filter((row) => row.rows > 0)
      .map(({ tokenUsed, count, quota }) => {
        return { id: 0, userId: 0, username: '', modelName: '', createdAt: span.from, tokenUsed, count, quota };
      });
  }

  #of(whose: WhoseData, { from, until }: TimeSpan): Knex.QueryBuilder {
    const rows = this.#db('quota_data').whereBetween('created_at', [from, until]);
    if (whose === 'all') return rows;
    return rows.where('userId' in whose ? { user_id: whose.userId } : { username: whose.username });
  }

  #sums(): Knex.Raw[] {
    const sum = (column: string, name: string) => this.#db.raw('cast(sum(??) as bigint) as ??', [column, name]);
    return [sum('token_used', 'tokenUsed'), sum('count', 'count'), sum('quota', 'quota')];
  }
}

/** Nodes that flush at once take their row locks in the same order. */
function byKey(left: QuotaDataGain, right: QuotaDataGain): number {
  if (left.userId !== right.userId) return left.userId - right.userId;
  if (left.modelName !== right.modelName) return left.modelName < right.modelName ? -1 : 1;
  return left.createdAt - right.createdAt;
}

/** SQL that sets accounts beside the log: what they say of themselves, and what its rows come to. It changes nothing. */
import type { Knex } from 'knex';
import { DAY_SECONDS } from './log-stretches.ts';

export type AccountKind = 'user' | 'token' | 'channel';

/** An account, and the sums of its rows; all of one moment, in quota. */
export interface AccountBooks {
  id: number;
  /** Balance of a user; 0 for others. */
  quota: number;
  used: number;
  /** What open holds have taken from it. */
  held: number;
  credited: number;
  consumed: number;
  /** Given back for tasks that failed; of `credited`, for users. */
  refunded: number;
}

/** How much is looked at, newest first. */
export interface BooksReach {
  /** Unix seconds: only accounts made since. */
  readonly since: number;
  /** Rows that are summed at most: of the log's sums by day for users and channels, of the log itself for tokens. */
  readonly rows: number;
  readonly accounts: number;
}

/** Where summing begins. */
interface SumPlace {
  readonly from: number;
  /** Only rows with a higher id. */
  readonly behind: number;
}

interface AccountTable {
  readonly table: string;
  readonly owner: 'user_id' | 'token_id' | 'channel_id';
  readonly createdAt: string;
  /** Column of `quota_reservations` that has been taken from it. */
  readonly held?: 'amount' | 'token_amount';
}

const tables: Readonly<Record<AccountKind, AccountTable>> = {
  user: { table: 'users', owner: 'user_id', createdAt: 'created_at', held: 'amount' },
  token: { table: 'tokens', owner: 'token_id', createdAt: 'created_time', held: 'token_amount' },
  channel: { table: 'channels', owner: 'channel_id', createdAt: 'created_time' },
};

/** Refunds of tasks are the only system rows that name a channel. */
const figures = {
  credited: 'cast(sum(case when type in (1, 3, 4, 5) then quota else 0 end) as bigint) as credited',
  consumed: 'cast(sum(case when type = 2 then quota else 0 end) as bigint) as consumed',
  refunded: 'cast(sum(case when type = 4 and channel_id <> 0 then quota else 0 end) as bigint) as refunded',
} as const;

export class AccountBookStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** The newest accounts of which the log has every row, as far as the reach allows. */
  async list(kind: AccountKind, reach: BooksReach): Promise<AccountBooks[]> {
    const place = kind === 'token' ? await this.#placeInLog(reach.rows) : await this.#placeInSums(reach.rows);
    if (place === undefined) return [];
    const { from } = place;
    const { table, owner, createdAt, held } = tables[kind];
    const own = (name: string) => `${table}.${name}`;
    const parts = kind === 'token' ? this.#rows(owner, place) : this.#summed(owner, place);
    const query = this.#db(table)
      .leftJoin(this.#sums(parts).as('sums'), 'sums.owner', own('id'))
      .where(own(createdAt), '>=', Math.max(from, reach.since))
      // Of what was made before the oldest row, others may have been deleted.
      .where(own(createdAt), '>=', this.#db('logs').min('created_at'))
      .whereRaw('?? > (select max(id) from ??) - ?', [own('id'), table, reach.accounts])
      .select({ id: own('id'), used: own('used_quota') })
      .select(kind === 'user' ? own('quota') : this.#db.raw('0 as quota'))
      .select(Object.keys(figures).map((name) => this.#db.raw('coalesce(??, 0) as ??', [name, name])));
    if (held === undefined) return query.select(this.#db.raw('0 as held'));
    return query
      .leftJoin(this.#held(owner, held).as('holds'), 'holds.owner', own('id'))
      .select(this.#db.raw('coalesce(held, 0) as held'));
  }

  /** From the oldest day on of which all sums are among so many; undefined while more rows than that wait to be folded in. */
  async #placeInSums(rows: number): Promise<SumPlace | undefined> {
    const [newest = 0]: number[] = await this.#db('logs').orderBy('id', 'desc').limit(1).pluck('id');
    const [behind = 0]: number[] = await this.#foldedTo().pluck('folded_to');
    if (newest - behind > rows) return undefined;
    const [left]: number[] = await this.#db('log_days')
      .orderBy('starts_at', 'desc')
      .offset(rows)
      .limit(1)
      .pluck('starts_at');
    return { from: left === undefined ? 0 : left + DAY_SECONDS, behind };
  }

  /** From the oldest second on of which all rows are among so many. */
  async #placeInLog(rows: number): Promise<SumPlace> {
    const [left]: number[] = await this.#db('logs')
      .orderBy('created_at', 'desc')
      .offset(rows)
      .limit(1)
      .pluck('created_at');
    return { from: left === undefined ? 0 : left + 1, behind: 0 };
  }

  #foldedTo(): Knex.QueryBuilder {
    return this.#db('log_sum_state').where({ id: 1 }).select('folded_to');
  }

  #rows(owner: string, { from, behind }: SumPlace): Knex.QueryBuilder {
    const rows = this.#db('logs').where('created_at', '>=', from).where('id', '>', behind);
    return rows.select({ owner }, 'type', 'channel_id', 'quota');
  }

  /** Sums by day, and the rows that are not in them. */
  #summed(owner: string, place: SumPlace): Knex.QueryBuilder {
    const days = this.#db('log_days').where('starts_at', '>=', place.from);
    // Folding may have gone on since the place was looked up; without that id PostgreSQL would read the whole log.
    const rows = this.#rows(owner, place).where('id', '>', this.#foldedTo());
    return days.select({ owner }, 'type', 'channel_id', 'quota').unionAll([rows]);
  }

  #sums(parts: Knex.QueryBuilder): Knex.QueryBuilder {
    const sums = Object.values(figures).map((sum) => this.#db.raw(sum));
    return this.#db
      .from(parts.as('parts'))
      .groupBy('owner')
      .select('owner', ...sums);
  }

  #held(owner: string, held: string): Knex.QueryBuilder {
    return this.#db('quota_reservations')
      .where({ state: 'open' })
      .groupBy(owner)
      .select({ owner }, this.#db.raw('cast(sum(??) as bigint) as held', [held]));
  }
}

/** SQL for the `top_ups` and `payment_callbacks` tables. */
import type { Knex } from 'knex';
import { type Engine, readFlag } from './dialect.ts';
import { containsPattern, orWhereId, orWhereLike } from './like-pattern.ts';
import { countRows, type Keyset, type Page, type Window } from './paging.ts';
import { Table } from './table.ts';

export type TopUpStatus = 'pending' | 'success' | 'failed' | 'expired';

export interface TopUpRecord {
  id: number;
  userId: number;
  /** Units bought as entered. */
  amount: number;
  /** What the balance gains, fixed when the order was made. */
  quota: number;
  /** Exact decimal, such as "12.34". */
  money: string;
  tradeNo: string;
  provider: string;
  /** Three letters. */
  currency: string;
  paymentMethod: string;
  createTime: number;
  completeTime: number;
  status: TopUpStatus;
}

/** A call of the payment provider, as it came. */
export interface PaymentCallbackRecord {
  id: number;
  tradeNo: string;
  receivedAt: number;
  remoteIp: string;
  verified: boolean;
  /** Why it was not accepted; "" when it was. */
  reason: string;
  /** JSON text: known parameters, cut, without the signature. */
  fields: string;
}

export interface TopUpFilter {
  readonly userId?: number | undefined;
  /** Contained in the order number; a number also matches the user's id. */
  readonly keyword?: string | undefined;
  readonly status?: string | undefined;
  /** Unix seconds of the order's making, both included. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

/** Sums of the orders of one currency and state. */
export interface TopUpSum {
  readonly currency: string;
  readonly status: TopUpStatus;
  readonly count: number;
  readonly amount: number;
  readonly quota: number;
  /** Money in millionths of the currency's unit, exact. */
  readonly millionths: bigint;
}

const topUps = new Table<TopUpRecord>(
  'top_ups',
  {
    id: 'id',
    userId: 'user_id',
    amount: 'amount',
    quota: 'quota',
    money: 'money',
    tradeNo: 'trade_no',
    provider: 'provider',
    currency: 'currency',
    paymentMethod: 'payment_method',
    createTime: 'create_time',
    completeTime: 'complete_time',
    status: 'status',
  },
  (stored) => ({ ...stored, money: shortDecimal(stored.money) }),
);

const callbacks = new Table<PaymentCallbackRecord>(
  'payment_callbacks',
  {
    id: 'id',
    tradeNo: 'trade_no',
    receivedAt: 'received_at',
    remoteIp: 'remote_ip',
    verified: 'verified',
    reason: 'reason',
    fields: 'fields',
  },
  (stored) => ({ ...stored, verified: readFlag(stored.verified) }),
);

export class TopUpStore {
  readonly #db: Knex;
  readonly #engine: Engine;

  constructor(db: Knex, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
  }

  async findByTradeNo(tradeNo: string): Promise<TopUpRecord | undefined> {
    return topUps.first(this.#db('top_ups').where({ trade_no: tradeNo }));
  }

  /** Newest first. */
  async list(filter: TopUpFilter, window: Window): Promise<Page<TopUpRecord>> {
    const query = this.#filtered(filter);
    const total = await countRows(query);
    const items = await topUps.all(query.orderBy('id', 'desc').offset(window.offset).limit(window.limit));
    return { items, total };
  }

  async listBefore(filter: TopUpFilter, { beforeId, limit }: Keyset): Promise<TopUpRecord[]> {
    const query = this.#filtered(filter).orderBy('id', 'desc').limit(limit);
    if (beforeId !== undefined) query.where('id', '<', beforeId);
    return topUps.all(query);
  }

  /** Sums of all orders of the filter, by currency and state. */
  async sums(filter: TopUpFilter): Promise<TopUpSum[]> {
    const sum = (column: string) => this.#db.raw(wholeSums[this.#engine], [column]);
    const rows: (Omit<TopUpSum, 'millionths'> & { whole: string; rest: string })[] = await this.#filtered(filter)
      .groupBy('currency', 'status')
      .orderBy(['currency', 'status'])
      .select({ currency: 'currency', status: 'status', amount: sum('amount'), quota: sum('quota') })
      .select(this.#db.raw('cast(count(*) as bigint) as ??', ['count']))
      .select(this.#db.raw(moneySums[this.#engine], ['whole', 'rest']));
    return rows.map(({ whole, rest, ...sums }) => ({
      ...sums,
      millionths: BigInt(whole) * 1_000_000n + BigInt(rest),
    }));
  }

  /** Undefined when the order number exists. */
  async insert(topUp: Omit<TopUpRecord, 'id'>): Promise<TopUpRecord | undefined> {
    return topUps.writtenOne(this.#db('top_ups').insert(topUps.row(topUp)).onConflict('trade_no').ignore());
  }

  /** Completes an order that waits or has expired; undefined when it is complete already or does not exist. */
  async complete(tradeNo: string, completeTime: number): Promise<TopUpRecord | undefined> {
    return topUps.writtenOne(
      this.#db('top_ups')
        .where({ trade_no: tradeNo })
        .whereIn('status', ['pending', 'expired'])
        .update({ status: 'success', complete_time: completeTime }),
    );
  }

  /** Orders that were completed within the range, `until` excluded; unix seconds. */
  async countCompleted({ from, until }: { readonly from: number; readonly until: number }): Promise<number> {
    const completed = this.#db('top_ups').where({ status: 'success' });
    return countRows(completed.where('complete_time', '>=', from).where('complete_time', '<', until));
  }

  /** Expires waiting orders made before that time; returns how many. */
  async expire(createdBefore: number): Promise<number> {
    return this.#db('top_ups')
      .where({ status: 'pending' })
      .where('create_time', '<', createdBefore)
      .update({ status: 'expired' });
  }

  async insertCallback(callback: Omit<PaymentCallbackRecord, 'id'>): Promise<void> {
    await this.#db('payment_callbacks').insert(callbacks.row(callback));
  }

  async countCallbacks(tradeNo: string, verified: boolean): Promise<number> {
    return countRows(this.#db('payment_callbacks').where({ trade_no: tradeNo, verified }));
  }

  /** Oldest first. */
  async callbacksOf(tradeNos: readonly string[]): Promise<PaymentCallbackRecord[]> {
    if (tradeNos.length === 0) return [];
    return callbacks.all(this.#db('payment_callbacks').whereIn('trade_no', tradeNos).orderBy('id'));
  }

  #filtered({ userId, keyword, status, from, until }: TopUpFilter): Knex.QueryBuilder {
    const query = this.#db('top_ups');
    if (status) query.where({ status });
    if (from !== undefined) query.where('create_time', '>=', from);
    if (until !== undefined) query.where('create_time', '<=', until);
    if (userId !== undefined) query.where({ user_id: userId });
    if (keyword) {
      query.where((any) => {
        orWhereLike(any, this.#engine, { column: 'trade_no', pattern: containsPattern(keyword) });
        orWhereId(any, keyword, 'user_id');
      });
    }
    return query;
  }
}

/**
 * Sums of whole numbers as a number has them. Nobody has to pay what they order, and a thousand of the largest orders
 * come to more than the engines' own whole numbers hold, at which they refuse the whole statement.
 */
const wholeSums: Readonly<Record<Engine, string>> = {
  sqlite: 'total(??)',
  postgres: 'cast(sum(??) as double precision)',
};

/**
 * The sums of the column `money` as two integers, whole units and the millionths beside them, which are exact: SQLite
 * keeps the decimal as a text and would add binary fractions.
 */
const moneySums: Readonly<Record<Engine, string>> = {
  sqlite: `
    cast(sum(cast(substr(money, 1, instr(money || '.', '.') - 1) as integer)) as text) as ??,
    cast(sum(cast(substr(substr(money, instr(money || '.', '.') + 1) || '000000', 1, 6) as integer)) as text) as ??`,
  postgres: `
    cast(sum(cast(trunc(money) as bigint)) as text) as ??,
    cast(sum(cast((money - trunc(money)) * 1000000 as bigint)) as text) as ??`,
};

/** Without the zeros that a column of fixed scale adds, but with two decimals at least. */
function shortDecimal(decimal: string): string {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return `${whole}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`;
}

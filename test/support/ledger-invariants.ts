/**
 * What must hold of the books after every test run (REQ-2): credits minus charges equals the balance, the sum of log
 * rows equals `used_quota`, for user, token and channel, no hold is open, and no charge is without its row.
 */
import knexModule, { type Knex } from 'knex';
import * as assert from 'uvu/assert';

interface Account {
  readonly quota: number;
  readonly used: number;
}

interface Baseline {
  readonly users: ReadonlyMap<number, Account>;
  readonly tokens: ReadonlyMap<number, Account>;
  readonly channels: ReadonlyMap<number, Account>;
  readonly lastLogId: number;
}

const NOTHING: Account = { quota: 0, used: 0 };

/** Watches one database from the moment of `begin`. Reads it over a connection of its own. */
export class LedgerInvariants {
  readonly #db: Knex;
  readonly #baseline: Baseline;

  /** Notes how the books stand; accounts that are made later count from zero, so credit them through log rows. */
  static async begin(url: string): Promise<LedgerInvariants> {
    const db = connect(url);
    const tokensHeld = await heldBy(db, 'token_id', 'token_amount');
    return new LedgerInvariants(db, {
      users: givenBack(await accounts(db, 'users', 'quota'), await heldBy(db, 'user_id', 'amount'), 'balance'),
      tokens: givenBack(await accounts(db, 'tokens', 'remain_quota'), tokensHeld, 'remaining and used'),
      channels: await accounts(db, 'channels', 'used_quota'),
      lastLogId: Number((await db('logs').max({ id: 'id' }).first())?.id ?? 0),
    });
  }

  private constructor(db: Knex, baseline: Baseline) {
    this.#db = db;
    this.#baseline = baseline;
  }

  /** Throws an assertion that names the account at fault. `open` allows holds that are still running. */
  async check(options: { holds?: 'none' | 'open' } = {}): Promise<void> {
    const open = await this.#db('quota_reservations').where({ state: 'open' }).select('request_id');
    if (options.holds !== 'open')
      assert.equal(
        open.map((row) => row.request_id),
        [],
        'open holds',
      );
    await this.#checkUsers();
    await this.#checkTokens();
    await this.#checkChannels();
    await this.#checkReservations();
    await this.#checkLogSums('log_hours', 3600);
    await this.#checkLogSums('log_days', 86_400);
  }

  /** Closes the connection. */
  async end(): Promise<void> {
    await this.#db.destroy();
  }

  async #checkUsers(): Promise<void> {
    const consumed = await this.#sums('user_id', 'consumed');
    const refunded = await this.#sums('user_id', 'refunded');
    const credited = await this.#sums('user_id', 'credited');
    const held = await heldBy(this.#db, 'user_id', 'amount');
    for (const [id, now] of await accounts(this.#db, 'users', 'quota')) {
      const before = this.#baseline.users.get(id) ?? NOTHING;
      const expected = before.quota + of(credited, id) - of(consumed, id) - of(held, id);
      assert.is(now.quota, expected, `balance of user ${id}`);
      assert.is(now.used, before.used + of(consumed, id) - of(refunded, id), `used_quota of user ${id}`);
    }
  }

  async #checkTokens(): Promise<void> {
    const consumed = await this.#sums('token_id', 'consumed');
    const refunded = await this.#sums('token_id', 'refunded');
    const held = await heldBy(this.#db, 'token_id', 'token_amount');
    const unlimited = await this.#db('tokens').where({ unlimited_quota: true }).select('id');
    const unlimitedIds = new Set(unlimited.map((row) => Number(row.id)));
    for (const [id, now] of await accounts(this.#db, 'tokens', 'remain_quota')) {
      const before = this.#baseline.tokens.get(id) ?? NOTHING;
      const used = of(consumed, id) - of(refunded, id) + of(held, id);
      assert.is(now.used, before.used + used, `used_quota of token ${id}`);
      assert.is(now.quota, before.quota - (unlimitedIds.has(id) ? 0 : used), `remain_quota of token ${id}`);
    }
  }

  async #checkChannels(): Promise<void> {
    const consumed = await this.#sums('channel_id', 'consumed');
    const refunded = await this.#sums('channel_id', 'refunded');
    for (const [id, now] of await accounts(this.#db, 'channels', 'used_quota')) {
      const before = this.#baseline.channels.get(id) ?? NOTHING;
      assert.is(now.used, before.used + of(consumed, id) - of(refunded, id), `used_quota of channel ${id}`);
    }
  }

  /** No charge without its row, no row without its charge, both of the same amount. */
  async #checkReservations(): Promise<void> {
    const rows = await this.#db('logs')
      .where({ type: 2 })
      .andWhere('id', '>', this.#baseline.lastLogId)
      .select('request_id', 'quota');
    const charged = new Map<string, number>();
    for (const { request_id, quota } of rows) charged.set(request_id, (charged.get(request_id) ?? 0) + Number(quota));
    // A session is charged while its hold is open.
    const closed = await this.#db('quota_reservations')
      .whereNot({ state: 'open' })
      .orWhereNotNull('charged')
      .select('request_id', 'charged', 'state');
    const known = new Map<string, number>(closed.map((row) => [row.request_id, Number(row.charged)]));
    for (const [requestId, quota] of charged) {
      assert.is(known.get(requestId), quota, `rows of request ${requestId} against its charge`);
    }
    for (const { request_id, state, charged: amount } of closed) {
      if (state === 'released') assert.is(Number(amount), 0, `released request ${request_id} is charged`);
    }
  }

  /** Sums of the log are those of its rows, as far as they are folded in. */
  async #checkLogSums(table: string, seconds: number): Promise<void> {
    const facts = ['user_id', 'type', 'failed', 'channel_id', 'model_name', 'token_name', 'group', 'username'];
    const figures = ['row_count', 'quota', 'prompt_tokens', 'completion_tokens'];
    const told = await this.#db(table).sum({ calls: 'calls' }).first();
    const folded = await this.#db('log_sum_state').first('folded_to');
    const foldedTo = Number(folded?.folded_to ?? 0);
    const calls = await this.#db('logs')
      .where({ type: 2 })
      .where('id', '<=', foldedTo)
      .whereNot('other', 'like', '%"tool":{%')
      .whereNot('other', 'like', '%"is_test":true%')
      .count({ calls: '*' })
      .first();
    assert.is(Number(told?.calls ?? 0), Number(calls?.calls ?? 0), `calls of ${table}`);
    const order = ['starts_at', ...facts].map((column) => ({ column }));
    const kept = await this.#db(table)
      .orderBy(order)
      .select('starts_at', ...facts, ...figures);
    const start = this.#db.raw('created_at - created_at % ? as starts_at', [seconds]);
    const placed = this.#db('logs').where('id', '<=', foldedTo).select('*', start).as('placed');
    const rows = await this.#db
      .from(placed)
      .groupBy('starts_at', ...facts)
      .orderBy(order)
      .select('starts_at', ...facts)
      .count({ row_count: '*' })
      .sum({ quota: 'quota', prompt_tokens: 'prompt_tokens', completion_tokens: 'completion_tokens' });
    const plain = (found: readonly Record<string, unknown>[]) => found.map((row) => JSON.stringify(row, numbersAsText));
    assert.equal(plain(kept), plain(rows), `${table} against the log`);
  }

  async #sums(column: string, kind: 'consumed' | 'refunded' | 'credited'): Promise<Map<number, number>> {
    const query = this.#db('logs').where('id', '>', this.#baseline.lastLogId);
    if (kind === 'consumed') query.andWhere({ type: 2 });
    else if (kind === 'credited') query.whereIn('type', [1, 3, 4, 5]);
    // Refunds of tasks are the only system rows that name a channel.
    else query.andWhere({ type: 4 }).andWhere('channel_id', '<>', 0);
    return sumMap(await query.select({ id: column }).sum({ amount: 'quota' }).groupBy(column));
  }
}

/** What open holds have taken, by owner. */
async function heldBy(db: Knex, owner: string, amount: string): Promise<Map<number, number>> {
  const query = db('quota_reservations').where({ state: 'open' });
  return sumMap(await query.select({ id: owner }).sum({ amount }).groupBy(owner));
}

/** The accounts as they were before their open holds. */
function givenBack(
  now: ReadonlyMap<number, Account>,
  held: ReadonlyMap<number, number>,
  moved: 'balance' | 'remaining and used',
): Map<number, Account> {
  return new Map(
    [...now].map(([id, { quota, used }]) => {
      const amount = of(held, id);
      return [id, { quota: quota + amount, used: moved === 'balance' ? used : used - amount }];
    }),
  );
}

function connect(url: string): Knex {
  if (!url.startsWith('sqlite:')) {
    // No connection is kept between two looks, so that a server may come and go.
    const pool = { min: 0, max: 1, idleTimeoutMillis: 10, reapIntervalMillis: 10 };
    return knexModule({ client: 'pg', connection: url, pool });
  }
  const connection = { filename: url.slice('sqlite:'.length) };
  return knexModule({ client: 'sqlite3', connection, useNullAsDefault: true });
}

async function accounts(db: Knex, table: string, quota: string): Promise<Map<number, Account>> {
  const rows = await db(table).select({ id: 'id', quota, used: 'used_quota' });
  return new Map(rows.map((row) => [Number(row.id), { quota: Number(row.quota), used: Number(row.used) }]));
}

/** PostgreSQL hands over some whole numbers as text. */
function numbersAsText(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}

function sumMap(rows: readonly { id: unknown; amount: unknown }[]): Map<number, number> {
  return new Map(rows.map((row) => [Number(row.id), Number(row.amount)]));
}

function of(sums: ReadonlyMap<number, number>, id: number): number {
  return sums.get(id) ?? 0;
}

/**
 * SQL of the ledger: changes of balances, holds and log rows, a whole group per statement. It reports what it changed
 * and never refuses; `domain/ledger*.ts` decides what that means and is the only caller.
 */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Engine } from './dialect.ts';
import { type AtOnceSql, postgresAtOnce, sqliteAtOnce, sqlitePrograms } from './ledger-at-once.ts';
import {
  budgetList,
  byId,
  type ClosedHold,
  type ClosedWithoutHold,
  closedRow,
  type Debit,
  type HoldEnd,
  type HoldExtension,
  type HoldSpending,
  holdEndList,
  holdList,
  type KnownHoldEnd,
  logList,
  type NewHold,
  type OpenHold,
  type RowAmendment,
  type Settlements,
  tokenRow,
} from './ledger-rows.ts';
import { type LedgerSql, postgresLedger, postgresSettlements, sqliteLedger, sqliteSettlements } from './ledger-sql.ts';

/** Columns that the statements return; each returns some of them. */
interface ReturnedRow {
  id: number;
  balance: number;
  request_id: string;
  amount: number;
  token_amount: number;
  charged: number | null;
  as_assumed: boolean;
  /** JSON of rows with `id` and `balance`. */
  balances: string;
}

export class LedgerStore {
  readonly #db: Knex;
  readonly #engine: Engine;
  readonly #sql: LedgerSql;
  /** SQLite: resolves when the connection that writes has its programs. */
  #programs: Promise<void> | undefined;

  /** @param db a transaction: every method is one part of a change that commits as a whole, unless it says otherwise. */
  constructor(db: Knex, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
    this.#sql = engine === 'sqlite' ? sqliteLedger : postgresLedger;
  }

  /** Takes each amount from a balance that covers it; returns the users that paid (or got back). One row a user. */
  async debitUsers(debits: readonly Debit[]): Promise<Set<number>> {
    return idSet(await this.#run('debitUsers', byId(debits)));
  }

  /** As `debitUsers`, on remaining quota; `used_quota` grows by the same amount. */
  async debitTokens(debits: readonly Debit[]): Promise<Set<number>> {
    return idSet(await this.#run('debitTokens', byId(debits)));
  }

  /** Balances, locked until the transaction ends. */
  async readUsers(ids: readonly number[]): Promise<Map<number, number>> {
    return balanceMap(await this.#run('readUsers', ids));
  }

  /** Remaining quotas, locked until the transaction ends. */
  async readTokens(ids: readonly number[]): Promise<Map<number, number>> {
    return balanceMap(await this.#run('readTokens', ids));
  }

  /** Opens holds. Throws when a request id is known already. */
  async insertHolds(holds: readonly NewHold[]): Promise<void> {
    await this.#run('insertHolds', holds.map(holdList));
  }

  /**
   * Takes all of a group, or nothing, in one statement outside any transaction: false when a balance does not cover what
   * the group asks of it. When a request id is known already it is false on SQLite, and throws on PostgreSQL.
   */
  async takeHolds(group: {
    readonly users: readonly Debit[];
    readonly tokens: readonly Debit[];
    readonly holds: readonly NewHold[];
  }): Promise<boolean> {
    const lists = [byId(group.users), byId(group.tokens), group.holds.map(holdList)];
    if (this.#engine === 'sqlite') return (await this.#program('takeHolds', lists)) !== undefined;
    return (await this.#query('ledger_takeHolds', postgresAtOnce.takeHolds, lists)).length === group.holds.length;
  }

  /**
   * Ends all requests of a group and applies their changes, or nothing, in one statement outside any transaction; the
   * new balances of the users. Undefined when a hold is not as its end says, or a request without one is known.
   */
  async settleAtOnce(
    ends: { readonly held: readonly KnownHoldEnd[]; readonly unheld: readonly ClosedWithoutHold[] },
    { users = [], tokens = [], channels = [], rows = [], budgets = [] }: Settlements,
  ): Promise<Map<number, number> | undefined> {
    const lists = [
      ends.held.map((end) => [...holdEndList(end), end.amount, end.tokenAmount]),
      ends.unheld.map(closedRow),
      byId(users),
      byId(tokens).map(tokenRow),
      byId(channels),
      rows.map(logList),
      budgets.map(budgetList),
    ];
    if (this.#engine === 'sqlite') {
      const [row] = (await this.#program('settle', lists)) ?? [];
      return row && balanceMap(JSON.parse(row.balances));
    }
    const found = await this.#query('ledger_settle', postgresAtOnce.settle, lists);
    return found[0]?.as_assumed ? balanceMap(found) : undefined;
  }

  /** Those of these holds that are open; they stay so until the transaction ends. */
  async lockOpen(requestIds: readonly string[]): Promise<Map<string, OpenHold>> {
    const open = await this.#run('lockOpen', requestIds);
    return new Map(
      open.map((row) => [row.request_id, { amount: row.amount, tokenAmount: row.token_amount, charged: row.charged }]),
    );
  }

  /** Enlarges open holds. One row a request. */
  async extendHolds(extensions: readonly HoldExtension[]): Promise<void> {
    const rows = extensions.map(({ requestId, amount, tokenAmount }) => ({
      request_id: requestId,
      amount,
      token_amount: tokenAmount,
    }));
    await this.#run('extendHolds', rows);
  }

  /** Uses up parts of open holds. One row a request; no part is more than the hold has left. */
  async spendHolds(spendings: readonly HoldSpending[]): Promise<void> {
    const rows = spendings.map(({ requestId, amount, tokenAmount, charged }) => ({
      request_id: requestId,
      amount,
      token_amount: tokenAmount,
      charged,
    }));
    await this.#run('spendHolds', rows);
  }

  /** Ids of the consume rows of these requests, by request id; rows of attempts that failed at a cost are no user's. */
  async rowIds(requestIds: readonly string[]): Promise<Map<string, number>> {
    const rows: { id: number; request_id: string }[] = await this.#db('logs')
      .whereIn('request_id', requestIds)
      .where({ type: 2 })
      .where('user_id', '>', 0)
      .select('id', 'request_id');
    return new Map(rows.map(({ id, request_id }) => [request_id, id]));
  }

  /** Writes new figures into rows: as `LogSumStore.amend` asks for it. */
  async amendRows(amendments: readonly RowAmendment[]): Promise<void> {
    const rows = amendments.map((row) => ({
      id: row.id,
      content: row.content,
      quota: row.quota,
      prompt_tokens: row.promptTokens,
      completion_tokens: row.completionTokens,
      use_time: row.useTime,
      other: row.other,
      cost: row.cost ?? 0,
    }));
    await this.#run('amendRows', rows);
  }

  /** Adds to what a settled request was charged; a hold that is forgotten is left so. */
  async correctClosed(requestId: string, difference: number): Promise<void> {
    await this.#db('quota_reservations')
      .where({ request_id: requestId, state: 'settled' })
      .increment('charged', difference);
  }

  /** Ends holds that are open; returns those, with what they held. All others are left as they are. */
  async closeHolds(ends: readonly HoldEnd[]): Promise<ClosedHold[]> {
    const closed = await this.#run('closeHolds', ends.map(holdEndList));
    return closed.map((row) => ({ requestId: row.request_id, amount: row.amount, tokenAmount: row.token_amount }));
  }

  /** Records requests that had no hold; returns the request ids that were new. */
  async insertClosed(ends: readonly ClosedWithoutHold[]): Promise<Set<string>> {
    return requestSet(await this.#run('insertClosed', ends.map(closedRow)));
  }

  /** Changes accounts and inserts log rows, in the order given; returns the new balances of the users. One row an id. */
  async applySettlements({
    users = [],
    tokens = [],
    channels = [],
    rows = [],
    budgets = [],
  }: Settlements): Promise<Map<number, number>> {
    const tokenRows = byId(tokens).map(tokenRow);
    if (this.#engine === 'postgres') {
      const lists = [byId(users), tokenRows, byId(channels), rows.map(logList), budgets.map(budgetList)];
      return balanceMap(await this.#query('ledger_settlements', postgresSettlements, lists));
    }
    const balances = await this.#settleTable('users', byId(users));
    await this.#settleTable('tokens', tokenRows);
    await this.#settleTable('channels', byId(channels));
    await this.#settleTable('logs', rows.map(logList));
    await this.#settleTable('budgets', budgets.map(budgetList));
    return balanceMap(balances);
  }

  /** Moves invite earnings to the balance where they suffice; the new balance, undefined when they do not. */
  async moveInviteEarnings(userId: number, amount: number): Promise<number | undefined> {
    const [row] = await this.#db('users')
      .where({ id: userId })
      .andWhere('aff_quota', '>=', amount)
      .update({
        aff_quota: this.#db.raw('aff_quota - ?', [amount]),
        quota: this.#db.raw('quota + ?', [amount]),
      })
      .returning<{ quota: number }[]>('quota');
    return row?.quota;
  }

  /** Sets what a token may still use; false when the user has no such token. */
  async setTokenQuota(token: { id: number; userId: number; remain: number }): Promise<boolean> {
    const changed = await this.#db('tokens')
      .where({ id: token.id, user_id: token.userId })
      .update({ remain_quota: token.remain });
    return changed > 0;
  }

  /** Runs the statement of that name over a list; an empty list costs nothing. */
  async #run(name: keyof LedgerSql, list: readonly unknown[]): Promise<ReturnedRow[]> {
    return list.length === 0 ? [] : this.#query(`ledger_${name}`, this.#sql[name], [list]);
  }

  async #settleTable(table: keyof typeof sqliteSettlements, list: readonly unknown[]): Promise<ReturnedRow[]> {
    return list.length === 0 ? [] : this.#query(`ledger_${table}`, sqliteSettlements[table], [list]);
  }

  /** SQLite: runs one of the programs; undefined when the books are not as it assumes, and nothing was changed. */
  async #program(name: keyof AtOnceSql, lists: readonly (readonly unknown[])[]): Promise<ReturnedRow[] | undefined> {
    this.#programs ??= this.#makePrograms();
    await this.#programs;
    try {
      return await this.#query(name, sqliteAtOnce[name], lists);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'SQLITE_CONSTRAINT') return undefined;
      throw error;
    }
  }

  async #makePrograms(): Promise<void> {
    try {
      for (const program of sqlitePrograms) await this.#db.raw(program);
    } catch (error) {
      this.#programs = undefined;
      throw error;
    }
  }

  /** PostgreSQL plans a statement with a name once per connection; planning costs it as much as running a small group. */
  async #query(name: string, sql: string, lists: readonly (readonly unknown[])[]): Promise<ReturnedRow[]> {
    const bindings = lists.map((list) => JSON.stringify(list));
    const query = this.#db.raw<{ rows: ReturnedRow[] } | ReturnedRow[]>(sql, bindings);
    const result = await (this.#engine === 'postgres' ? query.options({ name: nameOf(name, sql) }) : query);
    return Array.isArray(result) ? result : result.rows;
  }
}

const names = new Map<string, string>();

/** A name for these very words: a pooler may hand on a connection on which another version prepared its own. */
function nameOf(name: string, sql: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const mark = createHash('sha256').update(sql).digest('hex').slice(0, 12);
  names.set(name, `${name}_${mark}`);
  return `${name}_${mark}`;
}

const idSet = (rows: readonly ReturnedRow[]) => new Set(rows.map((row) => row.id));
const requestSet = (rows: readonly ReturnedRow[]) => new Set(rows.map((row) => row.request_id));
const balanceMap = (rows: readonly ReturnedRow[]) => new Map(rows.map((row) => [row.id, row.balance]));

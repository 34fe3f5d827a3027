/**
 * SQL of the ledger: changes of balances, holds and log rows, a whole group per statement. It reports what it changed
 * and never refuses; `domain/ledger*.ts` decides what that means and is the only caller.
 */
import type { Knex } from 'knex';
import type { Engine } from './dialect.ts';
import {
  type LedgerSql,
  postgresLedger,
  postgresSettlements,
  postgresTakeHolds,
  sqliteLedger,
  sqliteSettlements,
} from './ledger-sql.ts';
import type { LogRecord, NewLogRow } from './logs.ts';

/** Quota to take from a user or token; negative gives it back. */
export interface Debit {
  readonly id: number;
  readonly amount: number;
}

/** A row of `quota_reservations` to open. */
export interface NewHold {
  readonly requestId: string;
  readonly userId: number;
  readonly tokenId: number;
  readonly group: string;
  readonly amount: number;
  /** The part of `amount` that the token's remaining quota gave: all of it or 0. */
  readonly tokenAmount: number;
  readonly node: string;
  readonly createdAt: number;
}

export interface HoldExtension {
  readonly requestId: string;
  readonly amount: number;
  readonly tokenAmount: number;
}

/** What an open hold has left. */
export interface OpenHold {
  readonly amount: number;
  readonly tokenAmount: number;
  /** Sum of what was charged to it while open; null before the first charge. */
  readonly charged: number | null;
}

/** A part of an open hold that is used up. */
export interface HoldSpending extends HoldExtension {
  /** Sum of all charges, this one included. */
  readonly charged: number;
}

/** Figures of a row that goes on growing while its session lasts. */
export type RowAmendment = Pick<
  LogRecord,
  'id' | 'content' | 'quota' | 'promptTokens' | 'completionTokens' | 'useTime' | 'other'
>;

/** How a hold ends. */
export interface HoldEnd {
  readonly requestId: string;
  readonly state: 'settled' | 'released';
  readonly charged: number;
  readonly reason: string;
  readonly closedAt: number;
}

/** The closed row of a request that had no hold; it makes the request id known. */
export interface ClosedWithoutHold extends HoldEnd {
  readonly userId: number;
  readonly tokenId: number;
  readonly group: string;
  readonly node: string;
}

/** A hold that this statement closed, with what it held. */
export interface ClosedHold {
  readonly requestId: string;
  readonly amount: number;
  readonly tokenAmount: number;
}

export interface UserSettlement {
  readonly id: number;
  /** Added to the balance; negative when more was used than held. */
  readonly refund: number;
  readonly used: number;
  readonly requests: number;
}

export interface TokenSettlement {
  readonly id: number;
  /** Added to the remaining quota; 0 for unlimited tokens. */
  readonly refund: number;
  /** Added to the used quota; may be negative. */
  readonly used: number;
  readonly accessedTime: number;
}

export interface ChannelSettlement {
  readonly id: number;
  readonly used: number;
}

/** Columns that the statements return; each returns some of them. */
interface ReturnedRow {
  id: number;
  balance: number;
  request_id: string;
  amount: number;
  token_amount: number;
  charged: number | null;
}

export class LedgerStore {
  readonly #db: Knex;
  readonly #engine: Engine;
  readonly #sql: LedgerSql;

  /** @param db a transaction: every method is one part of a change that commits as a whole. */
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
   * the group asks of it, and always on SQLite, which has no such statement. Throws when a request id is known already.
   */
  async takeHolds(group: {
    readonly users: readonly Debit[];
    readonly tokens: readonly Debit[];
    readonly holds: readonly NewHold[];
  }): Promise<boolean> {
    if (this.#engine === 'sqlite') return false;
    const debitList = ({ id, amount }: Debit) => [id, amount];
    const lists = [group.users.map(debitList), group.tokens.map(debitList), group.holds.map(holdList)];
    return (await this.#query('ledger_takeHolds', postgresTakeHolds, lists)).length === group.holds.length;
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

  /** Ids of the consume rows of these requests, by request id. */
  async rowIds(requestIds: readonly string[]): Promise<Map<string, number>> {
    const rows: { id: number; request_id: string }[] = await this.#db('logs')
      .whereIn('request_id', requestIds)
      .where({ type: 2 })
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
    }));
    await this.#run('amendRows', rows);
  }

  /** Ends holds that are open; returns those, with what they held. All others are left as they are. */
  async closeHolds(ends: readonly HoldEnd[]): Promise<ClosedHold[]> {
    const rows = ends.map(({ requestId, state, charged, reason, closedAt }) => [
      requestId,
      state,
      charged,
      reason,
      closedAt,
    ]);
    const closed = await this.#run('closeHolds', rows);
    return closed.map((row) => ({ requestId: row.request_id, amount: row.amount, tokenAmount: row.token_amount }));
  }

  /** Records requests that had no hold; returns the request ids that were new. */
  async insertClosed(ends: readonly ClosedWithoutHold[]): Promise<Set<string>> {
    const rows = ends.map((end) => ({
      request_id: end.requestId,
      state: end.state,
      charged: end.charged,
      reason: end.reason,
      closed_at: end.closedAt,
      user_id: end.userId,
      token_id: end.tokenId,
      group: end.group,
      node: end.node,
    }));
    return requestSet(await this.#run('insertClosed', rows));
  }

  /** Changes accounts and inserts log rows, in the order given; returns the new balances of the users. One row an id. */
  async applySettlements(changes: {
    readonly users?: readonly UserSettlement[];
    readonly tokens?: readonly TokenSettlement[];
    readonly channels?: readonly ChannelSettlement[];
    readonly rows?: readonly NewLogRow[];
  }): Promise<Map<number, number>> {
    const { users = [], tokens = [], channels = [], rows = [] } = changes;
    const tokenRows = byId(tokens).map(({ id, refund, used, accessedTime }) => ({
      id,
      refund,
      used,
      accessed_time: accessedTime,
    }));
    if (this.#engine === 'postgres') {
      const lists = [byId(users), tokenRows, byId(channels), rows.map(logList)];
      return balanceMap(await this.#query('ledger_settlements', postgresSettlements, lists));
    }
    const balances = await this.#settleTable('users', byId(users));
    await this.#settleTable('tokens', tokenRows);
    await this.#settleTable('channels', byId(channels));
    await this.#settleTable('logs', rows.map(logList));
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

  /** PostgreSQL plans a statement with a name once per connection; planning costs it as much as running a small group. */
  async #query(name: string, sql: string, lists: readonly (readonly unknown[])[]): Promise<ReturnedRow[]> {
    const bindings = lists.map((list) => JSON.stringify(list));
    const query = this.#db.raw<{ rows: ReturnedRow[] } | ReturnedRow[]>(sql, bindings);
    const result = await (this.#engine === 'postgres' ? query.options({ name }) : query);
    return Array.isArray(result) ? result : result.rows;
  }
}

/** In the order of the columns in `sqliteSettlements.logs`. */
function logList(row: NewLogRow) {
  return [
    row.userId,
    row.createdAt,
    row.type,
    row.content,
    row.username,
    row.tokenName,
    row.modelName,
    row.quota,
    row.promptTokens,
    row.completionTokens,
    row.useTime,
    row.isStream,
    row.channelId,
    row.tokenId,
    row.group,
    row.other,
    row.requestId,
    row.failed,
    row.ip,
  ];
}

function holdList(hold: NewHold) {
  const { requestId, userId, tokenId, group, amount, tokenAmount, node, createdAt } = hold;
  return [requestId, userId, tokenId, group, amount, tokenAmount, node, createdAt];
}

/** PostgreSQL locks in this order, so that two groups never wait for each other in a circle. */
function byId<Row extends { readonly id: number }>(rows: readonly Row[]): Row[] {
  return [...rows].sort((left, right) => left.id - right.id);
}

const idSet = (rows: readonly ReturnedRow[]) => new Set(rows.map((row) => row.id));
const requestSet = (rows: readonly ReturnedRow[]) => new Set(rows.map((row) => row.request_id));
const balanceMap = (rows: readonly ReturnedRow[]) => new Map(rows.map((row) => [row.id, row.balance]));

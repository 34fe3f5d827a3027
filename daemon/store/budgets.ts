/**
 * SQL of budgets: their lists stand in the rows of those they hold for, what was taken from them in `budget_uses`, one
 * row a period and node, which the ledger writes with its settlements.
 */
import type { Knex } from 'knex';
import type { BudgetKind, BudgetPeriod } from '../contract/budgets.ts';
import { type Engine, type RawResult, rowsOf } from './dialect.ts';
import type { BudgetUse } from './ledger-rows.ts';
import type { Page, Window } from './paging.ts';

export type BudgetSubject = BudgetUse['subject'];

/** A budget as it is stored with its subject. */
export interface BudgetRecord {
  readonly kind: BudgetKind;
  readonly per: BudgetPeriod;
  readonly limit: number;
}

export interface BudgetOwner {
  readonly subject: BudgetSubject;
  readonly subjectId: number;
}

/** A budget with the name of whom it holds for. */
export interface ListedBudget extends BudgetRecord, BudgetOwner {
  readonly name: string;
}

/** What a period has lost, by calls of one node and by those of all others. */
export interface BudgetSum extends BudgetOwner {
  readonly kind: string;
  readonly per: string;
  readonly startsAt: number;
  readonly own: number;
  readonly others: number;
}

/** Undefined members do not filter. */
export interface BudgetFilter {
  readonly owners?: readonly BudgetOwner[] | undefined;
  /** Leaves only this user's account and keys. */
  readonly userId?: number | undefined;
  /** Leaves, beside channels, only accounts with a lower role and this one itself, and their keys. */
  readonly seenBy?: { readonly userId: number; readonly role: number } | undefined;
}

const tables = { token: 'tokens', user: 'users', channel: 'channels' } as const;
const names = { token: 'name', user: 'username', channel: 'name' } as const;
const subjects = ['channel', 'token', 'user'] as const;

export class BudgetStore {
  readonly #db: Knex;
  readonly #engine: Engine;

  constructor(db: Knex, engine: Engine) {
    this.#db = db;
    this.#engine = engine;
  }

  /** Writes the whole list of a subject; false when there is no such row. */
  async set({ subject, subjectId }: BudgetOwner, budgets: readonly BudgetRecord[]): Promise<boolean> {
    const stored = JSON.stringify(budgets);
    return (await this.#db(tables[subject]).where({ id: subjectId }).update({ budgets: stored })) > 0;
  }

  /** By subject, then by kind and period; deleted keys and users have none. */
  async list(filter: BudgetFilter, { offset, limit }: Window): Promise<Page<ListedBudget>> {
    const { owners } = filter;
    const wanted = subjects.filter((subject) => owners?.some((owner) => owner.subject === subject) ?? true);
    const parts = wanted
      .filter((subject) => filter.userId === undefined || subject !== 'channel')
      .map((subject) => this.#part(subject, filter));
    if (parts.length === 0) return { items: [], total: 0 };
    const all = parts.map(({ sql }) => sql).join(' UNION ALL ');
    const values = parts.flatMap((part) => part.values);
    const items: RawResult<ListedBudget> = await this.#db.raw(
      `${all} ORDER BY "subject", "subjectId", "kind", "per" LIMIT ? OFFSET ?`,
      [...values, limit, offset],
    );
    const counted: RawResult<{ total: number }> = await this.#db.raw(
      `SELECT count(*) AS total FROM (${all}) AS everything`,
      values,
    );
    return { items: rowsOf(items), total: Number(rowsOf(counted)[0]?.total ?? 0) };
  }

  /** What was taken in the periods that began at these moments; absent where nothing was. */
  async sums(owners: readonly BudgetOwner[], startsAt: readonly number[], node: string): Promise<BudgetSum[]> {
    if (owners.length === 0) return [];
    const rows: BudgetSum[] = await this.#db('budget_uses')
      .whereIn('starts_at', startsAt)
      .where((any) => {
        for (const subject of subjects) {
          const ids = owners.filter((owner) => owner.subject === subject).map((owner) => owner.subjectId);
          if (ids.length > 0) any.orWhere((one) => one.where({ subject }).whereIn('subject_id', ids));
        }
      })
      .groupBy('subject', 'subject_id', 'kind', 'per', 'starts_at')
      .select({ subject: 'subject', subjectId: 'subject_id', kind: 'kind', per: 'per', startsAt: 'starts_at' })
      .select(this.#db.raw('CAST(sum(CASE WHEN node = ? THEN used ELSE 0 END) AS bigint) AS own', [node]))
      .select(this.#db.raw('CAST(sum(CASE WHEN node = ? THEN 0 ELSE used END) AS bigint) AS others', [node]));
    return rows;
  }

  /** Removes what was counted in periods that began before a moment. */
  async deleteUses(before: number): Promise<void> {
    await this.#db('budget_uses').where('starts_at', '<', before).delete();
  }

  #part(subject: BudgetSubject, filter: BudgetFilter): { sql: string; values: number[] } {
    const values: number[] = [];
    const conditions = [`r.budgets <> '[]'`];
    if (subject !== 'channel') conditions.push('r.deleted_at IS NULL');
    if (filter.owners !== undefined) {
      const ids = filter.owners.filter((owner) => owner.subject === subject).map((owner) => owner.subjectId);
      conditions.push(`r.id IN (${ids.map(() => '?').join(', ')})`);
      values.push(...ids);
    }
    if (filter.userId !== undefined) {
      conditions.push(subject === 'token' ? 'r.user_id = ?' : 'r.id = ?');
      values.push(filter.userId);
    }
    if (filter.seenBy !== undefined && subject !== 'channel') {
      const account = subject === 'token' ? 'r.user_id' : 'r.id';
      const role = subject === 'token' ? '(SELECT u.role FROM users AS u WHERE u.id = r.user_id)' : 'r.role';
      conditions.push(`(${account} = ? OR ${role} < ?)`);
      values.push(filter.seenBy.userId, filter.seenBy.role);
    }
    const each = this.#engine === 'sqlite' ? 'json_each(r.budgets)' : 'jsonb_array_elements(r.budgets::jsonb)';
    const member = this.#engine === 'sqlite' ? 'b.value' : 'b';
    const sql = `
      SELECT '${subject}' AS "subject", r.id AS "subjectId", r.${names[subject]} AS "name", ${member} ->> 'kind' AS "kind",
        ${member} ->> 'per' AS "per", CAST(${member} ->> 'limit' AS bigint) AS "limit"
      FROM ${tables[subject]} AS r, ${each} AS b WHERE ${conditions.join(' AND ')}`;
    return { sql, values };
  }
}

/** SQL for the `audit_logs` table: who did what to whom, without any secret. */
import type { Knex } from 'knex';
import { countRows, type Keyset, type Page, type Window } from './paging.ts';
import { asStored, Table } from './table.ts';

export interface AuditRecord {
  id: number;
  createdAt: number;
  /** 0 = the system itself. */
  actorId: number;
  actorName: string;
  ip: string;
  /** Such as `channel.key_read`. */
  action: string;
  /** What it was done to, such as `channel:7`. */
  target: string;
  /** JSON text. */
  detail: string;
}

export type NewAudit = Omit<AuditRecord, 'id'>;

export interface AuditFilter {
  readonly actorId?: number | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

const audits = new Table<AuditRecord>(
  'audit_logs',
  {
    id: 'id',
    createdAt: 'created_at',
    actorId: 'actor_id',
    actorName: 'actor_name',
    ip: 'ip',
    action: 'action',
    target: 'target',
    detail: 'detail',
  },
  asStored,
);

export class AuditStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async append(audit: NewAudit): Promise<void> {
    await this.#db('audit_logs').insert(audits.row(audit));
  }

  async list(filter: AuditFilter, window: Window): Promise<Page<AuditRecord>> {
    const query = this.#filtered(filter);
    const total = await countRows(query);
    const items = await audits.all(query.orderBy('id', 'desc').offset(window.offset).limit(window.limit));
    return { items, total };
  }

  async listBefore(filter: AuditFilter, keyset: Keyset): Promise<AuditRecord[]> {
    const query = this.#filtered(filter).orderBy('id', 'desc').limit(keyset.limit);
    if (keyset.beforeId !== undefined) query.where('id', '<', keyset.beforeId);
    return audits.all(query);
  }

  /** Removes at most `limit` rows older than that; returns how many. */
  async deleteBefore(createdAt: number, limit: number): Promise<number> {
    const old = this.#db('audit_logs').select('id').where('created_at', '<', createdAt).limit(limit);
    return this.#db('audit_logs').whereIn('id', old).delete();
  }

  #filtered({ actorId, action, target, from, until }: AuditFilter): Knex.QueryBuilder {
    const query = this.#db('audit_logs');
    if (actorId !== undefined) query.where('actor_id', actorId);
    if (action) query.where('action', action);
    if (target) query.where('target', target);
    if (from !== undefined) query.where('created_at', '>=', from);
    if (until !== undefined) query.where('created_at', '<=', until);
    return query;
  }
}

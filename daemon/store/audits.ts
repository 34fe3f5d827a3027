/**
 * SQL for the `audit_logs` table: who did what to whom, without any secret. Rows are a chain of digests: whoever changes,
 * removes or slips in a row breaks it, and the head tells when rows are missing at its end.
 */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { insertChunks } from './chunks.ts';
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
  /** Of the call; "" for what no call did. */
  requestId: string;
  userAgent: string;
  /** Digest of the row before; "" for the first of the chain. */
  prevHash: string;
  /** Digest of this row; "" for rows from before there was a chain. */
  hash: string;
}

type Chained = 'prevHash' | 'hash';
type Caller = 'requestId' | 'userAgent';

export type NewAudit = Omit<AuditRecord, 'id' | Chained | Caller> & {
  readonly [Field in Caller]?: AuditRecord[Field] | undefined;
};

/** Where the chain ends. */
export interface AuditHead {
  /** Rows of the chain. */
  chained: number;
  /** Digest of the last of them; "" while there is none. */
  hash: string;
}

export interface AuditFilter {
  readonly actorId?: number | undefined;
  readonly actorName?: string | undefined;
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
    requestId: 'request_id',
    userAgent: 'user_agent',
    prevHash: 'prev_hash',
    hash: 'hash',
  },
  asStored,
);

export class AuditStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Adds a row at the end of the chain. In a transaction, until whose end others who append wait. */
  async append(audit: NewAudit): Promise<void> {
    await this.appendAll([audit]);
  }

  /** As `append`, for several rows in their order. */
  async appendAll(added: readonly NewAudit[]): Promise<void> {
    if (added.length === 0) return;
    const head = await this.#lockHead();
    let { hash } = head;
    const rows = added.map((audit) => {
      const { requestId = '', userAgent = '' } = audit;
      const row = { ...audit, requestId, userAgent, prevHash: hash };
      hash = auditDigest(row);
      return audits.row({ ...row, hash });
    });
    for (const chunk of insertChunks(rows)) await this.#db('audit_logs').insert(chunk);
    await this.#db('audit_head')
      .where({ id: 1 })
      .update({ chained: head.chained + rows.length, hash });
  }

  async head(): Promise<AuditHead> {
    const head: AuditHead | undefined = await this.#db('audit_head').where({ id: 1 }).first('chained', 'hash');
    return head ?? { chained: 0, hash: '' };
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

  /** The newest row of each of these targets that has any. */
  async lastOf(targets: readonly string[]): Promise<AuditRecord[]> {
    const found: AuditRecord[] = [];
    for (const chunk of insertChunks(targets)) {
      const newest = this.#db('audit_logs').whereIn('target', chunk).groupBy('target').max('id');
      found.push(...(await audits.all(this.#db('audit_logs').whereIn('id', newest))));
    }
    return found;
  }

  /** The next rows of the chain, oldest first. */
  async listChained(page: { readonly afterId: number; readonly limit: number }): Promise<AuditRecord[]> {
    const rows = this.#db('audit_logs').where('id', '>', page.afterId).whereNot('hash', '');
    return audits.all(rows.orderBy('id').limit(page.limit));
  }

  async #lockHead(): Promise<AuditHead> {
    const head: AuditHead | undefined = await this.#db('audit_head')
      .where({ id: 1 })
      .forUpdate()
      .first('chained', 'hash');
    if (!head) throw new Error('the audit chain has lost its head');
    return head;
  }

  #filtered({ actorId, actorName, action, target, from, until }: AuditFilter): Knex.QueryBuilder {
    const query = this.#db('audit_logs');
    if (actorId !== undefined) query.where('actor_id', actorId);
    if (actorName) query.where('actor_name', actorName);
    // SQLite would walk all rows of an action rather than the few of a target.
    if (action && target) query.whereRaw("action || '' = ?", [action]);
    else if (action) query.where('action', action);
    if (target) query.where('target', target);
    if (from !== undefined) query.where('created_at', '>=', from);
    if (until !== undefined) query.where('created_at', '<=', until);
    return query;
  }
}

/** Digest of a row, over everything that it says and the digest of the row before. */
export function auditDigest(row: Omit<AuditRecord, 'id' | 'hash'>): string {
  const { prevHash, createdAt, actorId, actorName, ip, action, target, detail, requestId, userAgent } = row;
  const said = [prevHash, createdAt, actorId, actorName, ip, action, target, detail, requestId, userAgent];
  return createHash('sha256').update(JSON.stringify(said)).digest('hex');
}

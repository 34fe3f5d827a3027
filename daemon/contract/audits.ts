/** The audit trail: who did what to whom (console.md 6.24, cli.md E6). Rows are never changed and never removed. */
import * as z from 'zod/mini';
import { endpoint, pagedFromOne } from './endpoint.ts';
import { filterText, optionalWholeNumber } from './loose.ts';

export const AuditView = z.object({
  id: z.int(),
  /** Unix seconds. */
  created_at: z.int(),
  /** 0 = the system itself. */
  actor_id: z.int(),
  /** Name at the time. */
  actor_name: z.string(),
  ip: z.string(),
  /** Such as `channel.update`. */
  action: z.string(),
  /** What it was done to, such as `channel:7`. */
  target: z.string(),
  /** JSON text; never a secret. */
  detail: z.string(),
  /** "" for what no call did. */
  request_id: z.string(),
  user_agent: z.string(),
  /** Digest of the row before. */
  prev_hash: z.string(),
  /** Digest of this row; "" for rows from before there was a chain. */
  hash: z.string(),
});
export type AuditView = z.infer<typeof AuditView>;

/** What the walk over the chain found. */
export const AuditVerification = z.object({
  intact: z.boolean(),
  /** Rows of the chain that were read. */
  rows: z.int(),
  /** The first row that does not fit to the one before; null when none is broken, or rows are missing at the end. */
  first_broken: z.nullable(z.int()),
  /** Rows that are missing at the end. */
  missing: z.int(),
  /** Digest at the end of the chain, to be compared with one that was noted elsewhere. */
  head: z.string(),
});
export type AuditVerification = z.infer<typeof AuditVerification>;

const filters = {
  /** Id or name of who acted. */
  actor: filterText,
  action: filterText,
  target: filterText,
  start_timestamp: optionalWholeNumber,
  end_timestamp: optionalWholeNumber,
};

export const audits = {
  list: endpoint({
    method: 'GET',
    path: '/api/audit/',
    access: 'admin',
    scope: 'audit:read',
    shape: 'page',
    paging: pagedFromOne,
    description: { en: 'Lists what was done, newest first.', zh: '列出操作记录，最新的在前。' },
    input: z.object(filters),
    output: AuditView,
  }),
  verify: endpoint({
    method: 'GET',
    path: '/api/audit/verify',
    access: 'admin',
    scope: 'audit:read',
    shape: 'data',
    rate: 'search',
    description: {
      en: 'Walks the chain of digests from its first row to its head; tells the first row that was changed.',
      zh: '从首行到末行校验摘要链，并指出第一条被改动的记录。',
    },
    output: AuditVerification,
  }),
  export: endpoint({
    method: 'GET',
    path: '/api/audit/export',
    access: 'admin',
    scope: 'audit:read',
    shape: 'file',
    rate: 'download',
    description: {
      en: 'All rows of the filter as a file, newest first.',
      zh: '把筛选出的全部记录导出为文件，最新的在前。',
    },
    input: z.object({ ...filters, format: z._default(z.enum(['csv', 'ndjson']), 'csv') }),
  }),
};

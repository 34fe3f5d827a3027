/** The audit trail on the wire, and as a file. */
import type { AuditVerification, AuditView } from '../../contract/audits.ts';
import type { FileAnswer } from '../../contract/endpoint.ts';
import type { ChainFinding } from '../../domain/audit-trail.ts';
import type { AuditRecord } from '../../store/audits.ts';
import { rowFile, tableBody } from './row-file.ts';

export function presentAudit(row: AuditRecord): AuditView {
  return {
    id: row.id,
    created_at: row.createdAt,
    actor_id: row.actorId,
    actor_name: row.actorName,
    ip: row.ip,
    action: row.action,
    target: row.target,
    detail: row.detail,
    request_id: row.requestId,
    user_agent: row.userAgent,
    prev_hash: row.prevHash,
    hash: row.hash,
  };
}

export function presentFinding(finding: ChainFinding): AuditVerification {
  const { intact, rows, firstBroken, missing, head } = finding;
  return { intact, rows, first_broken: firstBroken ?? null, missing, head };
}

const columns = [
  'id',
  'created_at',
  'actor_id',
  'actor_name',
  'ip',
  'action',
  'target',
  'detail',
  'request_id',
  'user_agent',
  'prev_hash',
  'hash',
] as const satisfies readonly (keyof AuditView)[];

/** The rows as a download, streamed portion by portion. */
export function auditFile(pages: AsyncIterable<readonly AuditRecord[]>, format: 'csv' | 'ndjson'): FileAnswer {
  const cells = (row: AuditView) => columns.map((column) => row[column]);
  return rowFile('audit', format, tableBody(pages, format, { present: presentAudit, columns, cells }));
}

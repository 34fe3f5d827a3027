/** The audit trail on the wire, and as a file. */
import { stringify } from 'csv-stringify/sync';
import type { AuditVerification, AuditView } from '../../contract/audits.ts';
import type { FileAnswer } from '../../contract/endpoint.ts';
import type { ChainFinding } from '../../domain/audit-trail.ts';
import type { AuditRecord } from '../../store/audits.ts';
import { textCell } from './text-cell.ts';

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
  return format === 'csv'
    ? { contentType: 'text/csv; charset=utf-8', fileName: 'audit.csv', body: csvOf(pages) }
    : { contentType: 'application/x-ndjson; charset=utf-8', fileName: 'audit.ndjson', body: ndjsonOf(pages) };
}

async function* csvOf(pages: AsyncIterable<readonly AuditRecord[]>): AsyncGenerator<string> {
  yield `${columns.join(',')}\n`;
  for await (const page of pages) {
    const cell = (value: string | number) => (typeof value === 'number' ? value : textCell(value));
    yield stringify(page.map(presentAudit).map((row) => columns.map((column) => cell(row[column]))));
  }
}

async function* ndjsonOf(pages: AsyncIterable<readonly AuditRecord[]>): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((row) => `${JSON.stringify(presentAudit(row))}\n`).join('');
}

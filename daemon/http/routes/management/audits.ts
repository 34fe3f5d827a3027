/** Routes of the audit trail (console.md 6.24). */
import { contract } from '../../../contract/index.ts';
import type { AuditTrail } from '../../../domain/audit-trail.ts';
import { implement, type Route } from '../../implement.ts';
import { auditFile, presentAudit, presentFinding } from '../../present/audits.ts';

export const auditRoutes = (trail: AuditTrail): Route[] => [
  implement(contract.audits.list, async ({ input, page }) => {
    const { items, total } = await trail.list(input, page);
    return { items: items.map(presentAudit), total };
  }),
  implement(contract.audits.verify, async () => presentFinding(await trail.verify())),
  implement(contract.audits.export, ({ input }) => auditFile(trail.export(input), input.format)),
];

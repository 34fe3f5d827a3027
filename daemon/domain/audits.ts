/** Rows of the audit log: who did what to whom. Never a secret. */
import type { NewAudit } from '../store/audits.ts';
import type { Actor } from './actor.ts';

export interface AuditedAct {
  /** Such as `user.disable`. */
  readonly action: string;
  /** Such as `user:7`. */
  readonly target: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** The row for something a person did. */
export function auditBy(
  actor: Pick<Actor, 'userId' | 'username' | 'ip' | 'requestId' | 'userAgent'>,
  act: AuditedAct,
  nowSeconds: number,
): NewAudit {
  return {
    createdAt: nowSeconds,
    actorId: actor.userId,
    actorName: actor.username,
    ip: actor.ip,
    action: act.action,
    target: act.target,
    detail: JSON.stringify(act.detail ?? {}),
    requestId: actor.requestId,
    userAgent: actor.userAgent,
  };
}

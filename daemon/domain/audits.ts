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

/** The row for something a person did, or a machine token in their name. */
export function auditBy(
  actor: Pick<Actor, 'userId' | 'username' | 'ip' | 'requestId' | 'userAgent' | 'machineToken'>,
  act: AuditedAct,
  nowSeconds: number,
): NewAudit {
  const { machineToken } = actor;
  const by = machineToken && { machine_token: { id: machineToken.id, name: machineToken.name } };
  return {
    createdAt: nowSeconds,
    actorId: actor.userId,
    actorName: actor.username,
    ip: actor.ip,
    action: act.action,
    target: act.target,
    detail: JSON.stringify({ ...act.detail, ...by }),
    requestId: actor.requestId,
    userAgent: actor.userAgent,
  };
}

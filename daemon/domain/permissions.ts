/** Who may do what to whom (management-api.md 6.2): one matrix for every action on users (S11). */
import type { ErrorCode } from '../contract/error-codes.ts';
import { roles } from '../contract/roles.ts';
import type { UserRecord } from '../store/users.ts';
import type { Actor } from './actor.ts';

export type UserManagement =
  | 'read'
  | 'edit'
  | 'set-quota'
  | 'set-group'
  | 'set-password'
  | 'sign-out'
  | 'reset-second-factor'
  | 'disable'
  | 'enable'
  | 'delete'
  | 'promote'
  | 'demote';

/** What the super administrator cannot do to the own account; taking off the second factor needs it (N3). */
const protectedOfRoot: ReadonlySet<UserManagement> = new Set([
  'disable',
  'enable',
  'delete',
  'demote',
  'reset-second-factor',
]);

type Target = Pick<UserRecord, 'id' | 'role' | 'status' | 'deletedAt'>;

/** How the actor stands to the target; guards compare the stored role, never one from a body. */
type Relation = 'self' | 'below' | 'level';

/** Why the actor may not do this; undefined when nothing stands against it. Order: level, root protection, state. */
export function managementRefusal(
  actor: Pick<Actor, 'userId' | 'role'>,
  target: Target,
  action: UserManagement,
): ErrorCode | undefined {
  const relation = relationOf(actor, target);
  if (action === 'read') return relation === 'level' && actor.role < roles.root ? 'user_same_level' : undefined;
  return levelRefusal(actor, { action, relation }) ?? stateRefusal(target, action);
}

function relationOf(actor: Pick<Actor, 'userId' | 'role'>, target: Target): Relation {
  if (actor.userId === target.id) return 'self';
  return actor.role > target.role ? 'below' : 'level';
}

function levelRefusal(
  actor: Pick<Actor, 'role'>,
  { action, relation }: { action: UserManagement; relation: Relation },
): ErrorCode | undefined {
  if (action === 'promote') {
    if (actor.role < roles.root) return 'user_promote_root_only';
    return relation === 'self' ? 'user_already_admin' : sameLevel(relation);
  }
  if (relation === 'self' && actor.role >= roles.root) {
    return protectedOfRoot.has(action) ? 'user_root_protected' : undefined;
  }
  return relation === 'below' ? undefined : 'user_same_level';
}

function sameLevel(relation: Relation): ErrorCode | undefined {
  return relation === 'level' ? 'user_same_level' : undefined;
}

function stateRefusal(target: Target, action: UserManagement): ErrorCode | undefined {
  if (target.deletedAt !== null) return 'user_deleted_readonly';
  if (action === 'promote' && target.role >= roles.admin) return 'user_already_admin';
  if (action === 'demote' && target.role <= roles.user) return 'user_already_common';
  // 3 is the legacy mark of a deleted account; it never comes back.
  if (action === 'enable' && target.status === 3) return 'invalid_params';
  return undefined;
}

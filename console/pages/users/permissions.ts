/** What an administrator may do to a user (management-api.md 6.2). A courtesy: the server decides. */
import type { LoginView } from '../../../daemon/contract/account.ts';
import { roles } from '../../../daemon/contract/roles.ts';
import type { UserView } from '../../../daemon/contract/users.ts';

/** What the call that manages users does not do. */
export type CredentialAction = 'signOut' | 'resetFactor';
export type ManagedAction = 'promote' | 'demote' | 'disable' | 'enable' | 'delete';
export type UserAction = ManagedAction | CredentialAction | 'edit' | 'quota';
export type RefusedReason = 'sameLevel' | 'root' | 'promote' | 'unavailable' | 'already' | 'common';

/** Status of a user who cannot be enabled. */
const unavailable = 3;

/** Undefined when the action may be taken. */
export function refusedReason(action: UserAction, target: UserView, actor: LoginView): RefusedReason | undefined {
  const isSelf = actor.id === target.id;
  const isActorRoot = actor.role >= roles.root;
  const isTargetRoot = target.role >= roles.root;
  if (action === 'edit' && isSelf) return undefined;
  if (action === 'promote') {
    if (!isActorRoot) return 'promote';
    return target.role >= roles.admin ? 'already' : undefined;
  }
  if (isTargetRoot && action !== 'edit' && action !== 'quota') return 'root';
  if (!isActorRoot && target.role >= actor.role) return 'sameLevel';
  if (isTargetRoot && !isSelf) return 'sameLevel';
  if (action === 'demote' && target.role < roles.admin) return 'common';
  if (action === 'enable' && target.status === unavailable) return 'unavailable';
  return undefined;
}

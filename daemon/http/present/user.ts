/** Users on the wire, member by member: a new column is private until somebody presents it (W1). */
import type { CredentialView, LoginView, SelfView } from '../../contract/account.ts';
import type { UserView } from '../../contract/users.ts';
import type { Actor } from '../../domain/actor.ts';
import { settingForAdmins } from '../../domain/user-setting.ts';
import type { UserRecord } from '../../store/users.ts';

/** A user as administrators see it. */
export function presentUser(user: UserRecord): UserView {
  return { ...accountMembers(user), setting: settingForAdmins(user.setting) };
}

/** The caller's own account; the owner sees the whole setting, a machine token no secret in it. */
export function presentSelf(user: UserRecord, { machineToken, ip }: Pick<Actor, 'machineToken' | 'ip'>): SelfView {
  const setting = machineToken === undefined ? user.setting : settingForAdmins(user.setting);
  return { ...accountMembers(user), setting, has_password: user.password !== '', client_ip: ip };
}

const viaNames = {
  session: 'session',
  'access-token': 'access_token',
  'machine-token': 'machine_token',
} as const satisfies Record<Actor['via'], CredentialView['via']>;

/** What the caller's credential says. */
export function presentCredential(user: UserRecord, actor: Actor): CredentialView {
  const { machineToken, via, role, credentialEndsAt = 0 } = actor;
  return {
    id: user.id,
    username: user.username,
    display_name: user.displayName,
    role,
    group: user.group,
    via: viaNames[via],
    scopes: machineToken === undefined ? null : [...machineToken.scopes],
    expires_at: credentialEndsAt,
    machine_token: machineToken === undefined ? null : { id: machineToken.id, name: machineToken.name },
  };
}

/** What clients keep after sign-in. */
export function presentLogin(user: UserRecord): LoginView {
  return {
    id: user.id,
    username: user.username,
    display_name: user.displayName,
    role: user.role,
    status: user.status,
    group: user.group,
  };
}

function accountMembers(user: UserRecord): Omit<UserView, 'setting'> {
  return {
    ...presentLogin(user),
    email: user.email ?? '',
    github_id: user.githubId ?? '',
    oidc_id: user.oidcId ?? '',
    wechat_id: user.wechatId ?? '',
    telegram_id: user.telegramId ?? '',
    linux_do_id: user.linuxDoId ?? '',
    quota: user.quota,
    used_quota: user.usedQuota,
    request_count: user.requestCount,
    aff_code: user.affCode ?? '',
    aff_count: user.affCount,
    aff_quota: user.affQuota,
    aff_history_quota: user.affHistory,
    inviter_id: user.inviterId,
    last_check_in_time: user.lastCheckInTime?.toISOString() ?? null,
    DeletedAt: user.deletedAt?.toISOString() ?? null,
    password: '',
    access_token: null,
  };
}

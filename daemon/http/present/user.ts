/** Users on the wire, member by member: a new column is private until somebody presents it (W1). */
import type { LoginView, SelfView } from '../../contract/account.ts';
import type { UserView } from '../../contract/users.ts';
import { settingForAdmins } from '../../domain/user-setting.ts';
import type { UserRecord } from '../../store/users.ts';

/** A user as administrators see it. */
export function presentUser(user: UserRecord): UserView {
  return { ...accountMembers(user), setting: settingForAdmins(user.setting) };
}

/** The caller's own account; the owner sees the whole setting. */
export function presentSelf(user: UserRecord, clientAddress: string): SelfView {
  return { ...accountMembers(user), setting: user.setting, client_ip: clientAddress };
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

/** Lines of log rows about accounts, in the site's language: they are read later, by others than the caller. */
import type { Language } from '../contract/error-codes.ts';

/** Amounts come as texts of `quota-text.ts`. */
export const accountLogTexts = {
  newUser: (amount: string) => ({ en: `New user bonus ${amount}`, zh: `新用户注册赠送 ${amount}` }),
  rootQuota: (amount: string) => ({ en: `Initial quota ${amount}`, zh: `初始额度 ${amount}` }),
  invitee: (amount: string) => ({ en: `Bonus for using an invite code ${amount}`, zh: `使用邀请码赠送 ${amount}` }),
  inviter: (amount: string) => ({ en: `Invited a user, earned ${amount}`, zh: `邀请用户，获得 ${amount}` }),
  checkIn: (amount: string) => ({ en: `Daily check-in ${amount}`, zh: `每日签到，获得 ${amount}` }),
  inviteTransfer: (amount: string) => ({
    en: `Invite earnings moved to the balance ${amount}`,
    zh: `邀请额度划入余额 ${amount}`,
  }),
  imported: (amount: string) => ({
    en: `Account taken over from another gateway, balance ${amount}`,
    zh: `账户从其他网关导入，余额 ${amount}`,
  }),
  created: (amount: string) => ({
    en: `Account created by an administrator, quota ${amount}`,
    zh: `管理员创建了账户，额度 ${amount}`,
  }),
  quotaChanged: (before: string, after: string) => ({
    en: `An administrator changed the quota from ${before} to ${after}`,
    zh: `管理员将额度从 ${before} 修改为 ${after}`,
  }),
  quotaAdded: (amount: string) => ({ en: `An administrator added ${amount}`, zh: `管理员增加了额度 ${amount}` }),
  quotaTaken: (amount: string) => ({ en: `An administrator took ${amount}`, zh: `管理员减少了额度 ${amount}` }),
  renamed: (before: string, after: string) => ({
    en: `An administrator changed the user name from ${before} to ${after}`,
    zh: `管理员将用户名从 ${before} 修改为 ${after}`,
  }),
  groupChanged: (before: string, after: string) => ({
    en: `An administrator changed the group from ${before} to ${after}`,
    zh: `管理员将分组从 ${before} 修改为 ${after}`,
  }),
  managed: (action: 'promote' | 'demote' | 'disable' | 'enable' | 'delete') => managedTexts[action],
} as const satisfies Record<string, (...parts: never[]) => Record<Language, string>>;

const managedTexts = {
  promote: { en: 'Promoted to administrator', zh: '被提升为管理员' },
  demote: { en: 'Demoted to normal user', zh: '被降级为普通用户' },
  disable: { en: 'Account disabled by an administrator', zh: '账户被管理员禁用' },
  enable: { en: 'Account enabled by an administrator', zh: '账户被管理员启用' },
  delete: { en: 'Account deleted by an administrator', zh: '账户被管理员注销' },
} as const;

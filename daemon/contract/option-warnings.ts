/** What the writer of an option is told although the value was saved. */
import type { Language } from './error-codes.ts';
import { fillText } from './fill-text.ts';

const warnings = {
  group_default_missing: {
    en: 'Saved, but there is no group named default',
    zh: '已保存，但缺少名为 default 的分组',
  },
  group_in_use: {
    en: 'Saved. Removed groups are still in use: {groups} ({users} {users:user|users}, {tokens} {tokens:key|keys}, {channels} {channels:channel|channels})',
    zh: '已保存。被移除的分组仍在使用：{groups}（{users} 个用户，{tokens} 个令牌，{channels} 个渠道）',
  },
  mail_missing: {
    en: 'Saved, but mails cannot be sent before the SMTP server is filled in',
    zh: '已保存，但填写 SMTP 服务器之前无法发送邮件',
  },
  root_locked_out: {
    en: 'Saved, but the super administrator has no other way to sign in',
    zh: '已保存，但超级管理员没有其他登录方式',
  },
  secret_cleared: {
    en: 'Saved. {key} was cleared because the address it is sent to changed',
    zh: '已保存。由于对应地址已变更，{key} 已被清除',
  },
  secret_goes: {
    en: '{key} will be cleared because the address it is sent to changes',
    zh: '由于对应地址变更，{key} 将被清除',
  },
} as const;

export type OptionWarningCode = keyof typeof warnings;

export interface OptionWarning {
  readonly code: OptionWarningCode;
  readonly params?: Readonly<Record<string, string | number>>;
}

/** All warnings as one message; "" when there are none. */
export function formatOptionWarnings(list: readonly OptionWarning[], language: Language): string {
  return list.map(({ code, params }) => fillText(warnings[code][language], params)).join('\n');
}

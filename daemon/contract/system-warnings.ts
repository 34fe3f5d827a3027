/** What deserves the attention of whoever runs the site, each with its remedy. */
import type { Language } from './error-codes.ts';
import { fillText } from './fill-text.ts';

const warnings = {
  channels_disabled: {
    en: '{count} {count:channel was|channels were} disabled automatically: look at the last error, then test again',
    zh: '{count} 个渠道已被自动禁用：请查看其最近错误并重新测试',
  },
  jobs_failed: {
    en: 'Jobs failed at their last turn: {names}. The log of the node says why',
    zh: '以下任务上次执行失败：{names}。原因见节点日志',
  },
  mail_missing: {
    en: 'No mail can be sent: fill in the SMTP server',
    zh: '无法发送邮件：请填写 SMTP 服务器',
  },
  mail_private: {
    en: 'No mail can be sent: the address in SMTPServer is not public. Use a public server, or add {place} to security.egress_allow of the configuration',
    zh: '无法发送邮件：SMTPServer 的地址不是公网地址。请使用公网服务器，或在配置的 security.egress_allow 中加入 {place}',
  },
  no_channel: {
    en: 'No channel is enabled, so no call can be served: add one',
    zh: '没有启用的渠道，无法提供调用：请添加渠道',
  },
  nodes_silent: {
    en: '{count} {count:node has|nodes have} not been heard of lately and may have crashed',
    zh: '{count} 个节点近期没有心跳，可能已崩溃',
  },
  redis_lost: {
    en: 'Redis is configured and cannot be reached: limits are counted by each node for itself',
    zh: '已配置 Redis 但无法连接：各节点单独计数限额',
  },
  server_address_missing: {
    en: 'The address of the site is not set: mails, callbacks and links need it',
    zh: '未设置服务器地址：邮件、回调和链接需要它',
  },
  sqlite_shared: {
    en: '{nodes} nodes share a SQLite file: move to PostgreSQL',
    zh: '{nodes} 个节点共用 SQLite 文件：请迁移到 PostgreSQL',
  },
  texts_lost: {
    en: 'Prompts and answers of {count} {count:call|calls} were not stored: the database is too slow for them',
    zh: '{count} 次调用的对话内容未能保存：数据库写入过慢',
  },
  versions_differ: {
    en: 'Nodes run different versions: bring all to the newest',
    zh: '各节点版本不一致：请全部升级到最新版本',
  },
} as const;

export type SystemWarningCode = keyof typeof warnings;

export interface SystemWarning {
  readonly code: SystemWarningCode;
  readonly params?: Readonly<Record<string, string | number>>;
}

/** The text of a warning. */
export function formatSystemWarning({ code, params }: SystemWarning, language: Language): string {
  return fillText(warnings[code][language], params);
}

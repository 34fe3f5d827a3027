/** Tests that the daemon makes of itself and of what it depends on, one a call (cli.md 3.1.1). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import type { Language } from './error-codes.ts';
import { fillText } from './fill-text.ts';

/** Mail server, identity provider, public address, open holds, charges against log rows, and accounts against them. */
const selfTestNames = ['mail', 'oidc', 'address', 'holds', 'ledger', 'balances'] as const;
export type SelfTestName = (typeof selfTestNames)[number];

const texts = {
  mail_off: { en: 'no mail server is configured', zh: '未配置邮件服务器' },
  mail_password: {
    en: 'the server wants a sign-in: SMTPAccount is filled in and SMTPToken is not',
    zh: '服务器要求登录：已填写 SMTPAccount，但未填写 SMTPToken',
  },
  mail_ready: { en: '{host} takes mail from {sender}', zh: '{host} 可为 {sender} 发信' },
  mail_sender: { en: 'the sender is no e-mail address', zh: '发件人不是邮箱地址' },
  mail_private: {
    en: '{host} in SMTPServer is not public: use a public server, or add {place} to security.egress_allow of the configuration',
    zh: 'SMTPServer 中的 {host} 不是公网地址：请使用公网服务器，或在配置的 security.egress_allow 中加入 {place}',
  },
  mail_refused: { en: '{host}: {reason}', zh: '{host}：{reason}' },
  oidc_off: { en: 'sign-in by OIDC is switched off', zh: '未启用 OIDC 登录' },
  oidc_undiscovered: { en: 'no discovery address is configured', zh: '未配置 OIDC 发现地址' },
  oidc_found: { en: '{issuer}, {keys} {keys:key|keys}', zh: '{issuer}，{keys} 个密钥' },
  oidc_differs: { en: 'the provider names another {names}', zh: '提供方公布的 {names} 与设置不同' },
  oidc_unread: { en: '{address}: {reason}', zh: '{address}：{reason}' },
  address_missing: { en: 'the address of the site is not set', zh: '未设置服务器地址' },
  address_own: { en: '{address} leads here', zh: '{address} 指向本站' },
  address_private: {
    en: '{address} is not public, so the server does not call it',
    zh: '{address} 不是公网地址，服务器不会访问',
  },
  address_unreached: { en: '{address} was not reached from the server', zh: '服务器无法访问 {address}' },
  address_elsewhere: {
    en: '{address} answered HTTP {status}, and not as this site does',
    zh: '{address} 返回 HTTP {status}，但不是本站的响应',
  },
  holds_young: { en: '{count} open, none too old', zh: '{count} 个未结，均未超时' },
  holds_stuck: {
    en: '{count} {count:is|are} older than any call can be, the oldest from {since} on node {node}',
    zh: '{count} 个早于任何调用的最长时间，最早的始于 {since}，位于节点 {node}',
  },
  ledger_unrecorded: { en: 'consumption is not recorded in the log', zh: '未启用消费日志记录' },
  ledger_agrees: {
    en: 'the last {checked} {checked:charge is that|charges are those} of the log',
    zh: '最近 {checked} 笔扣费与日志一致',
  },
  ledger_differs: {
    en: '{count} of the last {checked} charges {count:differs|differ} from the log, as that of request {request}: {charged} charged, {logged} in the log',
    zh: '最近 {checked} 笔扣费中有 {count} 笔与日志不一致，例如请求 {request}：扣费 {charged}，日志为 {logged}',
  },
  balances_old: {
    en: 'no user, key or channel is younger than the rows that are compared',
    zh: '没有创建于所核对日志范围内的用户、令牌或渠道',
  },
  balances_agree: {
    en: '{users} {users:user|users}, {tokens} {tokens:key|keys} and {channels} {channels:channel|channels} have what the log says',
    zh: '{users} 个用户、{tokens} 个令牌和 {channels} 个渠道与日志一致',
  },
  balances_differ: {
    en: '{count} of {users} {users:user|users}, {tokens} {tokens:key|keys} and {channels} {channels:channel|channels} {count:differs|differ} from the log, as {account}: {figure} is {found} and should be {expected}',
    zh: '已核对 {users} 个用户、{tokens} 个令牌和 {channels} 个渠道，其中 {count} 个与日志不一致，例如 {account}：{figure} 为 {found}，应为 {expected}',
  },
} as const;

export type SelfTestCode = keyof typeof texts;

/** What a code says. */
export function formatSelfTest(
  { code, params }: { readonly code: SelfTestCode; readonly params: Readonly<Record<string, string | number>> },
  language: Language,
): string {
  return fillText(texts[code][language], params);
}

export const SelfTestView = z.object({
  check: z.enum(selfTestNames),
  /** `skip` where nothing is configured that could be tested. */
  result: z.enum(['ok', 'warn', 'fail', 'skip']),
  /** What was found. */
  code: z.string(),
  /** The same in the language of the caller. */
  message: z.string(),
  /** A request whose charge and rows differ; "" otherwise. */
  request_id: z.string(),
  /** A user, key or channel that differs from the log, such as `user:7`; "" otherwise. */
  account: z.string(),
});
export type SelfTestView = z.infer<typeof SelfTestView>;

export const selfTests = {
  run: endpoint({
    method: 'GET',
    path: '/api/system/self_test',
    access: 'admin',
    scope: 'option:read',
    shape: 'data',
    rate: 'search',
    description: {
      en: 'Tests one thing that the site depends on: the mail server by its greeting (nothing is sent), the discovery document of the identity provider, whether the public address leads here, holds that are open too long, the last charges against the log, and balances and used quota against it.',
      zh: '检测站点所依赖的一项：邮件服务器握手（不发送邮件）、OIDC 发现文档、公网地址是否指向本站、未结时间过长的预扣、最近扣费与日志是否一致，以及余额和已用额度与日志是否一致。',
    },
    input: z.object({ check: z.enum(selfTestNames) }),
    output: SelfTestView,
  }),
  proof: endpoint({
    method: 'GET',
    path: '/api/status/proof',
    access: 'public',
    shape: 'data',
    description: {
      en: 'Answers a challenge as every node of this site does and no other server can; the self-test of the public address asks it.',
      zh: '以仅本站各节点可得的值应答质询；供公网地址自检使用。',
    },
    input: z.object({ challenge: z.string().check(z.regex(/^[\w-]{43}$/)) }),
    output: z.object({ proof: z.string() }),
  }),
};

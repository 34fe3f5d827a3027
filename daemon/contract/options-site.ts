/** Options about the site itself: its name, addresses, texts, chat links and what the console shows. */
import * as z from 'zod/mini';
import {
  address,
  baseAddress,
  decimal,
  flag,
  integer,
  json,
  line,
  longText,
  noLineBreaks,
  secret,
} from './options-entry.ts';

const chatLinks = z.array(z.record(z.string(), z.string())).check(
  z.maxLength(100),
  z.refine((links) => links.every((link) => Object.keys(link).length === 1), {
    error: 'every entry needs exactly one name and link',
  }),
  z.refine((links) => links.every((link) => Object.values(link).every(isSafeChatLink)), {
    error: 'links must be http(s) with {key} after #, or of an app scheme',
  }),
);

/** A chat link may carry a user's key only where servers and referrers do not see it (S30). */
function isSafeChatLink(link: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(link)?.[1]?.toLowerCase();
  if (!scheme || /\p{Cc}/u.test(link)) return false;
  if (['javascript', 'data', 'vbscript', 'file', 'blob', 'about', 'filesystem'].includes(scheme)) return false;
  if (scheme !== 'http' && scheme !== 'https') return true;
  const hash = link.indexOf('#');
  const beforeHash = hash === -1 ? link : link.slice(0, hash);
  return !beforeHash.includes('{key}');
}

const general = (en: string, zh: string) => ({ class: 'admin', section: 'general', label: { en, zh } }) as const;
const content = (en: string, zh: string) =>
  ({ class: 'admin', section: 'content', audience: 'public', label: { en, zh } }) as const;

export const siteOptions = {
  ServerAddress: baseAddress({
    class: 'root',
    section: 'server',
    audience: 'public',
    accepts: 'url-without-query',
    label: { en: 'Server address', zh: '服务器地址' },
  }),
  WorkerUrl: baseAddress({ class: 'root', section: 'network', label: { en: 'Worker address', zh: 'Worker 地址' } }),
  WorkerValidKey: secret({
    class: 'root',
    section: 'network',
    boundTo: 'WorkerUrl',
    label: { en: 'Worker key', zh: 'Worker 密钥' },
  }),
  TopUpLink: address({
    class: 'root',
    section: 'general',
    audience: 'public',
    label: { en: 'Top-up link', zh: '充值链接' },
  }),
  QuotaPerUnit: decimal(
    500_000,
    { above: 0 },
    {
      class: 'root',
      section: 'general',
      audience: 'public',
      label: { en: 'Quota per dollar', zh: '单位美元额度' },
    },
  ),
  DisplayInCurrencyEnabled: flag(true, {
    ...general('Show quota as currency', '以货币形式显示额度'),
    audience: 'public',
  }),
  DisplayTokenStatEnabled: flag(true, general('Billing query reports the token', '额度查询接口返回令牌额度')),
  DefaultCollapseSidebar: flag(false, { ...general('Collapse side bar', '默认折叠侧边栏'), audience: 'public' }),
  DemoSiteEnabled: flag(false, {
    class: 'root',
    section: 'general',
    audience: 'public',
    label: { en: 'Demonstration site', zh: '演示站点模式' },
  }),
  SelfUseModeEnabled: flag(false, {
    class: 'root',
    section: 'general',
    audience: 'public',
    label: { en: 'Self-use mode', zh: '自用模式' },
  }),
  ExposeRatioEnabled: flag(false, general('Expose ratios', '开放倍率查询')),
  'general_setting.docs_link': address({ ...general('Docs link', '文档地址'), audience: 'public' }),
  'general_setting.ping_interval_enabled': flag(false, {
    class: 'admin',
    section: 'ping',
    label: { en: 'Ping idle streams', zh: '启用 Ping 间隔' },
  }),
  'general_setting.ping_interval_seconds': integer(
    60,
    { min: 1, max: 86_400 },
    {
      class: 'admin',
      section: 'ping',
      label: { en: 'Ping interval, seconds', zh: 'Ping 间隔（秒）' },
    },
  ),
  Chats: json<readonly Readonly<Record<string, string>>[]>([], {
    class: 'root',
    section: 'chats',
    audience: 'public',
    form: 'list',
    schema: chatLinks,
    label: { en: 'Chat links', zh: '聊天链接' },
  }),
  Notice: longText('', content('Notice', '公告')),
  About: longText('', content('About', '关于')),
  HomePageContent: longText('', content('Home page', '首页内容')),
  SystemName: line('Tollgate', {
    ...content('System name', '系统名称'),
    schema: z.string().check(z.trim(), z.minLength(1), z.maxLength(50), noLineBreaks()),
  }),
  VersionLabel: line('', {
    ...content('Version label', '版本显示'),
    schema: z.string().check(z.maxLength(50), noLineBreaks()),
  }),
  Logo: address({ ...content('Logo address', 'Logo 图片地址'), accepts: 'url-or-path' }),
  Footer: longText('', content('Footer', '页脚')),
};

/** The tabs of the system and of what the site shows. */
import type { SectionEntry } from './section-entry.ts';

export const systemSections: readonly SectionEntry[] = [
  { id: 'server', tab: 'system', fields: [{ key: 'ServerAddress', help: 'serverAddress' }] },
  {
    id: 'worker',
    tab: 'system',
    fields: [{ key: 'WorkerUrl', help: 'workerUrl', warning: 'clearsSecret' }, { key: 'WorkerValidKey' }],
  },
  {
    id: 'payment',
    tab: 'system',
    fields: [
      { key: 'PayAddress', help: 'payAddress', warning: 'clearsSecret' },
      { key: 'EpayId' },
      { key: 'EpayKey' },
      { key: 'CustomCallbackAddress', help: 'callbackAddress' },
      { key: 'Price', range: { min: 0 } },
      { key: 'MinTopUp', label: 'minTopUp', range: { min: 1 } },
      {
        key: 'TopupGroupRatio',
        help: 'topupGroupRatio',
        problem: { text: 'topupGroupRatio', tells: /^is not valid JSON$/ },
      },
    ],
  },
  {
    id: 'sign-in',
    tab: 'system',
    fields: [
      { key: 'PasswordLoginEnabled', confirm: { when: 'false', text: 'passwordLogin' } },
      { key: 'PasswordRegisterEnabled' },
      { key: 'EmailVerificationEnabled' },
      { key: 'RegisterEnabled' },
      { key: 'TurnstileCheckEnabled' },
      { key: 'GitHubOAuthEnabled' },
      { key: 'LinuxDOOAuthEnabled' },
      { key: 'WeChatAuthEnabled' },
      { key: 'TelegramOAuthEnabled' },
      { key: 'oidc.enabled' },
    ],
  },
  {
    id: 'email-domains',
    tab: 'system',
    fields: [
      { key: 'EmailDomainRestrictionEnabled' },
      { key: 'EmailAliasRestrictionEnabled', help: 'emailAlias' },
      { key: 'EmailDomainWhitelist', control: 'tags' },
    ],
  },
  {
    id: 'smtp',
    tab: 'system',
    fields: [
      { key: 'SMTPServer', warning: 'clearsSecret', help: 'smtpServer' },
      { key: 'SMTPPort', range: { min: 1, max: 65_535 }, help: 'smtpPort' },
      { key: 'SMTPAccount' },
      { key: 'SMTPFrom', help: 'smtpFrom' },
      { key: 'SMTPToken' },
      { key: 'SMTPSSLEnabled', help: 'smtpSsl' },
    ],
  },
  {
    id: 'oidc',
    tab: 'system',
    fields: [
      {
        key: 'oidc.well_known',
        help: 'oidcWellKnown',
        problem: { text: 'wellKnown', tells: /^must be an http\(s\) address$/ },
      },
      { key: 'oidc.client_id' },
      { key: 'oidc.client_secret' },
      { key: 'oidc.authorization_endpoint' },
      { key: 'oidc.token_endpoint', warning: 'clearsSecret' },
      { key: 'oidc.user_info_endpoint' },
    ],
  },
  { id: 'github', tab: 'system', fields: [{ key: 'GitHubClientId' }, { key: 'GitHubClientSecret' }] },
  { id: 'linuxdo', tab: 'system', fields: [{ key: 'LinuxDOClientId' }, { key: 'LinuxDOClientSecret' }] },
  {
    id: 'wechat',
    tab: 'system',
    fields: [
      { key: 'WeChatServerAddress', warning: 'clearsSecret' },
      { key: 'WeChatServerToken' },
      { key: 'WeChatAccountQRCodeImageURL', control: 'image' },
    ],
  },
  { id: 'telegram', tab: 'system', fields: [{ key: 'TelegramBotToken' }, { key: 'TelegramBotName' }] },
  { id: 'human-check', tab: 'system', fields: [{ key: 'TurnstileSiteKey' }, { key: 'TurnstileSecretKey' }] },
  { id: 'network', tab: 'system', fields: [] },
  { id: 'alerts', tab: 'system', isForRoot: true, fields: [] },
  {
    id: 'content',
    tab: 'other',
    fields: [
      { key: 'Notice', label: 'notice', help: 'notice' },
      { key: 'SystemName' },
      { key: 'VersionLabel', help: 'versionLabel' },
      { key: 'Logo', control: 'image', label: 'logo', help: 'logo' },
      { key: 'HomePageContent', label: 'home', help: 'homePage' },
      { key: 'About', label: 'about', help: 'about' },
      { key: 'Footer', label: 'footer', help: 'footer' },
    ],
  },
  { id: 'system-info', tab: 'other', fields: [] },
];

/** Options about getting in: sign-in switches, identity providers, the human check and mail. */
import * as z from 'zod/mini';
import { address, baseAddress, flag, integer, line, type OptionSection, secret, words } from './options-entry.ts';

const root = (section: OptionSection, en: string, zh: string) =>
  ({ class: 'root', section, label: { en, zh } }) as const;
const signInSwitch = (en: string, zh: string) => ({ ...root('sign-in', en, zh), audience: 'public' }) as const;

const domain = z.string().check(
  z.trim(),
  z.toLowerCase(),
  z.maxLength(253),
  z.refine((text) => /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/.test(text), {
    error: 'must be a domain such as example.com',
  }),
);

/** Complains of the first entry that was there before. */
const eachOnce: z.core.CheckFn<string[]> = ({ value, issues }) => {
  const again = value.findIndex((entry, at) => value.indexOf(entry) < at);
  if (again !== -1) issues.push({ code: 'custom', message: 'is in the list already', path: [again], input: value });
};

export const accessOptions = {
  PasswordLoginEnabled: flag(true, signInSwitch('Password sign-in', '允许通过密码登录')),
  PasswordRegisterEnabled: flag(true, signInSwitch('Password registration', '允许通过密码注册')),
  RegisterEnabled: flag(true, signInSwitch('Registration', '允许新用户注册')),
  EmailVerificationEnabled: flag(false, signInSwitch('Verify e-mail on registration', '注册时验证邮箱')),
  TurnstileCheckEnabled: flag(false, {
    ...signInSwitch('Human check', '启用 Turnstile 校验'),
    needs: ['TurnstileSiteKey', 'TurnstileSecretKey'],
  }),
  TurnstileSiteKey: line('', {
    ...root('human-check', 'Turnstile site key', 'Turnstile Site Key'),
    audience: 'public',
  }),
  TurnstileSecretKey: secret(root('human-check', 'Turnstile secret key', 'Turnstile Secret Key')),

  GitHubOAuthEnabled: flag(false, {
    ...signInSwitch('GitHub sign-in', '允许通过 GitHub 登录'),
    needs: ['GitHubClientId', 'GitHubClientSecret'],
  }),
  GitHubClientId: line('', { ...root('github', 'GitHub client id', 'GitHub Client ID'), audience: 'public' }),
  GitHubClientSecret: secret(root('github', 'GitHub client secret', 'GitHub Client Secret')),
  LinuxDOOAuthEnabled: flag(false, {
    ...signInSwitch('LinuxDO sign-in', '允许通过 LinuxDO 登录'),
    needs: ['LinuxDOClientId', 'LinuxDOClientSecret'],
  }),
  LinuxDOClientId: line('', { ...root('linuxdo', 'LinuxDO client id', 'LinuxDO Client ID'), audience: 'public' }),
  LinuxDOClientSecret: secret(root('linuxdo', 'LinuxDO client secret', 'LinuxDO Client Secret')),

  WeChatAuthEnabled: flag(false, {
    ...signInSwitch('WeChat sign-in', '允许通过微信登录'),
    needs: ['WeChatServerAddress'],
  }),
  WeChatServerAddress: baseAddress(root('wechat', 'WeChat server address', '微信服务器地址')),
  WeChatServerToken: secret({
    ...root('wechat', 'WeChat server token', '微信服务器访问凭证'),
    boundTo: 'WeChatServerAddress',
  }),
  WeChatAccountQRCodeImageURL: address({
    ...root('wechat', 'WeChat QR code image', '微信公众号二维码图片地址'),
    audience: 'public',
  }),
  TelegramOAuthEnabled: flag(false, {
    ...signInSwitch('Telegram sign-in', '允许通过 Telegram 登录'),
    needs: ['TelegramBotToken'],
  }),
  TelegramBotToken: secret(root('telegram', 'Telegram bot token', 'Telegram Bot Token')),
  TelegramBotName: line('', { ...root('telegram', 'Telegram bot name', 'Telegram Bot 名称'), audience: 'public' }),

  'oidc.enabled': flag(false, {
    ...signInSwitch('OIDC sign-in', '允许通过 OIDC 登录'),
    needs: [
      'oidc.client_id',
      'oidc.client_secret',
      'oidc.authorization_endpoint',
      'oidc.token_endpoint',
      'oidc.user_info_endpoint',
    ],
  }),
  'oidc.client_id': line('', { ...root('oidc', 'OIDC client id', 'OIDC Client ID'), audience: 'public' }),
  'oidc.client_secret': secret({
    ...root('oidc', 'OIDC client secret', 'OIDC Client Secret'),
    boundTo: 'oidc.token_endpoint',
  }),
  'oidc.well_known': address(root('oidc', 'OIDC well-known address', 'OIDC Well-Known 地址')),
  'oidc.authorization_endpoint': address({
    ...root('oidc', 'OIDC authorization endpoint', 'OIDC 授权端点'),
    audience: 'public',
  }),
  'oidc.token_endpoint': address(root('oidc', 'OIDC token endpoint', 'OIDC 令牌端点')),
  'oidc.user_info_endpoint': address(root('oidc', 'OIDC user info endpoint', 'OIDC 用户信息端点')),

  EmailDomainRestrictionEnabled: flag(false, {
    ...root('email-domains', 'Restrict e-mail domains', '启用邮箱域名白名单'),
    needs: ['EmailDomainWhitelist'],
  }),
  EmailAliasRestrictionEnabled: flag(false, root('email-domains', 'Refuse e-mail aliases', '启用邮箱别名限制')),
  EmailDomainWhitelist: words(
    [
      'gmail.com',
      '163.com',
      '126.com',
      'qq.com',
      'outlook.com',
      'hotmail.com',
      'icloud.com',
      'yahoo.com',
      'foxmail.com',
    ],
    {
      ...root('email-domains', 'Allowed e-mail domains', '邮箱域名白名单'),
      schema: z.array(domain).check(z.maxLength(1000), eachOnce),
    },
  ),

  SMTPServer: line('', root('mail', 'SMTP server', 'SMTP 服务器地址')),
  SMTPPort: integer(587, { min: 1, max: 65_535 }, root('mail', 'SMTP port', 'SMTP 端口')),
  SMTPAccount: line('', root('mail', 'SMTP account', 'SMTP 账户')),
  SMTPFrom: line('', root('mail', 'Sender address', 'SMTP 发送者邮箱')),
  SMTPToken: secret({ ...root('mail', 'SMTP password', 'SMTP 访问凭证'), boundTo: 'SMTPServer' }),
  SMTPSSLEnabled: flag(false, root('mail', 'Implicit TLS', '启用 SMTP SSL')),
};

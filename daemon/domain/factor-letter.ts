/** The mail that tells owners of a change of their second factor. */
import type { Language } from '../contract/error-codes.ts';
import { type Letter, letter, type MailScene } from './mail-texts.ts';
import type { FactorChange } from './second-factors.ts';

const happened: Readonly<Record<FactorChange, Readonly<Record<Language, (username: string) => string>>>> = {
  'totp-on': {
    en: (username) => `Two-factor sign-in was turned on for the account ${username}.`,
    zh: (username) => `账户 ${username} 已启用双重验证。`,
  },
  'totp-off': {
    en: (username) => `Two-factor sign-in was turned off for the account ${username}.`,
    zh: (username) => `账户 ${username} 已关闭双重验证。`,
  },
  'recovery-codes': {
    en: (username) => `The account ${username} has new recovery codes; the old ones no longer work.`,
    zh: (username) => `账户 ${username} 的恢复码已重新生成，原有恢复码不再有效。`,
  },
  'passkey-added': {
    en: (username) => `A passkey was added to the account ${username}; it signs in without the password.`,
    zh: (username) => `账户 ${username} 已添加通行密钥，可免密码登录。`,
  },
  'passkey-removed': {
    en: (username) => `A passkey of the account ${username} was removed.`,
    zh: (username) => `账户 ${username} 已删除一个通行密钥。`,
  },
  reset: {
    en: (username) => `An administrator has removed the second factor and the passkeys of the account ${username}.`,
    zh: (username) => `管理员已清除账户 ${username} 的双重验证与通行密钥。`,
  },
};

/** Tells the owner what changed. */
export function factorLetter(scene: MailScene, told: { username: string; change: FactorChange }): Letter {
  const { siteName } = scene;
  const text = happened[told.change];
  return letter(scene, {
    en: {
      subject: `${siteName}: the ways to sign in to your account have changed`,
      paragraphs: [
        text.en(told.username),
        'If that was not you, reset the password at once and ask the administrator of the site for help.',
      ],
    },
    zh: {
      subject: `${siteName}：登录验证设置已变更`,
      paragraphs: [text.zh(told.username), '如非本人操作，请立即重置密码并联系站点管理员。'],
    },
  });
}

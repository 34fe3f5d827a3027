/** The mails that accounts cause, in both languages. Values from people are escaped in the HTML part (W32, W36). */
import type { Language } from '../contract/error-codes.ts';
import type { Mail } from './mailer.ts';

/** Whose mail it is. */
export interface MailScene {
  readonly language: Language;
  readonly siteName: string;
}

/** A message before it is addressed. */
export type Letter = Omit<Mail, 'to'>;

interface Texts {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** Shown large on a line of its own, after the first paragraph. */
  readonly highlight?: string;
  /** Shown as a link after the first paragraph. */
  readonly link?: string;
}

/** A code that proves an address. */
export function codeLetter(scene: MailScene, { code, minutes }: { code: string; minutes: number }): Letter {
  const { siteName } = scene;
  return letter(scene, {
    en: {
      subject: `${siteName}: your verification code`,
      paragraphs: [
        `This code proves that the address is yours:`,
        `It is valid for ${minutes} minutes and works once. If you did not ask for it, you need not do anything.`,
      ],
      highlight: code,
    },
    zh: {
      subject: `${siteName}：邮箱验证码`,
      paragraphs: ['你的验证码是：', `验证码 ${minutes} 分钟内有效，只能使用一次。如非本人操作，请忽略此邮件。`],
      highlight: code,
    },
  });
}

/** Instead of a code, for an address that an account already has: the answer of the API is the same (W6). */
export function addressTakenLetter(scene: MailScene): Letter {
  const { siteName } = scene;
  return letter(scene, {
    en: {
      subject: `${siteName}: this address is already in use`,
      paragraphs: [
        'Somebody asked for a verification code for this address, but an account already uses it.',
        'If that was you, sign in with it, or reset its password. Otherwise you need not do anything.',
      ],
    },
    zh: {
      subject: `${siteName}：该邮箱已被使用`,
      paragraphs: [
        '有人为此邮箱申请了验证码，但该邮箱已绑定一个账户。',
        '如果是你本人，请直接登录或重置密码；否则请忽略此邮件。',
      ],
    },
  });
}

/** The link that sets a new password. */
export function resetLetter(scene: MailScene, { link, minutes }: { link: string; minutes: number }): Letter {
  const { siteName } = scene;
  return letter(scene, {
    en: {
      subject: `${siteName}: reset your password`,
      paragraphs: [
        'Open this address to get a new password:',
        `It is valid for ${minutes} minutes and works once. If you did not ask for it, you need not do anything.`,
      ],
      link,
    },
    zh: {
      subject: `${siteName}：重置密码`,
      paragraphs: [
        '请打开以下链接获取新密码：',
        `链接 ${minutes} 分钟内有效，只能使用一次。如非本人操作，请忽略此邮件。`,
      ],
      link,
    },
  });
}

/** Tells the owner that the password is another one now. */
export function passwordChangedLetter(scene: MailScene, { username }: { username: string }): Letter {
  const { siteName } = scene;
  return letter(scene, {
    en: {
      subject: `${siteName}: your password was changed`,
      paragraphs: [
        `The password of the account ${username} was changed, and its other sessions have ended.`,
        'If that was not you, reset the password at once.',
      ],
    },
    zh: {
      subject: `${siteName}：密码已修改`,
      paragraphs: [`账户 ${username} 的密码已修改，其他会话均已退出。`, '如非本人操作，请立即重置密码。'],
    },
  });
}

/** Tells the owner of the old address that the account has another one now. */
export function emailChangedLetter(scene: MailScene, { username }: { username: string }): Letter {
  const { siteName } = scene;
  return letter(scene, {
    en: {
      subject: `${siteName}: another e-mail address`,
      paragraphs: [
        `The account ${username} has another e-mail address now; this one is no longer bound to it.`,
        'If that was not you, ask the administrator of the site for help at once.',
      ],
    },
    zh: {
      subject: `${siteName}：绑定邮箱已更换`,
      paragraphs: [`账户 ${username} 已改绑其他邮箱，此邮箱不再与其绑定。`, '如非本人操作，请立即联系站点管理员。'],
    },
  });
}

/** Escapes what stands between tags and in quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** A letter of plain paragraphs in the language of the scene. */
export function letter(scene: MailScene, texts: Record<Language, Texts>): Letter {
  const { subject, paragraphs, highlight, link } = texts[scene.language];
  const [first = '', ...rest] = paragraphs;
  const shown = highlight ?? link;
  const lines = [first, ...(shown === undefined ? [] : [shown]), ...rest];
  const parts = [
    paragraph(first),
    ...(highlight === undefined ? [] : [`<p style="font-size:24px;letter-spacing:4px">${escapeHtml(highlight)}</p>`]),
    ...(link === undefined ? [] : [`<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>`]),
    ...rest.map(paragraph),
  ];
  return {
    // A line break in a site's name would begin a header of its own.
    subject: subject.replace(/[\r\n]+/g, ' '),
    text: `${lines.join('\n\n')}\n`,
    html: `<!doctype html><html><body>${parts.join('')}</body></html>`,
  };
}

function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`;
}

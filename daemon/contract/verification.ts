/** Proving an address by a mailed code, and resetting a password by a mailed link (management-api.md 3.3, 3.5). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { bind } from './oauth.ts';

export const verification = {
  sendCode: endpoint({
    method: 'GET',
    path: '/api/verification',
    access: 'public',
    shape: 'data',
    rate: 'critical-mail',
    humanCheck: 'required',
    effect: 'changes',
    description: {
      en: 'Mails a code that proves the address; it is valid for 10 minutes and works once.',
      zh: '向邮箱发送验证码；10 分钟内有效，仅可使用一次。',
    },
    input: z.object({ email: z.string() }),
    errors: ['email_invalid', 'email_domain_refused', 'email_alias_refused', 'mail_failed'],
  }),
  requestReset: endpoint({
    method: 'GET',
    path: '/api/reset_password',
    access: 'public',
    shape: 'data',
    rate: 'critical-mail',
    humanCheck: 'required',
    effect: 'changes',
    description: {
      en: 'Mails a link that sets a new password; the answer is the same whether or not an account has the address.',
      zh: '发送用于设置新密码的链接；无论该邮箱是否对应账户，返回结果都相同。',
    },
    input: z.object({ email: z.string() }),
    errors: ['email_invalid'],
  }),
  testMail: endpoint({
    method: 'POST',
    path: '/api/mail/test',
    access: 'root',
    scope: 'option:write',
    shape: 'data',
    description: {
      en: 'Sends a sample mail, to the own address when none is given; answers where it went.',
      zh: '发送测试邮件，未指定地址时发往本人邮箱；返回收件地址。',
    },
    input: z.object({ email: z.optional(z.nullable(z.string())) }),
    output: z.string(),
    errors: ['email_invalid', 'notice_nowhere', 'notice_failed'],
  }),
  reset: endpoint({
    method: 'POST',
    path: '/api/user/reset',
    access: 'public',
    shape: 'data',
    rate: 'critical',
    description: {
      en: 'Sets a new password with the token of a mailed link and returns it; all sessions of the account end.',
      zh: '凭邮件链接中的令牌设置并返回新密码；该账户的全部会话随即结束。',
    },
    input: z.object({ email: z.string(), token: z.string() }),
    output: z.string(),
    errors: ['reset_invalid'],
  }),
  bindEmail: endpoint({
    ...bind,
    path: '/api/oauth/email/bind',
    description: {
      en: 'Makes an address that a mailed code proves the own one.',
      zh: '凭邮件验证码将邮箱绑定到本人账户。',
    },
    input: z.object({ email: z.string(), code: z.string() }),
    errors: [
      'code_invalid',
      'email_taken',
      'email_invalid',
      'email_domain_refused',
      'email_alias_refused',
      'step_up_required',
    ],
  }),
};

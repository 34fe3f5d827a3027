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
    description: 'Mails a code that proves the address; it is valid for 10 minutes and works once.',
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
    description:
      'Mails a link that sets a new password; the answer is the same whether or not an account has the address.',
    input: z.object({ email: z.string() }),
    errors: ['email_invalid'],
  }),
  testMail: endpoint({
    method: 'POST',
    path: '/api/mail/test',
    access: 'root',
    shape: 'data',
    description: 'Sends a sample mail, to the own address when none is given; answers where it went.',
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
    description: 'Sets a new password with the token of a mailed link and returns it; all sessions of the account end.',
    input: z.object({ email: z.string(), token: z.string() }),
    output: z.string(),
    errors: ['reset_invalid'],
  }),
  bindEmail: endpoint({
    ...bind,
    path: '/api/oauth/email/bind',
    description: 'Makes an address that a mailed code proves the own one.',
    input: z.object({ email: z.string(), code: z.string() }),
    errors: ['code_invalid', 'email_taken', 'email_invalid', 'email_domain_refused', 'email_alias_refused'],
  }),
};

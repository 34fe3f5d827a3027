/** The second factor of signing in: an authenticator app and recovery codes (console.md N1, N3; cli.md E3). */
import * as z from 'zod/mini';
import { LoginView } from './account.ts';
import { endpoint } from './endpoint.ts';
import { rowId } from './loose.ts';
import { BrowserOptions, UsedPasskey } from './passkeys.ts';
import { proofActions } from './proof-actions.ts';

/** How a second step may be taken: by the authenticator app, by one of the recovery codes, or by a passkey. */
const secondStepMethods = ['totp', 'recovery', 'passkey'] as const;

/** What stands beside the code `two_factor_required`, whichever way of signing in was refused with it. */
export const TwoFactorRequired = z.object({
  /** Shown with the second step, in the same session, within five minutes and five tries. */
  ticket: z.string(),
  methods: z.array(z.enum(secondStepMethods)),
});
export type TwoFactorRequired = z.output<typeof TwoFactorRequired>;

export const SecondFactorView = z.object({
  enabled: z.boolean(),
  /** Recovery codes that have not been used. */
  recovery_left: z.int(),
});
export type SecondFactorView = z.output<typeof SecondFactorView>;

/** Shown once. */
const RecoveryCodesView = z.object({ recovery_codes: z.array(z.string()) });

const code = z.string().check(z.maxLength(64));
const own = { access: 'user', shape: 'data' } as const;
/** What changes how the own account is signed in to. */
const ownChange = { ...own, credential: 'session-only', rate: 'critical', freshProof: 'second_factor' } as const;

export const secondFactor = {
  beginPasskey: endpoint({
    method: 'POST',
    path: '/api/user/login/2fa/passkey',
    access: 'public',
    shape: 'data',
    rate: 'critical',
    effect: 'none',
    crossSite: 'oauth_state',
    description: {
      en: 'What a browser needs to take the second step with one of the passkeys of the account; good for this sign-in alone, once.',
      zh: '浏览器使用该账户的通行密钥完成第二步所需的参数；仅对本次登录有效，仅可使用一次。',
    },
    input: z.object({ ticket: z.string() }),
    output: BrowserOptions,
    errors: ['two_factor_expired', 'passkey_off'],
  }),
  signIn: endpoint({
    method: 'POST',
    path: '/api/user/login/2fa',
    access: 'public',
    shape: 'data',
    rate: 'critical',
    crossSite: 'oauth_state',
    description: {
      en: 'The second step of a sign-in that was refused with `two_factor_required`; every code works once.',
      zh: '登录返回 `two_factor_required` 后的第二步；每个验证码只能使用一次。',
    },
    input: z.object({
      ticket: z.string(),
      method: z.enum(secondStepMethods),
      /** With `totp` and `recovery`. */
      code: z.optional(code),
      /** With `passkey`. */
      passkey: z.optional(UsedPasskey),
      /** What the code shall also be a fresh proof for, since it cannot be shown twice. */
      prove: z.optional(z.enum(proofActions)),
    }),
    output: LoginView,
    errors: ['two_factor_expired', 'two_factor_code_invalid', 'two_factor_code_used', 'passkey_off', 'passkey_refused'],
  }),
  get: endpoint({
    ...own,
    method: 'GET',
    path: '/api/user/2fa',
    scope: 'user:read',
    description: { en: 'Whether the own account has a second factor.', zh: '本人账户的双重验证状态。' },
    output: SecondFactorView,
  }),
  begin: endpoint({
    ...ownChange,
    method: 'POST',
    path: '/api/user/2fa',
    description: {
      en: 'Makes a secret for an authenticator app; it counts once a code of it was shown, within 15 minutes.',
      zh: '生成验证器应用的密钥；须在 15 分钟内用验证码确认后才生效。',
    },
    output: z.object({ secret: z.string(), otpauth_url: z.string() }),
    errors: ['two_factor_on', 'step_up_required', 'access_token_not_supported'],
  }),
  enable: endpoint({
    ...ownChange,
    method: 'POST',
    path: '/api/user/2fa/enable',
    description: {
      en: 'Turns the second factor on with the first code; answers recovery codes, shown once. Other sessions end.',
      zh: '用首个验证码启用双重验证，返回仅显示一次的恢复码；其他会话将退出。',
    },
    input: z.object({ code }),
    output: RecoveryCodesView,
    errors: [
      'two_factor_on',
      'two_factor_off',
      'two_factor_code_invalid',
      'step_up_required',
      'access_token_not_supported',
    ],
  }),
  disable: endpoint({
    ...ownChange,
    method: 'DELETE',
    path: '/api/user/2fa',
    description: {
      en: 'Turns the second factor off; app and recovery codes are forgotten, other sessions end.',
      zh: '关闭双重验证，清除验证器与恢复码；其他会话将退出。',
    },
    errors: ['two_factor_off', 'step_up_required', 'access_token_not_supported'],
  }),
  renewRecoveryCodes: endpoint({
    ...ownChange,
    method: 'POST',
    path: '/api/user/2fa/recovery_codes',
    description: {
      en: 'Makes new recovery codes, shown once; the old ones stop working.',
      zh: '重新生成恢复码，仅显示一次；原有恢复码随即失效。',
    },
    output: RecoveryCodesView,
    errors: ['two_factor_off', 'step_up_required', 'access_token_not_supported'],
  }),
  reset: endpoint({
    method: 'POST',
    path: '/api/user/:id/2fa/reset',
    access: 'admin',
    shape: 'data',
    description: {
      en: 'Takes authenticator app, recovery codes and passkeys from a user, whose sessions end.',
      zh: '清除某个用户的验证器、恢复码与通行密钥；该用户的全部会话将退出。',
    },
    input: z.object({ id: rowId }),
    output: z.object({
      /** True when an app was in use. */
      totp: z.boolean(),
      /** How many were removed. */
      passkeys: z.int(),
    }),
    errors: ['user_not_found', 'user_same_level', 'user_root_protected', 'user_deleted_readonly', 'step_up_required'],
  }),
};

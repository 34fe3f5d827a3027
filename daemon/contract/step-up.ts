/** Fresh proof: what is worth asking once more who sits there (console.md N6; requirements S10). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { BrowserOptions, UsedPasskey } from './passkeys.ts';
import { proofActions } from './proof-actions.ts';

/** How one may prove to be the user of the session. */
const proofMethods = ['password', 'totp', 'recovery', 'passkey'] as const;
export type ProofMethod = (typeof proofMethods)[number];

/** What stands beside the code `step_up_required`. */
export const StepUpRequired = z.object({
  action: z.enum(proofActions),
  /** Those of the account; none where only a new sign-in proves anything. */
  methods: z.array(z.enum(proofMethods)),
});
export type StepUpRequired = z.output<typeof StepUpRequired>;

const secret = z.optional(z.string().check(z.maxLength(256)));

const own = { access: 'user', shape: 'data', credential: 'session-only', rate: 'critical' } as const;

export const stepUp = {
  beginPasskey: endpoint({
    ...own,
    method: 'POST',
    path: '/api/user/step_up/passkey',
    effect: 'none',
    description: {
      en: 'What a browser needs to prove by one of the own passkeys; good for one kind of action, in this session, for five minutes, once.',
      zh: '浏览器使用本人通行密钥验证身份所需的参数；仅对一类操作、在当前会话内有效，五分钟内可使用一次。',
    },
    input: z.object({ action: z.enum(proofActions) }),
    output: BrowserOptions,
    errors: ['passkey_off', 'access_token_not_supported'],
  }),
  prove: endpoint({
    ...own,
    method: 'POST',
    path: '/api/user/step_up',
    description: {
      en: 'Proves once more who sits there, for one kind of action, in this session, for five minutes. An account with a second factor proves by it, or by a passkey.',
      zh: '再次验证本人身份：仅对一类操作、在当前会话内有效，时长五分钟。已启用双重验证的账户须使用双重验证或通行密钥。',
    },
    input: z.object({
      action: z.enum(proofActions),
      method: z.enum(proofMethods),
      /** With `password`. */
      password: secret,
      /** With `totp` and `recovery`. */
      code: secret,
      /** With `passkey`. */
      passkey: z.optional(UsedPasskey),
    }),
    output: z.object({
      /** Unix seconds. */
      expires_at: z.int(),
    }),
    errors: ['step_up_failed', 'two_factor_code_used', 'passkey_off', 'passkey_refused', 'access_token_not_supported'],
  }),
};

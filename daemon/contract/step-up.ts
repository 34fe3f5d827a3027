/** Fresh proof: what is worth asking once more who sits there (console.md N6; requirements S10). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { proofActions } from './proof-actions.ts';

/** How one may prove to be the user of the session. */
export const proofMethods = ['password', 'totp', 'recovery'] as const;
export type ProofMethod = (typeof proofMethods)[number];

/** What stands beside the code `step_up_required`. */
export const StepUpRequired = z.object({
  action: z.enum(proofActions),
  /** Those of the account; none where only a new sign-in proves anything. */
  methods: z.array(z.enum(proofMethods)),
});
export type StepUpRequired = z.output<typeof StepUpRequired>;

const secret = z.optional(z.string().check(z.maxLength(256)));

export const stepUp = {
  prove: endpoint({
    method: 'POST',
    path: '/api/user/step_up',
    access: 'user',
    shape: 'data',
    credential: 'session-only',
    rate: 'critical',
    description: {
      en: 'Proves once more who sits there, for one kind of action, in this session, for five minutes. An account with a second factor proves by it.',
      zh: '再次验证本人身份：仅对一类操作、在当前会话内有效，时长五分钟。已启用双重验证的账户须使用双重验证。',
    },
    input: z.object({
      action: z.enum(proofActions),
      method: z.enum(proofMethods),
      /** With `password`. */
      password: secret,
      /** With `totp` and `recovery`. */
      code: secret,
    }),
    output: z.object({
      /** Unix seconds. */
      expires_at: z.int(),
    }),
    errors: ['step_up_failed', 'access_token_not_supported'],
  }),
};

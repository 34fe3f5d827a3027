/** What a key has used and may use, in the shapes that clients of other products poll (management-api.md 3.19). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

/** Amounts in dollars, or in quota units while amounts are not shown in currency. */
export const BillingSubscription = z.object({
  object: z.literal('billing_subscription'),
  has_payment_method: z.literal(true),
  soft_limit_usd: z.number(),
  hard_limit_usd: z.number(),
  system_hard_limit_usd: z.number(),
  /** Unix seconds; 0 = for ever. */
  access_until: z.int(),
});
export type BillingSubscription = z.infer<typeof BillingSubscription>;

export const BillingUsage = z.object({
  object: z.literal('list'),
  /** Hundredths of the unit of the limits. */
  total_usage: z.number(),
});
export type BillingUsage = z.infer<typeof BillingUsage>;

/** Quota units throughout. */
export const KeyUsage = z.object({
  code: z.literal(true),
  message: z.literal('ok'),
  data: z.object({
    object: z.literal('token_usage'),
    name: z.string(),
    total_granted: z.int(),
    total_used: z.int(),
    total_available: z.int(),
    unlimited_quota: z.boolean(),
    model_limits: z.record(z.string(), z.literal(true)),
    model_limits_enabled: z.boolean(),
    /** Unix seconds; 0 = never. */
    expires_at: z.int(),
  }),
});
export type KeyUsage = z.infer<typeof KeyUsage>;

const lookAlike = {
  method: 'GET',
  access: 'key-read',
  shape: 'bare',
  failures: 'openai',
  crossOrigin: 'anyone',
} as const;

export const billing = {
  subscription: endpoint({
    ...lookAlike,
    path: '/dashboard/billing/subscription',
    aliases: [{ path: '/v1/dashboard/billing/subscription' }, { path: '/hf/v1/dashboard/billing/subscription' }],
    description: {
      en: 'What the key may spend in all, as clients of the OpenAI dashboard read it.',
      zh: '令牌的总额度，格式与 OpenAI 控制台接口一致。',
    },
    output: BillingSubscription,
  }),
  usage: endpoint({
    ...lookAlike,
    path: '/dashboard/billing/usage',
    aliases: [{ path: '/v1/dashboard/billing/usage' }, { path: '/hf/v1/dashboard/billing/usage' }],
    description: {
      en: 'What the key has spent in all; dates are accepted and change nothing.',
      zh: '令牌已使用的总额度；可传入日期，但不影响结果。',
    },
    output: BillingUsage,
  }),
  keyUsage: endpoint({
    ...lookAlike,
    path: '/api/usage/token/',
    description: { en: 'Quota and limits of the key that is presented.', zh: '所用令牌的额度与限制。' },
    output: KeyUsage,
  }),
};

/** The billing look-alikes on the wire. */
import type { BillingSubscription, BillingUsage, KeyUsage } from '../../contract/billing.ts';
import { type BillingFigures, expiryOf, limitedModels } from '../../domain/billing-figures.ts';
import type { TokenRecord } from '../../store/tokens.ts';

export function presentSubscription({ granted, accessUntil }: BillingFigures): BillingSubscription {
  return {
    object: 'billing_subscription',
    has_payment_method: true,
    soft_limit_usd: granted,
    hard_limit_usd: granted,
    system_hard_limit_usd: granted,
    access_until: accessUntil,
  };
}

export function presentUsage({ used }: BillingFigures): BillingUsage {
  // Cents have no more digits than what a unit of quota is worth.
  return { object: 'list', total_usage: Number((used * 100).toFixed(10)) };
}

export function presentKeyUsage(token: TokenRecord): KeyUsage {
  return {
    code: true,
    message: 'ok',
    data: {
      object: 'token_usage',
      name: token.name,
      total_granted: token.remainQuota + token.usedQuota,
      total_used: token.usedQuota,
      total_available: token.remainQuota,
      unlimited_quota: token.unlimitedQuota,
      model_limits: Object.fromEntries(limitedModels(token).map((name) => [name, true])),
      model_limits_enabled: token.modelLimitsEnabled,
      expires_at: expiryOf(token),
    },
  };
}

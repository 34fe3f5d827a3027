/** What a key, or its account, was given and has used, as clients that poll a balance are told (relay.md 10.2). */
import type { OptionsView } from '../contract/options.ts';
import type { TokenRecord } from '../store/tokens.ts';
import type { UserRecord } from '../store/users.ts';

/** Limit that is told of a key without one. */
const UNLIMITED = 100_000_000;

export interface BillingFigures {
  /** Remaining and used together, in dollars, or in quota units while amounts are not shown in currency. */
  readonly granted: number;
  /** In the same unit. */
  readonly used: number;
  /** Unix seconds; 0 = for ever. */
  readonly accessUntil: number;
}

/** The figures of the key, or of its account where the option says so. */
export function billingFigures(
  { token, user }: { readonly token: TokenRecord; readonly user: UserRecord },
  options: OptionsView,
): BillingFigures {
  const unit = options.get('DisplayInCurrencyEnabled') ? options.get('QuotaPerUnit') : 1;
  const accessUntil = expiryOf(token);
  if (!options.get('DisplayTokenStatEnabled')) {
    return { granted: (user.quota + user.usedQuota) / unit, used: user.usedQuota / unit, accessUntil };
  }
  const granted = token.unlimitedQuota ? UNLIMITED : (token.remainQuota + token.usedQuota) / unit;
  return { granted, used: token.usedQuota / unit, accessUntil };
}

/** Unix seconds; 0 = never. */
export function expiryOf(token: TokenRecord): number {
  return token.expiredTime === -1 ? 0 : token.expiredTime;
}

/** Models that a key is limited to; empty without limits. */
export function limitedModels(token: TokenRecord): string[] {
  const names = (token.modelLimits ?? '').split(',').map((name) => name.trim());
  return names.filter((name) => name !== '');
}

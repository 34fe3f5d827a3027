/** Whether a key may be used (relay.md 3.3): the same for calls, dry runs, look-alikes of billing and lists. */
import type { TokenRecord } from '../store/tokens.ts';

type Validity = Pick<TokenRecord, 'expiredTime'>;
type Purse = Pick<TokenRecord, 'unlimitedQuota' | 'remainQuota'>;

/** What refuses the key, by checks 3 to 7 in their order; undefined for one that may be used. */
export function refusalOfToken(
  token: Pick<TokenRecord, 'status'> & Validity & Purse,
  nowSeconds: number,
): 'token_exhausted' | 'token_expired' | 'token_disabled' | undefined {
  if (token.status === 4) return 'token_exhausted';
  if (token.status === 3) return 'token_expired';
  if (token.status !== 1) return 'token_disabled';
  if (isExpired(token, nowSeconds)) return 'token_expired';
  return isExhausted(token) ? 'token_exhausted' : undefined;
}

/** From its last second on, whatever the row says: that is written behind the first call that is refused. */
export function isExpired({ expiredTime }: Validity, nowSeconds: number): boolean {
  return expiredTime !== -1 && expiredTime <= nowSeconds;
}

export function isExhausted({ unlimitedQuota, remainQuota }: Purse): boolean {
  return !unlimitedQuota && remainQuota <= 0;
}

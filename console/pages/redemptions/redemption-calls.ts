import type { RedemptionView } from '../../../daemon/contract/redemptions.ts';
import { redemptions as endpoints } from '../../../daemon/contract/redemptions.ts';
import { callsFor } from '../../api/client.ts';

export const redemptions = callsFor(endpoints);

/** First part of the keys of everything that is asked about codes. */
export const redemptionsKey = 'redemptions';

export const codeStatus = { unused: 1, disabled: 2, used: 3 } as const;

/** A gift that was taken as often as it may be. */
export function isUsedUp({ is_gift, max_uses, used_count }: RedemptionView): boolean {
  return is_gift && max_uses >= 0 && used_count >= max_uses;
}

/** `3fa1…9c`: enough to tell codes apart, too little to redeem one. */
export function maskedCode(code: string): string {
  return code.length < 10 ? `${code.slice(0, 1)}…${code.slice(-1)}` : `${code.slice(0, 4)}…${code.slice(-2)}`;
}

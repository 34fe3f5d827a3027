/** Calls the site's own public address from here, through the egress guard. */
import type { ProbeOutcome } from '../../domain/payment-self-test.ts';
import type { GuardedFetch } from '../guarded-fetch.ts';
import { isRefusedAddress } from '../network-code.ts';

/** Never rejects. */
export function callbackProbe(fetch: GuardedFetch): (url: string) => Promise<ProbeOutcome> {
  return async (url) => {
    try {
      return { kind: 'answered', ...(await fetch({ url })) };
    } catch (error) {
      return { kind: isRefusedAddress(error) ? 'refused' : 'unreached' };
    }
  };
}

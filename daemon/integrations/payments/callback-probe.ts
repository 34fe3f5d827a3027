/** Calls the site's own public address from here, through the egress guard. */
import type { ProbeOutcome } from '../../domain/payment-self-test.ts';
import type { GuardedFetch } from '../guarded-fetch.ts';

/** Never rejects. */
export function callbackProbe(fetch: GuardedFetch): (url: string) => Promise<ProbeOutcome> {
  return async (url) => {
    try {
      return { kind: 'answered', ...(await fetch({ url })) };
    } catch (error) {
      return { kind: isRefusal(error) ? 'refused' : 'unreached' };
    }
  };
}

/** True when the guard said no, which a resolver's failure may carry inside. */
function isRefusal(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if ('code' in at && at.code === 'ADDRESS_REFUSED') return true;
  }
  return false;
}

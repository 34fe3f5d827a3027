/** Asks the service behind the human check whether a widget's answer is good (management-api.md 3.3). */
import type { HumanCheckVerifier } from '../domain/human-check.ts';
import { formBody, type GuardedFetch, jsonObjectOf } from './guarded-fetch.ts';

export interface TurnstileDeps {
  readonly fetch: GuardedFetch;
  /** Told why the service could not be asked; the caller is refused then. */
  readonly report: (cause: unknown) => void;
  /** Where the service is; "" for nowhere. */
  readonly address: string;
}

/** The verifier; it never throws. */
export function turnstileVerifier({ fetch, report, address }: TurnstileDeps): HumanCheckVerifier {
  return async ({ secret, response, clientAddress }) => {
    // Longer than any token of the service; it would refuse it too.
    if (response.length > 2048 || address === '') return false;
    try {
      const form = formBody({ secret, response, remoteip: clientAddress });
      const answer = await fetch({ url: address, method: 'POST', ...form });
      return jsonObjectOf(answer).success === true;
    } catch (cause) {
      report(cause);
      return false;
    }
  };
}

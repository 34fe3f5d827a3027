/** The endpoints that an OIDC provider tells at its well-known address, as this browser reads them. */
import * as z from 'zod/mini';
import type { OptionKey } from '../../../daemon/contract/options.ts';

/** As far as the settings need it. */
const Discovery = z.object({
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  userinfo_endpoint: z.string(),
});

const patienceMs = 15_000;

/** By option. Undefined where nothing came, or something else: a provider may also forbid browsers to read it. */
export async function fetchEndpoints(address: string): Promise<readonly (readonly [OptionKey, string])[] | undefined> {
  try {
    const answer = await fetch(address, { credentials: 'omit', signal: AbortSignal.timeout(patienceMs) });
    if (!answer.ok) return undefined;
    const { success, data } = Discovery.safeParse(await answer.json());
    if (!success) return undefined;
    return [
      ['oidc.authorization_endpoint', data.authorization_endpoint],
      ['oidc.token_endpoint', data.token_endpoint],
      ['oidc.user_info_endpoint', data.userinfo_endpoint],
    ];
  } catch {
    return undefined;
  }
}

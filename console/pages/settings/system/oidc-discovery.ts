/** The discovery document of an identity provider, as far as the settings need it. */
import * as z from 'zod/mini';

const Discovery = z.object({
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  userinfo_endpoint: z.string(),
});
export type Discovery = z.output<typeof Discovery>;

const patienceMs = 15_000;

/** Undefined where nothing came, or something else: a provider may also forbid browsers to read it. */
export async function fetchEndpoints(address: string): Promise<Discovery | undefined> {
  try {
    const answer = await fetch(address, { credentials: 'omit', signal: AbortSignal.timeout(patienceMs) });
    if (!answer.ok) return undefined;
    const parsed = Discovery.safeParse(await answer.json());
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** OIDC: before a new well-known address is saved, this browser reads it to fill in the three endpoints. */
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod/mini';
import type { OptionKey } from '../../../daemon/contract/options.ts';
import { toast } from '../../components/toast.ts';
import type { OptionChange } from './save-plan.ts';
import { useSettings } from './settings-context.tsx';

/** As far as the settings need it. */
const Discovery = z.object({
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  userinfo_endpoint: z.string(),
});
type Discovery = z.output<typeof Discovery>;

const patienceMs = 15_000;

/** Undefined where nothing came, or something else: a provider may also forbid browsers to read it. */
async function fetchEndpoints(address: string): Promise<Discovery | undefined> {
  try {
    const answer = await fetch(address, { credentials: 'omit', signal: AbortSignal.timeout(patienceMs) });
    if (!answer.ok) return undefined;
    const parsed = Discovery.safeParse(await answer.json());
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Types in the endpoints of a well-known address among the changes; what cannot be read is said, and left to be typed. */
export function useOidcDiscovery(): (changes: readonly OptionChange[]) => Promise<void> {
  const { t } = useTranslation('settings');
  const { board } = useSettings();
  return useCallback(
    async (changes) => {
      const address = changes.find(({ key }) => key === 'oidc.well_known')?.value;
      if (!address) return;
      const found = await fetchEndpoints(address);
      if (!found) {
        toast.error(t('oidc.failed'), { extra: t('oidc.cors') });
        return;
      }
      const endpoints: readonly (readonly [OptionKey, string])[] = [
        ['oidc.authorization_endpoint', found.authorization_endpoint],
        ['oidc.token_endpoint', found.token_endpoint],
        ['oidc.user_info_endpoint', found.userinfo_endpoint],
      ];
      for (const [key, endpoint] of endpoints) board.setDraft(key, endpoint);
      toast.success(t('oidc.fetched'));
    },
    [board, t],
  );
}

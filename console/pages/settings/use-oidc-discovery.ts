/** OIDC: before a new well-known address is saved, this browser reads it to fill in the three endpoints. */
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '../../components/toast.ts';
import type { OptionChange } from './save-plan.ts';
import { useSettings } from './settings-context.tsx';

/** Types in the endpoints of a well-known address among the changes; what cannot be read is said, and left to be typed. */
export function useOidcDiscovery(): (changes: readonly OptionChange[]) => Promise<void> {
  const { t } = useTranslation('settings');
  const { board } = useSettings();
  return useCallback(
    async (changes) => {
      const address = changes.find(({ key }) => key === 'oidc.well_known')?.value;
      if (!address) return;
      board.startSaving(['oidc.well_known']);
      const reader = await import('./oidc-endpoints.ts').catch(() => undefined);
      const endpoints = await reader?.fetchEndpoints(address);
      board.endSaving(['oidc.well_known']);
      if (!endpoints) {
        toast.error(t('oidc.failed'), { extra: t('oidc.cors') });
        return;
      }
      for (const [key, endpoint] of endpoints) board.setDraft(key, endpoint);
      toast.success(t('oidc.fetched'));
    },
    [board, t],
  );
}

/** Whose word is taken for a caller's address, and what private targets may be reached: from the configuration file. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { system as systemEndpoints } from '../../../../daemon/contract/system.ts';
import { callsFor } from '../../../api/client.ts';
import { useSelf } from '../../../api/use-self.ts';
import classes from './system.module.css';

const system = callsFor({ get: systemEndpoints.get });

export function NetworkFacts() {
  const { t } = useTranslation('settings');
  const self = useSelf();
  const state = useQuery({
    queryKey: ['system', 'network'],
    queryFn: async ({ signal }) => (await system.get({}, { signal })).network,
  });
  const shown = (entries: readonly string[] | undefined) =>
    entries === undefined ? '' : entries.length === 0 ? t('network.none') : entries.join(', ');
  return (
    <>
      <dl className={classes.addresses}>
        <dt>{t('network.seen')}</dt>
        <dd>{self.data?.client_ip}</dd>
        <dt>{t('network.proxies')}</dt>
        <dd>{shown(state.data?.trusted_proxies)}</dd>
        <dt>{t('network.egress')}</dt>
        <dd>{shown(state.data?.egress_allow)}</dd>
      </dl>
      <p className={classes.line}>{t('network.hint')}</p>
    </>
  );
}

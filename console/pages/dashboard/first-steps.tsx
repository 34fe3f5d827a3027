/** For who has not called yet: what to do, and a call that works with the models of this site. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { account } from '../../../daemon/contract/account.ts';
import { callsFor } from '../../api/client.ts';
import { Section } from '../../components/section.tsx';
import { useStatus } from '../../session/status.ts';
import classes from './dashboard.module.css';

const calls = callsFor({ models: account.models });

export function FirstSteps() {
  const { t } = useTranslation('dashboard');
  const address = useStatus()?.server_address || window.location.origin;
  const models = useQuery({ queryKey: ['own-models'], queryFn: ({ signal }) => calls.models({}, { signal }) });
  const model = models.data?.find((name) => name === 'gpt-4o-mini') ?? models.data?.[0];
  const call = [
    `curl ${address}/v1/chat/completions \\`,
    "  -H 'Authorization: Bearer sk-...' \\",
    "  -H 'Content-Type: application/json' \\",
    `  -d '{"model": "${model ?? ''}", "messages": [{"role": "user", "content": "Hi"}]}'`,
  ].join('\n');
  return (
    <Section title={t('begin.title')}>
      <ol className={classes.steps}>
        <li>
          <Link to="/token">{t('begin.token')}</Link>
        </li>
        <li>{t('begin.call')}</li>
        <li>
          <Link to="/log">{t('begin.log')}</Link>
        </li>
      </ol>
      {model !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre className={classes.code} tabIndex={0}>
          {call}
        </pre>
      )}
    </Section>
  );
}

/** First run (console.md 6.2): what is set up so far decides what is asked. */
import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/UnstyledButton.css';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Navigate } from 'react-router-dom';
import { setup as endpoints } from '../../../daemon/contract/setup.ts';
import { callsFor } from '../../api/client.ts';
import { useStatus } from '../../session/status.ts';
import { FrontCard } from './front-card.tsx';
import { SetupForm } from './setup-form.tsx';
import classes from './setup-page.module.css';

const setup = callsFor(endpoints);

export function Page() {
  const { t } = useTranslation(['front', 'frame']);
  const status = useStatus();
  const state = useQuery({ queryKey: ['setup'], queryFn: ({ signal }) => setup.get({}, { signal }), staleTime: 0 });
  if (state.data?.status) return <Navigate replace to="/" />;
  return (
    <FrontCard
      isWide
      title={t('frame:page.setup')}
      intro={t('setup.intro', { name: status?.system_name || 'Tollgate' })}
    >
      {state.isError && !state.data ? (
        <div role="alert" className={classes.failed}>
          <p>{t('setup.stateFailed')}</p>
          <Button variant="default" loading={state.isFetching} onClick={() => state.refetch()}>
            {t('retry')}
          </Button>
        </div>
      ) : (
        <SetupForm state={state.data} />
      )}
    </FrontCard>
  );
}

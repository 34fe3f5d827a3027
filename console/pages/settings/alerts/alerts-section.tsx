/** What operators are told of by itself, and where; for the super administrator (console.md 6.22, N23). */
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Skeleton.css';
import { ErrorPanel } from '../../../components/section.tsx';
import { AlertRules } from './alert-rules.tsx';
import { AlertTargets } from './alert-targets.tsx';
import classes from './alerts.module.css';
import { alertsQuery } from './alerts-query.ts';

export function AlertsSection() {
  const { t } = useTranslation('settings-alerts');
  const { data, error, refetch } = useQuery(alertsQuery);
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={240} />;
  const { waiting, sent, failed, dropped } = data.deliveries;
  return (
    <>
      <AlertRules key={JSON.stringify(data.rules)} rules={data.rules} />
      <AlertTargets targets={data.targets} />
      <p className={classes.line}>{t('deliveries', { waiting, sent, failed, dropped })}</p>
    </>
  );
}

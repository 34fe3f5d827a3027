/** What the rows that are listed come to, above them. */
import { Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Skeleton.css';
import type { LogStat } from '../../../daemon/contract/logs.ts';
import { formatCount } from '../../components/format.ts';
import { Quota } from '../../components/quota.tsx';
import { ErrorPanel, Stat, Stats } from '../../components/section.tsx';

/** Nothing is shown for zero that is not known to be. */
export function LogFigures({ stat }: { stat: UseQueryResult<LogStat> }) {
  const { t } = useTranslation('logs');
  const { data } = stat;
  if (stat.isError) return <ErrorPanel error={stat.error} onRetry={() => void stat.refetch()} />;
  const known = (figure: (sums: LogStat) => ReactNode) =>
    data === undefined ? <Skeleton height={24} width={72} /> : figure(data);
  const counted = (count: (sums: LogStat) => number) => known((sums) => formatCount(count(sums)));
  return (
    <Stats>
      <Stat
        label={t('chip.quota')}
        value={known(({ quota }) => <Quota value={quota} />)}
        title={t('chip.quotaCounts')}
      />
      <Stat
        label={t('chip.tokens')}
        value={counted((sums) => sums.prompt_tokens + sums.completion_tokens)}
        title={t('chip.ofFilter')}
      />
      <Stat label={t('chip.input')} value={counted((sums) => sums.prompt_tokens)} title={t('chip.ofFilter')} />
      <Stat label={t('chip.output')} value={counted((sums) => sums.completion_tokens)} title={t('chip.ofFilter')} />
      <Stat label={t('chip.rpm')} value={counted(({ rpm }) => rpm)} title={t('chip.ofLastMinute')} />
      <Stat label={t('chip.tpm')} value={counted(({ tpm }) => tpm)} title={t('chip.ofLastMinute')} />
    </Stats>
  );
}

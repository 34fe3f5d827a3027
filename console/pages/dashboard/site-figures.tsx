/** What moved on the site as a whole, for administrators: users and channels by cost, new accounts, money in. */
import { Skeleton } from '@mantine/core';
import '@mantine/core/styles/Skeleton.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { UsageReportRow } from '../../../daemon/contract/usage-reports.ts';
import { usageReports } from '../../../daemon/contract/usage-reports.ts';
import { callsFor } from '../../api/client.ts';
import { formatCount, formatPercent } from '../../components/format.ts';
import { Quota } from '../../components/quota.tsx';
import { ErrorPanel, Stat, Stats } from '../../components/section.tsx';
import classes from './dashboard.module.css';
import { type FigureRow, FigureTable } from './figure-table.tsx';

const calls = callsFor({ report: usageReports.report, site: usageReports.site });
const top = 10;

export interface SiteFiguresProps {
  /** Unix seconds, both within. */
  readonly span: { readonly start_timestamp: number; readonly end_timestamp: number };
}

export function SiteFigures({ span }: SiteFiguresProps) {
  const { t } = useTranslation('dashboard');
  const site = useQuery({
    queryKey: ['usage-site', span],
    queryFn: ({ signal }) => calls.site(span, { signal }),
    placeholderData: keepPreviousData,
  });
  const report = (by: 'user' | 'channel') => ({
    queryKey: ['usage-report', by, span],
    queryFn: ({ signal }: { signal: AbortSignal }) => calls.report({ ...span, by, top }, { signal }),
    placeholderData: keepPreviousData,
  });
  const users = useQuery(report('user'));
  const channels = useQuery(report('channel'));
  const failed = [site, users, channels].find(({ isError }) => isError);
  if (failed) return <ErrorPanel error={failed.error} onRetry={() => void failed.refetch()} />;
  const totals = site.data;
  if (!totals || !users.data || !channels.data) return <Skeleton height={340} />;
  const failureShare = ({ requests, failures }: Pick<UsageReportRow, 'requests' | 'failures'>) =>
    requests + failures > 0 ? formatPercent(failures / (requests + failures)) : '—';
  return (
    <div className={classes.parts}>
      <Stats>
        <Stat label={t('site.active')} value={formatCount(totals.active_users)} />
        <Stat
          label={t('site.newUsers')}
          value={formatCount(totals.new_users)}
          note={t('site.ofUsers', { count: totals.users, replace: { count: formatCount(totals.users) } })}
        />
        <Stat
          label={t('site.toppedUp')}
          value={<Quota value={totals.topped_up} />}
          note={t('site.orders', { count: totals.paid_orders, replace: { count: formatCount(totals.paid_orders) } })}
        />
        <Stat label={t('card.cost')} value={<Quota value={totals.quota} />} />
        <Stat label={t('site.paidUpstream')} value={<Quota value={totals.cost ?? 0} />} />
        <Stat label={t('site.failures')} value={failureShare(totals)} note={formatCount(totals.failures)} />
      </Stats>
      <FigureTable
        title={t('site.users')}
        nameLabel={t('username')}
        total={totals.quota}
        rows={users.data.items.map((row) => figureRow(row.username || `#${row.user_id}`, row))}
      />
      <FigureTable
        title={t('site.channels')}
        nameLabel={t('site.channel')}
        total={totals.quota}
        rows={channels.data.items.map((row) =>
          figureRow(`${row.channel_name} #${row.channel}`.trim(), row, failureShare(row)),
        )}
      />
    </div>
  );
}

function figureRow(name: string, row: UsageReportRow, failures?: string): FigureRow {
  const { requests: count, quota } = row;
  const tokens = row.prompt_tokens + row.completion_tokens;
  return { name, count, tokens, quota, ...(failures === undefined ? {} : { failures }) };
}

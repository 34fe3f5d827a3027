/** What was used, by time and by model (console.md 6.8). */
import { ActionIcon, Skeleton } from '@mantine/core';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Skeleton.css';
import { IconRefresh } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { logs as logEndpoints } from '../../../daemon/contract/logs.ts';
import { usageData as usageEndpoints } from '../../../daemon/contract/usage-data.ts';
import { users as userEndpoints } from '../../../daemon/contract/users.ts';
import { callsFor } from '../../api/client.ts';
import { useAddress, withMembers } from '../../api/use-address.ts';
import { useSelf } from '../../api/use-self.ts';
import { formatCount } from '../../components/format.ts';
import { lazyPart } from '../../components/late-part.tsx';
import { Quota } from '../../components/quota.tsx';
import { EmptyState, ErrorPanel, PageHeader, Stat, Stats } from '../../components/section.tsx';
import { knownZone } from '../../components/site-time.ts';
import { isAdmin, isRoot, useUser } from '../../session/session.ts';
import { useStatus } from '../../session/status.ts';
import { readText, writeText } from '../../session/storage.ts';
import { ChangeNote } from './change-note.tsx';
import classes from './dashboard.module.css';
import { type Sums, sumsOf } from './dashboard-buckets.ts';
import { Controls } from './dashboard-controls.tsx';
import { Figures } from './dashboard-figures.tsx';
import { logRangeOf, spanBefore, spanOf } from './dashboard-range.ts';
import { FirstSteps } from './first-steps.tsx';
import { SiteFigures } from './site-figures.tsx';

// Brings the contracts of what is to be set up.
const SetUpSteps = lazyPart(() => import('./set-up-steps.tsx').then((module) => ({ default: module.SetUpSteps })));

const usage = callsFor({ list: usageEndpoints.list, listOwn: usageEndpoints.listOwn });
const users = callsFor({ search: userEndpoints.search });
const logs = callsFor({ stat: logEndpoints.stat, statOwn: logEndpoints.statOwn });

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

export function Page() {
  const { t } = useTranslation(['dashboard', 'frame']);
  const status = useStatus();
  const admin = isAdmin(useUser());
  if (status?.enable_data_export === false) {
    return (
      <>
        <PageHeader title={t('frame:page.dashboard')} />
        <EmptyState text={t('off')}>
          {admin && <a href="/setting?tab=operation&section=data-export">{t('switchOn')}</a>}
        </EmptyState>
      </>
    );
  }
  return <Dashboard admin={admin} zone={knownZone(status?.time_zone)} defaultUnit={status?.data_export_default_time} />;
}

/** Browsers remember that a site is ready, or that nobody wants to be told what it lacks. */
const READY_KEY = 'site-set-up';

function useSettingUp({ isNew, isAsked }: { readonly isNew: boolean; readonly isAsked: boolean }) {
  const user = useUser();
  const [isReady, setReady] = useState(() => readText(READY_KEY) !== undefined);
  const end = useCallback(() => {
    writeText(READY_KEY, 'true');
    setReady(true);
  }, []);
  // What is missing later is root's to mend: the settings are root's.
  return { isShown: isAsked && (isNew ? isAdmin(user) : isRoot(user) && !isReady), end };
}

interface DashboardProps {
  readonly admin: boolean;
  readonly zone: string;
  readonly defaultUnit: string | undefined;
}

function Dashboard({ admin, zone, defaultUnit }: DashboardProps) {
  const { t } = useTranslation(['dashboard', 'frame']);
  const [address, setAddress] = useAddress();
  const [now, setNow] = useState(nowSeconds);
  const queryClient = useQueryClient();
  const span = spanOf(address, defaultUnit, now, zone);
  const username = admin ? (address.get('username') ?? '') : '';
  const isSite = admin && address.get('view') === 'site';
  const days = admin ? 366 : 31;
  const problem = span.from >= span.to ? t('wrongOrder') : span.days > days ? t('tooLong', { days }) : undefined;
  const input = { start_timestamp: span.from, end_timestamp: span.to - 1 };
  const before = spanBefore(span);
  const isAsked = problem === undefined && !isSite;
  const self = useSelf().data;
  const dataOf = (asked: typeof input & { readonly total?: boolean }, enabled: boolean) => ({
    queryKey: ['usage-data', admin, username, asked],
    enabled,
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      admin ? usage.list({ ...asked, username }, { signal }) : usage.listOwn(asked, { signal }),
    placeholderData: keepPreviousData,
  });
  const found = useQuery(dataOf(input, isAsked));
  const rows = found.data?.items;
  const isNew = username === '' && rows?.length === 0 && self?.request_count === 0;
  const settingUp = useSettingUp({ isNew, isAsked: username === '' && rows !== undefined && self !== undefined });
  // There is nothing to compare before the first call, and the steps that lead to it ask for enough.
  const isCompared = isAsked && rows !== undefined && self !== undefined && !isNew;
  const spanEarlier = { start_timestamp: before.from, end_timestamp: before.to - 1 };
  const earlier = useQuery(dataOf({ ...spanEarlier, total: true }, isCompared));
  const rates = useQuery({
    queryKey: ['usage-rates', admin, username, input],
    enabled: isCompared,
    queryFn: ({ signal }) => (admin ? logs.stat({ ...input, username }, { signal }) : logs.statOwn(input, { signal })),
    placeholderData: keepPreviousData,
  });
  // Of somebody else's figures the balance is theirs, too.
  const other = useQuery({
    queryKey: ['user-named', username],
    enabled: isAsked && username !== '' && username !== self?.username,
    queryFn: async ({ signal }) => {
      const { items } = await users.search({ keyword: username, page_size: 100 }, { signal });
      return items.find((user) => user.username === username) ?? null;
    },
  });
  const account = username === '' || username === self?.username ? self : (other.data ?? undefined);

  const change = (members: Readonly<Record<string, string>>) => setAddress((now) => withMembers(now, members));
  const refresh = () => {
    setNow(nowSeconds());
    for (const key of ['set-up', 'usage-data', 'usage-rates', 'usage-site', 'usage-report', 'user-named', 'self'])
      void queryClient.invalidateQueries({ queryKey: [key] });
  };

  const sums = rows && sumsOf(rows);
  const sumsBefore = earlier.data && sumsOf(earlier.data.items);
  const note = (key: keyof Sums) => sums && sumsBefore && <ChangeNote now={sums[key]} before={sumsBefore[key]} />;
  const logAddress = `/log?${new URLSearchParams({
    range: logRangeOf(span),
    ...(username === '' ? {} : { username }),
  })}`;
  return (
    <>
      <PageHeader
        title={t('frame:page.dashboard')}
        secondary={
          <ActionIcon
            variant="default"
            size={36}
            aria-label={t('frame:action.refresh')}
            title={t('frame:action.refresh')}
            onClick={refresh}
            data-refresh
          >
            <IconRefresh size={16} stroke={1.75} />
          </ActionIcon>
        }
      />
      <Controls span={span} username={username} isSite={isSite} isAdmin={admin} onChange={change} />
      {problem !== undefined && (
        <p className={classes.problem} role="alert">
          {problem}
        </p>
      )}
      {problem === undefined && isSite && <SiteFigures span={input} />}
      {isAsked && (
        <>
          <Stats>
            <Stat
              label={t('card.balance')}
              value={account ? <Quota value={account.quota} /> : '—'}
              note={username === '' && <Link to="/topup">{t('card.topUp')}</Link>}
            />
            <Stat label={t('card.used')} value={account ? <Quota value={account.used_quota} /> : '—'} />
            <Stat
              label={t('card.cost')}
              value={<Link to={logAddress}>{sums ? <Quota value={sums.quota} /> : '—'}</Link>}
              note={note('quota')}
              title={t('card.costCounts')}
            />
            <Stat
              label={t('card.count')}
              value={<Link to={logAddress}>{sums ? formatCount(sums.count) : '—'}</Link>}
              note={note('count')}
            />
            <Stat label={t('card.tokens')} value={sums ? formatCount(sums.tokens) : '—'} note={note('tokens')} />
            <Stat
              label={t('card.rates')}
              value={rates.data ? `${formatCount(rates.data.rpm)} / ${formatCount(rates.data.tpm)}` : '—'}
            />
          </Stats>
          {found.isError && <ErrorPanel error={found.error} onRetry={() => void found.refetch()} />}
          {!rows && !found.isError && <Skeleton height={340} />}
          {settingUp.isShown && (
            <Suspense fallback={null}>
              <SetUpSteps isNew={isNew} onEnd={settingUp.end} />
            </Suspense>
          )}
          {isNew && !admin && <FirstSteps />}
          {rows && !isNew && <Figures rows={rows} span={span} zone={zone} />}
        </>
      )}
    </>
  );
}

/** How the site is (console.md 6.25): asked again every ten seconds while somebody looks. */
import { ActionIcon, Button, Skeleton } from '@mantine/core';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Skeleton.css';
import { IconCopy, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { showFailure } from '../../api/failures.ts';
import { usePoll } from '../../api/use-poll.ts';
import { useCopy } from '../../components/copy.tsx';
import { formatTime } from '../../components/format.ts';
import { ErrorPanel, PageHeader } from '../../components/section.tsx';
import { toast } from '../../components/toast.ts';
import { AddressCheck } from './address-check.tsx';
import { ChannelTable } from './channel-table.tsx';
import { Dependencies } from './dependencies.tsx';
import classes from './health.module.css';
import { latencyByChannel } from './health-levels.ts';
import { JobTable } from './job-table.tsx';
import { NodeTable } from './node-table.tsx';
import { ping, system } from './system-calls.ts';
import { WarningList } from './warning-list.tsx';

const everyMs = 10_000;

export function Page() {
  const { t, i18n } = useTranslation(['health', 'frame']);
  const copy = useCopy();
  const [isPinging, setPinging] = useState(false);
  // The warnings come in the language of the page.
  const state = useQuery({
    queryKey: ['system', 'state', i18n.language],
    queryFn: ({ signal }) => system.get({}, { signal }),
  });
  const latency = useQuery({
    queryKey: ['system', 'latency'],
    queryFn: ({ signal }) => system.latency({}, { signal }),
  });
  const byChannel = useMemo(() => latencyByChannel(latency.data?.items ?? []), [latency.data]);
  const refresh = () => Promise.all([state, latency].map((query) => query.refetch({ throwOnError: true })));
  usePoll(refresh, everyMs);

  const pingDatabase = async () => {
    setPinging(true);
    try {
      await ping.test({});
      toast.success(t('ping.done'));
    } catch (error) {
      showFailure(error);
    }
    setPinging(false);
  };

  const found = state.data;
  const table = {
    isLoading: state.isPending && !state.isError,
    // Said once, above; what is known stays.
    ...(found ? {} : { error: state.error, onRetry: () => void state.refetch() }),
  };
  const asOf = state.dataUpdatedAt > 0 ? formatTime(Math.floor(state.dataUpdatedAt / 1000)) : '—';
  return (
    <>
      <PageHeader
        title={t('frame:page.health')}
        description={t('asOf', { time: asOf })}
        secondary={
          <>
            <Button
              variant="default"
              leftSection={<IconCopy size={16} stroke={1.75} />}
              disabled={!found}
              onClick={() =>
                void copy(JSON.stringify({ ...found, latency: latency.data?.items }, undefined, 2), {
                  label: t('diagnostics.name'),
                })
              }
            >
              {t('diagnostics.copy')}
            </Button>
            <Button variant="default" loading={isPinging} onClick={() => void pingDatabase()}>
              {t('ping.act')}
            </Button>
            <ActionIcon
              variant="default"
              size={36}
              aria-label={t('frame:action.refresh')}
              title={t('frame:action.refresh')}
              onClick={() => void refresh().catch(() => undefined)}
              data-refresh
            >
              <IconRefresh size={16} stroke={1.75} />
            </ActionIcon>
          </>
        }
      />
      {state.isError && <ErrorPanel error={state.error} onRetry={() => void state.refetch()} />}
      <div className={classes.top}>
        {found ? <Dependencies system={found} /> : state.isPending && <Skeleton height={58} />}
        {found ? <WarningList warnings={found.warnings} /> : state.isPending && <Skeleton height={44} />}
      </div>
      <div className={classes.sections}>
        <NodeTable nodes={found?.nodes ?? []} state={table} />
        <ChannelTable channels={found?.channels ?? []} latency={byChannel} state={table} />
        <AddressCheck />
        <JobTable nodes={found?.nodes ?? []} state={table} />
      </div>
    </>
  );
}

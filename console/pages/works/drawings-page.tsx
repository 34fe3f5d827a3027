/** The drawing log (console.md 6.15). */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { works as endpoints } from '../../../daemon/contract/works.ts';
import { callsFor } from '../../api/client.ts';
import { useList } from '../../api/use-list.ts';
import { usePoll } from '../../api/use-poll.ts';
import { DataTable } from '../../components/data-table.tsx';
import { FilterBar, type FilterField } from '../../components/filter-bar.tsx';
import { EmptyState, PageHeader } from '../../components/section.tsx';
import { isAdmin as isAdministrator, isRoot, useUser } from '../../session/session.ts';
import { useStatus } from '../../session/status.ts';
import { drawingColumns } from './drawing-columns.tsx';
import { type Opened, WorkDialog } from './work-dialogs.tsx';
import { drawingTimes, isUnfinished, refreshMs } from './work-facts.ts';
import classes from './works.module.css';

const works = callsFor(endpoints);

const defaults = { range: '30d', channel_id: '', mj_id: '' };

export function Page() {
  const { t } = useTranslation(['works', 'frame']);
  const user = useUser();
  const isAdmin = isAdministrator(user);
  const status = useStatus();
  const list = useList({ filters: defaults });
  const { values, page, size, input } = list;
  const [opened, setOpened] = useState<Opened>();
  const rows = useQuery({
    queryKey: ['drawings', isAdmin, values, input],
    queryFn: ({ signal }) => {
      const filter = { ...drawingTimes(values.range), mj_id: values.mj_id, ...input };
      if (!isAdmin) return works.ownDrawings(filter, { signal });
      const channel = values.channel_id === '' ? {} : { channel_id: Number(values.channel_id) };
      return works.drawings({ ...filter, ...channel }, { signal });
    },
    placeholderData: keepPreviousData,
  });
  usePoll(() => rows.refetch({ throwOnError: true }), rows.data?.items.some(isUnfinished) ? refreshMs : undefined);

  const columns = useMemo(() => drawingColumns({ t, isAdmin, onOpen: setOpened }), [t, isAdmin]);
  const fields = useMemo<readonly FilterField[]>(
    () => [
      { key: 'range', label: t('filter.range'), kind: 'range', initial: defaults.range },
      ...(isAdmin ? [{ key: 'channel_id', label: t('filter.channel'), kind: 'number' } as const] : []),
      { key: 'mj_id', label: t('filter.task'), kind: 'text' },
    ],
    [t, isAdmin],
  );
  return (
    <>
      <PageHeader title={t('frame:page.drawings')} />
      {isAdmin && status?.mj_notify_enabled === false ? (
        <p className={classes.banner} role="status">
          {t('banner.text')}{' '}
          {isRoot(user) ? <Link to="/setting?tab=operation&section=drawing">{t('banner.act')}</Link> : null}
        </p>
      ) : null}
      <FilterBar
        list="drawing"
        fields={fields}
        values={values}
        onApply={list.setFilters}
        onReset={list.resetFilters}
        onRefresh={() => void rows.refetch()}
        isRefreshing={rows.isFetching}
      />
      <DataTable
        label={t('frame:page.drawings')}
        rows={rows.data?.items ?? []}
        rowKey={({ id }) => String(id)}
        columns={columns}
        page={page}
        size={size}
        {...(rows.data && { total: rows.data.total })}
        onPage={list.setPage}
        onSize={list.setSize}
        state={{
          isLoading: rows.isPending,
          isStale: rows.isPlaceholderData,
          error: rows.error,
          onRetry: () => void rows.refetch(),
        }}
        empty={<EmptyState text={t('empty.drawings')} />}
        hasFilters={list.hasFilters}
        onClearFilters={list.resetFilters}
        storageKey="drawings-table-columns"
      />
      <WorkDialog opened={opened} onClose={() => setOpened(undefined)} />
    </>
  );
}

/** The task log (console.md 6.16). */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { works as endpoints } from '../../../daemon/contract/works.ts';
import { callsFor } from '../../api/client.ts';
import { useList } from '../../api/use-list.ts';
import { usePoll } from '../../api/use-poll.ts';
import { DataTable } from '../../components/data-table.tsx';
import { type EnumerationKind, enumerations } from '../../components/enumerations.ts';
import { FilterBar, type FilterField } from '../../components/filter-bar.tsx';
import { EmptyState, PageHeader } from '../../components/section.tsx';
import { isAdmin as isAdministrator, useUser } from '../../session/session.ts';
import { taskColumns } from './task-columns.tsx';
import { type Opened, WorkDialog } from './work-dialogs.tsx';
import { isUnfinished, refreshMs, taskTimes } from './work-facts.ts';

const works = callsFor(endpoints);

const defaults = { range: 'today', channel_id: '', task_id: '', platform: '', action: '', status: '' };

export function Page() {
  const { t } = useTranslation(['works', 'frame']);
  const isAdmin = isAdministrator(useUser());
  const list = useList({ filters: defaults });
  const { values, page, size, input } = list;
  const [opened, setOpened] = useState<Opened>();
  const rows = useQuery({
    queryKey: ['tasks', isAdmin, values, input],
    queryFn: ({ signal }) => {
      const { range, channel_id, ...texts } = values;
      const filter = { ...taskTimes(range), ...texts, ...input };
      if (!isAdmin) return works.ownTasks(filter, { signal });
      return works.tasks({ ...filter, ...(channel_id === '' ? {} : { channel_id: Number(channel_id) }) }, { signal });
    },
    placeholderData: keepPreviousData,
  });
  usePoll(() => rows.refetch({ throwOnError: true }), rows.data?.items.some(isUnfinished) ? refreshMs : undefined);

  const columns = useMemo(() => taskColumns({ t, isAdmin, onOpen: setOpened }), [t, isAdmin]);
  return (
    <>
      <PageHeader title={t('frame:page.tasks')} />
      <FilterBar
        list="task"
        fields={useFields(isAdmin)}
        values={values}
        onApply={list.setFilters}
        onReset={list.resetFilters}
        onRefresh={() => void rows.refetch()}
        isRefreshing={rows.isFetching}
      />
      <DataTable
        label={t('frame:page.tasks')}
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
        empty={<EmptyState text={t('empty.tasks')} />}
        hasFilters={list.hasFilters}
        onClearFilters={list.resetFilters}
        storageKey="tasks-table-columns"
      />
      <WorkDialog opened={opened} onClose={() => setOpened(undefined)} />
    </>
  );
}

function useFields(isAdmin: boolean): readonly FilterField[] {
  const { t } = useTranslation(['works', 'enumerations']);
  return useMemo(() => {
    // The call takes "" for "any", so a state without a name cannot be asked for.
    const options = (kind: EnumerationKind) =>
      Object.entries(enumerations[kind].values)
        .filter(([value]) => value !== '')
        .map(([value, { label }]) => ({ value, label: t(`enumerations:label.${label}`) }));
    return [
      { key: 'range', label: t('filter.range'), kind: 'range', initial: defaults.range },
      ...(isAdmin ? [{ key: 'channel_id', label: t('filter.channel'), kind: 'number' } as const] : []),
      { key: 'task_id', label: t('filter.task'), kind: 'text' },
      { key: 'platform', label: t('filter.platform'), kind: 'select', options: options('taskPlatform') },
      { key: 'action', label: t('filter.action'), kind: 'select', options: options('taskAction') },
      { key: 'status', label: t('filter.status'), kind: 'select', options: options('taskStatus') },
    ];
  }, [t, isAdmin]);
}

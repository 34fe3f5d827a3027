/** The task log (console.md 6.16). */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { works as endpoints } from '../../../daemon/contract/works.ts';
import { callsFor } from '../../api/client.ts';
import { useList } from '../../api/use-list.ts';
import { type EnumerationKind, enumerations } from '../../components/enumerations.ts';
import type { FilterField } from '../../components/filter-bar.tsx';
import { PageHeader } from '../../components/section.tsx';
import { isAdmin as isAdministrator, useUser } from '../../session/session.ts';
import { taskColumns } from './task-columns.tsx';
import { taskTimes } from './work-facts.ts';
import { WorkList } from './work-list.tsx';

const works = callsFor(endpoints);

const defaults = { range: 'today', channel_id: '', task_id: '', platform: '', action: '', status: '' };

export function Page() {
  const { t } = useTranslation(['works', 'frame']);
  const isAdmin = isAdministrator(useUser());
  const list = useList({ filters: defaults });
  const { values, input } = list;
  const fields = useFields(isAdmin);
  const rows = useQuery({
    queryKey: ['tasks', isAdmin, values, input],
    queryFn: ({ signal }) => {
      const { range, channel_id, ...texts } = values;
      const filter = { ...taskTimes(range), ...texts, ...input };
      if (!isAdmin) return works.ownTasks(filter, { signal });
      return works.tasks({ ...filter, channel_id }, { signal });
    },
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader title={t('frame:page.tasks')} />
      <WorkList kind="task" list={list} rows={rows} fields={fields} columnsOf={taskColumns} isAdmin={isAdmin} />
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

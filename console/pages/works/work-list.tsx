/** What both lists of works show below their heading: filters, table, what opens from it; asked anew while works go on. */
import type { UseQueryResult } from '@tanstack/react-query';
import { Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AnyListState } from '../../api/use-list.ts';
import { usePoll } from '../../api/use-poll.ts';
import { DataTable } from '../../components/data-table.tsx';
import type { Column } from '../../components/data-table-types.ts';
import { FilterBar, type FilterField } from '../../components/filter-bar.tsx';
import { lazyPart } from '../../components/late-part.tsx';
import { listView } from '../../components/list-view.ts';
import { EmptyState } from '../../components/section.tsx';
import type { WorkColumns } from './work-columns.tsx';
import type { Opened } from './work-dialogs.tsx';
import { isUnfinished, refreshMs } from './work-facts.ts';

const WorkDialog = lazyPart(() => import('./work-dialogs.tsx').then((module) => ({ default: module.WorkDialog })));

interface WorkListProps<Row> {
  readonly kind: 'drawing' | 'task';
  readonly list: AnyListState;
  readonly rows: UseQueryResult<{ readonly items: readonly Row[]; readonly total: number }>;
  readonly fields: readonly FilterField[];
  /** Stands outside any component, so that it is the same at each draw. */
  readonly columnsOf: (deps: WorkColumns) => readonly Column<Row>[];
  readonly isAdmin: boolean;
}

export function WorkList<Row extends { readonly id: number; readonly status: string }>({
  kind,
  list,
  rows,
  fields,
  columnsOf,
  isAdmin,
}: WorkListProps<Row>) {
  const { t } = useTranslation(['works', 'frame']);
  const [opened, setOpened] = useState<Opened>();
  usePoll(() => rows.refetch({ throwOnError: true }), rows.data?.items.some(isUnfinished) ? refreshMs : undefined);
  const columns = useMemo(() => columnsOf({ t, isAdmin, onOpen: setOpened }), [columnsOf, t, isAdmin]);
  const view = listView(list, rows);
  return (
    <>
      <FilterBar list={kind} fields={fields} {...view.filters} />
      <DataTable
        label={t(`frame:page.${kind}s`)}
        {...view.table}
        state={{ ...view.table.state, isStale: rows.isPlaceholderData }}
        rowKey={({ id }) => String(id)}
        columns={columns}
        empty={<EmptyState text={t(`empty.${kind}s`)} />}
        storageKey={`${kind}s-table-columns`}
      />
      {opened && (
        <Suspense fallback={null}>
          <WorkDialog opened={opened} onClose={() => setOpened(undefined)} />
        </Suspense>
      )}
    </>
  );
}

/** Tags as rows, each opening into its channels (console.md 6.9 "Tag aggregation"). */
import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { showFailure } from '../../api/failures.ts';
import { DataTable, type DataTableProps } from '../../components/data-table.tsx';
import type { Column, RowAction } from '../../components/data-table-types.ts';
import { lazyPart } from '../../components/late-part.tsx';
import { Quota } from '../../components/quota.tsx';
import { ResponseTimeTag, Tag } from '../../components/tag.tsx';
import { toast } from '../../components/toast.ts';
import { GroupsCell } from './cells.tsx';
import { channels } from './channel-calls.ts';
import { ChannelTable, type ChannelTableProps } from './channel-table.tsx';
import { NumberCell } from './number-cell.tsx';
import classes from './page.module.css';
import type { TagRow } from './tag-rows.ts';
import { patchRows, refreshRows } from './use-channels.ts';
import { lowestPriority } from './whole-number.ts';

// Brings the form with it.
const TagDrawer = lazyPart(() => import('./tag-drawer.tsx').then((m) => ({ default: m.TagDrawer })));

export interface TagTableProps
  extends Pick<DataTableProps<TagRow>, 'label' | 'rows' | 'state' | 'empty' | 'toolbar'>,
    Required<Pick<DataTableProps<TagRow>, 'total' | 'page' | 'size' | 'onPage' | 'onSize'>>,
    Pick<ChannelTableProps, 'acts' | 'open' | 'selection'> {}

/** Not a number: keys of channels are, and the tables stand in each other. */
const rowKey = ({ tag }: TagRow) => `tag:${tag}`;

export function TagTable({ acts, open, selection, ...table }: TagTableProps) {
  const { t } = useTranslation('channels');
  const { changeAll, setStatus } = useTagActs();
  const [edited, setEdited] = useState<TagRow>();
  const columns = useMemo<Column<TagRow>[]>(
    () => [
      { key: 'tag', title: t('column.tag'), width: 160, pin: 'start', card: 'title', cell: ({ tag }) => tag },
      {
        key: 'count',
        title: t('column.channels'),
        width: 100,
        card: 'status',
        cell: ({ channels: members, enabled }) => (
          <Tag tone={enabled === 0 ? 'red' : 'green'} title={t('tag.enabledOf', { enabled, count: members.length })}>
            {enabled}/{members.length}
          </Tag>
        ),
      },
      {
        key: 'group',
        title: t('column.group'),
        width: 140,
        card: 'meta',
        cell: ({ groups }) => <GroupsCell groups={groups} />,
      },
      {
        key: 'response_time',
        title: t('column.responseTime'),
        width: 100,
        card: 'figure',
        cell: ({ responseTime }) => <ResponseTimeTag ms={responseTime} title={t('tag.average')} />,
      },
      {
        key: 'money',
        title: t('column.used'),
        align: 'right',
        card: 'figure',
        cell: ({ usedQuota }) => <Quota value={usedQuota} />,
      },
      {
        key: 'priority',
        title: t('column.priority'),
        width: 80,
        align: 'right',
        cell: (row) => (
          <NumberCell
            value={row.priority}
            mixed={t('tag.mixed')}
            lowest={lowestPriority}
            label={t('priorityOf', { name: row.tag })}
            refusal={t('problem.priority')}
            tooLow={t('problem.priorityLow')}
            onSave={(value) => void changeAll(row, { priority: value })}
          />
        ),
      },
      {
        key: 'weight',
        title: t('column.weight'),
        width: 80,
        align: 'right',
        cell: (row) => (
          <NumberCell
            value={row.weight}
            mixed={t('tag.mixed')}
            lowest={0}
            label={t('weightOf', { name: row.tag })}
            refusal={t('problem.weight')}
            onSave={(value) => void changeAll(row, { weight: value })}
          />
        ),
      },
    ],
    [t, changeAll],
  );
  const rowActions = useCallback(
    (row: TagRow): RowAction[] => [
      { key: 'enable', label: t('act.enableAll'), isDirect: true, onAct: () => void setStatus(row, 1) },
      { key: 'disable', label: t('act.disableAll'), isDirect: true, onAct: () => void setStatus(row, 2) },
      { key: 'edit', label: t('act.editTag'), isDirect: true, onAct: () => setEdited(row) },
    ],
    [t, setStatus],
  );
  const expand = useCallback(
    (row: TagRow) => (
      <div className={classes.members}>
        <ChannelTable
          label={t('tag.channelsOf', { tag: row.tag })}
          rows={row.channels}
          state={{ isLoading: false }}
          empty={null}
          acts={acts}
          open={open}
          {...(selection ? { selection } : {})}
        />
      </div>
    ),
    [t, acts, open, selection],
  );
  return (
    <>
      <DataTable
        {...table}
        columns={columns}
        rowKey={rowKey}
        rowActions={rowActions}
        expand={expand}
        storageKey="columns:channel-tags"
      />
      <Suspense fallback={null}>
        {edited && <TagDrawer key={edited.tag} tag={edited} onClose={() => setEdited(undefined)} />}
      </Suspense>
    </>
  );
}

function useTagActs() {
  const { t } = useTranslation('channels');
  const client = useQueryClient();
  return useMemo(() => {
    const idsOf = (row: TagRow) => new Set(row.channels.map(({ id }) => id));
    /** The channels of a tag take one value; what they had is put back one by one. */
    const changeAll = async (row: TagRow, wish: { priority: number } | { weight: number }): Promise<void> => {
      patchRows(client, idsOf(row), wish);
      try {
        const count = await channels.editTag({ tag: row.tag, ...wish });
        const undo = async () => {
          for (const { id, priority, weight } of row.channels) {
            await channels.update({ id, ...('priority' in wish ? { priority } : { weight }) });
          }
          await refreshRows(client);
        };
        toast.success(t('tag.changed', { count, tag: row.tag }), { undo });
      } catch (error) {
        showFailure(error);
      }
      await refreshRows(client);
    };
    const switchAll = async (row: TagRow, status: 1 | 2): Promise<void> => {
      const before = row.channels.map(({ id, status: own }) => ({ id, status: own }));
      patchRows(client, idsOf(row), { status });
      try {
        const call = status === 1 ? channels.enableTag : channels.disableTag;
        const count = await call({ tag: row.tag });
        const undo = async () => {
          // Those that were disabled automatically come back as disabled by hand: nobody but the daemon sets the other.
          for (const { id, status: own } of before) {
            if (own !== status) await channels.setStatus({ id, status: own === 1 ? 1 : 2 });
          }
          await refreshRows(client);
        };
        toast.success(t(status === 1 ? 'done.enabledMany' : 'done.disabledMany', { count }), { undo });
      } catch (error) {
        showFailure(error);
      }
      await refreshRows(client);
    };
    return { changeAll, setStatus: switchAll };
  }, [client, t]);
}

/** Redemption codes (console.md 6.12): made, given out, taken back. */
import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDots, IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Suspense, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/Menu.css';
import type { RedemptionView } from '../../../daemon/contract/redemptions.ts';
import { showFailure } from '../../api/failures.ts';
import { useAddress, withMembers } from '../../api/use-address.ts';
import { useList } from '../../api/use-list.ts';
import { useCopy } from '../../components/copy.tsx';
import { downloadFile } from '../../components/csv-download.ts';
import { DataTable } from '../../components/data-table.tsx';
import type { RowAction } from '../../components/data-table-types.ts';
import { FilterBar, type FilterField } from '../../components/filter-bar.tsx';
import { lazyPart } from '../../components/late-part.tsx';
import { listView } from '../../components/list-view.ts';
import { EmptyState, PageHeader } from '../../components/section.tsx';
import { CodeDialog } from './code-dialog.tsx';
import { redemptionColumns } from './columns.tsx';
import { codeStatus, isUsedUp, redemptions, redemptionsKey } from './redemption-calls.ts';
import classes from './redemptions.module.css';
import { useRedemptionActs } from './use-redemption-acts.ts';
import { UsesList } from './uses-list.tsx';

const RedemptionDrawer = lazyPart(() =>
  import('./redemption-drawer.tsx').then((module) => ({ default: module.RedemptionDrawer })),
);
const DeleteByNameDialog = lazyPart(() =>
  import('./delete-by-name-dialog.tsx').then((module) => ({ default: module.DeleteByNameDialog })),
);

const defaults = { keyword: '', status: '', kind: '' };
/** Parameter of the address: `new`, or the id of the code whose drawer is open. */
const openParameter = 'open';

function filterOf({ keyword, status, kind }: Readonly<typeof defaults>) {
  return {
    ...(keyword === '' ? {} : { keyword }),
    ...(status === '' ? {} : { status: Number(status) }),
    ...(kind === '' ? {} : { is_gift: kind === 'gift' }),
  };
}

export function Page() {
  const { t } = useTranslation(['redemptions', 'frame', 'enumerations']);
  const list = useList({ filters: defaults });
  const [search, setAddress] = useAddress();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [viewed, setViewed] = useState<RedemptionView>();
  const [isDeletingByName, setDeletingByName] = useState(false);
  const acts = useRedemptionActs();
  const copy = useCopy();
  const rows = useQuery({
    queryKey: [redemptionsKey, 'list', list.values, list.input],
    queryFn: ({ signal }) => redemptions.list({ ...filterOf(list.values), ...list.input }, { signal }),
    placeholderData: keepPreviousData,
  });
  const chosen = useSeenRows(rows.data?.items, selected);
  const columns = useMemo(() => redemptionColumns(t), [t]);
  const open = search.get(openParameter);
  const setOpen = (value: string | undefined) =>
    setAddress((now) => withMembers(now, { [openParameter]: value ?? '' }));

  const rowActions = (row: RedemptionView): readonly RowAction[] => [
    { key: 'view', label: t('frame:action.view'), isDirect: true, onAct: () => setViewed(row) },
    {
      key: 'edit',
      label: t('frame:action.edit'),
      isDirect: true,
      onAct: () => setOpen(String(row.id)),
      refused: row.status === codeStatus.unused ? undefined : t('refused.edit'),
    },
    row.status === codeStatus.unused
      ? {
          key: 'disable',
          label: t('frame:action.disable'),
          isDirect: true,
          onAct: () => void acts.setStatus(row, codeStatus.disabled),
        }
      : {
          key: 'enable',
          label: t('frame:action.enable'),
          isDirect: true,
          onAct: () => void acts.setStatus(row, codeStatus.unused),
          refused: row.status === codeStatus.used ? t('refused.enable') : undefined,
        },
    { key: 'copy', label: t('frame:action.copy'), onAct: () => void copy(row.key, { isSecret: true }) },
    {
      key: 'delete',
      label: t('frame:action.delete'),
      isDanger: true,
      onAct: async () => {
        if (await acts.remove(row)) setSelected((keys) => new Set([...keys].filter((key) => key !== String(row.id))));
      },
    },
  ];

  /** Of many codes that are gone, those that were selected are not known here. */
  const clearSelection = () => setSelected(new Set());

  const exportCodes = async (format: 'text' | 'csv' | 'json') => {
    try {
      const answer = await redemptions.export({ ...filterOf(list.values), format });
      const ending = format === 'text' ? 'txt' : format;
      downloadFile(`redemption-codes.${ending}`, await answer.blob(), answer.headers.get('content-type') ?? '');
    } catch (error) {
      showFailure(error);
    }
  };

  const add = (
    <Button leftSection={<IconPlus size={16} stroke={1.75} />} onClick={() => setOpen('new')}>
      {t('add')}
    </Button>
  );
  const view = listView(list, rows, () => void acts.refresh());
  return (
    <>
      <PageHeader
        title={t('frame:page.redemptions')}
        primary={add}
        secondary={
          <Menu>
            <Menu.Target>
              <ActionIcon
                variant="default"
                size={36}
                aria-label={t('frame:action.more')}
                title={t('frame:action.more')}
              >
                <IconDots size={16} stroke={1.75} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => void exportCodes('text')}>{t('export.text')}</Menu.Item>
              <Menu.Item onClick={() => void exportCodes('csv')}>{t('export.csv')}</Menu.Item>
              <Menu.Item onClick={() => void exportCodes('json')}>{t('export.json')}</Menu.Item>
              <Menu.Divider />
              <Menu.Item color="red" onClick={() => setDeletingByName(true)}>
                {t('deleteByName.act')}
              </Menu.Item>
              <Menu.Item
                color="red"
                onClick={async () => {
                  if (await acts.removeDisabled()) clearSelection();
                }}
              >
                {t('deleteDisabled')}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        }
      />
      <FilterBar list="redemption" fields={useFields()} {...view.filters} />
      <DataTable
        label={t('frame:page.redemptions')}
        {...view.table}
        rowKey={(row) => String(row.id)}
        columns={columns}
        selection={{ keys: selected, onChange: setSelected }}
        toolbar={
          <div className={classes.acts}>
            <Button variant="default" size="xs" onClick={() => void acts.copySelected(chosen)}>
              {t('copySelected')}
            </Button>
            <Button
              variant="default"
              size="xs"
              onClick={async () => {
                if (await acts.disableSelected(chosen)) clearSelection();
              }}
            >
              {t('disableSelected')}
            </Button>
          </div>
        }
        expand={(row) => <UsesList row={row} />}
        rowActions={rowActions}
        rowTone={(row) => (isUsedUp(row) ? 'muted' : undefined)}
        empty={<EmptyState text={t('empty')}>{add}</EmptyState>}
        storageKey="columns:redemptions"
      />
      {viewed && <CodeDialog row={viewed} onClose={() => setViewed(undefined)} />}
      <Suspense fallback={null}>
        {open !== null && (
          <RedemptionDrawer
            key={open}
            id={open === 'new' ? undefined : Number(open)}
            known={rows.data?.items.find((row) => String(row.id) === open)}
            onClose={() => setOpen(undefined)}
          />
        )}
        {isDeletingByName && (
          <DeleteByNameDialog
            onClose={() => setDeletingByName(false)}
            onDeleted={() => {
              clearSelection();
              void acts.refresh();
            }}
          />
        )}
      </Suspense>
    </>
  );
}

/** The selected rows, of other pages too: as they were when they were on screen. */
function useSeenRows(rows: readonly RedemptionView[] | undefined, selected: ReadonlySet<string>) {
  const seen = useRef(new Map<string, RedemptionView>());
  for (const row of rows ?? []) seen.current.set(String(row.id), row);
  return [...selected].flatMap((key) => seen.current.get(key) ?? []);
}

function useFields(): readonly FilterField[] {
  const { t } = useTranslation(['redemptions', 'frame', 'enumerations']);
  return useMemo(
    () => [
      { key: 'keyword', label: t('filter.keyword'), kind: 'text', width: 280 },
      {
        key: 'status',
        label: t('column.status'),
        kind: 'select',
        width: 140,
        options: [
          { value: String(codeStatus.unused), label: t('enumerations:label.unused') },
          { value: String(codeStatus.disabled), label: t('enumerations:label.disabled') },
          { value: String(codeStatus.used), label: t('enumerations:label.used') },
        ],
      },
      {
        key: 'kind',
        label: t('filter.kind'),
        kind: 'select',
        width: 140,
        options: [
          { value: 'single', label: t('kind.single') },
          { value: 'gift', label: t('kind.gift') },
        ],
      },
    ],
    [t],
  );
}

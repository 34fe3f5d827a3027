/** Channels: the list with its filters, and what is opened over it (console.md 6.9). */
import { Button, Switch } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Switch.css';
import '@mantine/core/styles/UnstyledButton.css';
import { IconPlus } from '@tabler/icons-react';
import { Suspense, useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate, useParams } from 'react-router-dom';
import { useDisabledChannels } from '../../api/use-disabled-channels.ts';
import { useList } from '../../api/use-list.ts';
import { FilterBar } from '../../components/filter-bar.tsx';
import { lazyPart } from '../../components/late-part.tsx';
import { EmptyState, PageHeader } from '../../components/section.tsx';
import { ChannelPanels } from './channel-panels.tsx';
import { ChannelTable } from './channel-table.tsx';
import { HeaderActs } from './header-acts.tsx';
import classes from './page.module.css';
import { useChannelActs } from './use-channel-acts.ts';
import { useChannelFilters } from './use-channel-filters.ts';
import { filterDefaults, useChannels, wideSearch } from './use-channels.ts';
import { usePanel } from './use-panel.ts';
import { useTableTaste } from './use-table-taste.ts';

const BatchActs = lazyPart(() => import('./batch-acts.tsx').then((m) => ({ default: m.BatchActs })));
const TagTable = lazyPart(() => import('./tag-table.tsx').then((m) => ({ default: m.TagTable })));
const ChannelEditor = lazyPart(() => import('./channel-editor.tsx').then((m) => ({ default: m.ChannelEditor })));
const ImportDialog = lazyPart(() => import('./import-dialog.tsx').then((m) => ({ default: m.ImportDialog })));
const ExportDialog = lazyPart(() => import('./export-dialog.tsx').then((m) => ({ default: m.ExportDialog })));

export function Page() {
  const { t } = useTranslation(['channels', 'list']);
  const { pathname, search } = useLocation();
  const { id } = useParams();
  const navigate = useNavigate();
  const list = useList({ filters: filterDefaults });
  const { isBatch, setBatch, setSwitch } = useTableTaste(list);
  const { values } = list;
  const data = useChannels(values, list.input);
  const fields = useChannelFilters(data.typeCounts);
  const { panel, open, close } = usePanel();
  const [file, setFile] = useState<'import' | 'export'>();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const ids = useMemo(() => [...selected].map(Number), [selected]);
  const drop = useCallback(
    (gone: number) => setSelected((keys) => new Set([...keys].filter((key) => key !== String(gone)))),
    [],
  );
  const acts = useChannelActs(drop);

  const isTagMode = values.tag_mode === 'true';
  const isFiltered = fields.some(({ key }) => (values as Record<string, string>)[key] !== '');
  const broken = useDisabledChannels(true);
  // The switches are no filters: they stay.
  const reset = () => list.setFilters({ ...filterDefaults, id_sort: values.id_sort, tag_mode: values.tag_mode });
  // In place of the editor's address, so that Back does not open it again.
  const closeEditor = () => navigate(`/channel${search}`, { replace: true });
  const batchActs = (
    <Suspense fallback={null}>
      <BatchActs
        ids={ids}
        onDone={() => setSelected(new Set())}
        onRefused={(refused) => setSelected(new Set(refused.map(String)))}
      />
    </Suspense>
  );
  // The tables that tags open into share what is selected, and so its buttons.
  const selection = isBatch
    ? { keys: selected, onChange: setSelected, ...(isTagMode ? {} : ({ actions: batchActs, bar: 'always' } as const)) }
    : undefined;
  const addButton = (
    <Button component={Link} to={`/channel/add${search}`} leftSection={<IconPlus size={16} stroke={1.75} />}>
      {t('act.add')}
    </Button>
  );
  const shared = {
    label: t('title'),
    state: { isLoading: data.isLoading, isStale: data.isStale, error: data.error, onRetry: data.refetch },
    empty: isFiltered ? (
      <EmptyState text={t('list:empty.filtered')}>
        <Button variant="default" size="xs" onClick={reset}>
          {t('list:filter.clear')}
        </Button>
      </EmptyState>
    ) : (
      <EmptyState text={t(isTagMode ? 'emptyTags' : 'empty')}>{addButton}</EmptyState>
    ),
    toolbar: (
      <div className={classes.switches}>
        <Switch
          label={t('switch.idSort')}
          checked={values.id_sort === 'true'}
          onChange={(event) => setSwitch('id_sort', event.currentTarget.checked)}
        />
        <Switch
          label={t('switch.tagMode')}
          checked={isTagMode}
          onChange={(event) => setSwitch('tag_mode', event.currentTarget.checked)}
        />
        <Switch
          label={t('switch.batch')}
          checked={isBatch}
          onChange={(event) => {
            setBatch(event.currentTarget.checked);
            setSelected(new Set());
          }}
        />
        {isTagMode && isBatch && batchActs}
      </div>
    ),
    acts,
    open,
    ...(selection ? { selection } : {}),
  };
  const paging = {
    total: data.total,
    page: list.page,
    size: list.size,
    onPage: list.setPage,
    onSize: list.setSize,
  };
  return (
    <>
      <PageHeader
        title={t('title')}
        primary={addButton}
        secondary={
          <HeaderActs
            onDeleted={() => setSelected(new Set())}
            onImport={() => setFile('import')}
            onExport={() => setFile('export')}
            onExplain={() => open('why')}
          />
        }
      />
      <FilterBar
        list="channel"
        fields={fields}
        values={values}
        onApply={list.setFilters}
        onReset={reset}
        onRefresh={data.refetch}
        isRefreshing={data.isStale}
      />
      {data.found !== undefined && data.found > wideSearch && (
        <p className={classes.line} role="status">
          {t('wideSearch', { count: data.found })}
        </p>
      )}
      {broken > 0 && list.sort === undefined && values.status === '' && (
        <div className={classes.notice} role="status">
          {t('broken', { count: broken })}
          <button type="button" onClick={() => list.setFilters({ status: 'auto' })}>
            {t('brokenShow')}
          </button>
        </div>
      )}
      {isTagMode ? (
        <Suspense fallback={null}>
          <TagTable {...shared} {...paging} rows={data.tags} />
        </Suspense>
      ) : (
        <ChannelTable {...shared} paging={paging} rows={data.rows} />
      )}
      {data.untagged !== undefined && data.untagged > 0 && (
        <p className={classes.line}>{t('untagged', { count: data.untagged })}</p>
      )}
      <Suspense fallback={null}>
        {(pathname === '/channel/add' || id !== undefined) && (
          <ChannelEditor key={id ?? 'new'} id={id === undefined ? undefined : Number(id)} onClose={closeEditor} />
        )}
        {panel && <ChannelPanels panel={panel} onClose={close} />}
        {file === 'import' && <ImportDialog onClose={() => setFile(undefined)} />}
        {file === 'export' && <ExportDialog filters={values} ids={ids} onClose={() => setFile(undefined)} />}
      </Suspense>
    </>
  );
}

/** All models that have an entry in any price map, to be edited in a table. */
import { Button, Select, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import { DataTable } from '../../../components/data-table.tsx';
import { ApplyEdits } from './apply-edits.tsx';
import { enabledModelsQuery } from './enabled-models.ts';
import { type PriceRow, priceColumns } from './price-columns.tsx';
import { PriceDialog } from './price-dialog.tsx';
import { hasFigures, isConflict, type PriceEntry } from './price-entry.ts';
import classes from './prices.module.css';
import type { PriceEditing } from './use-price-edits.ts';

const filters = ['all', 'conflict', 'byCall', 'enabled', 'unused'] as const;
type Filter = (typeof filters)[number];

const pageSize = 10;

export function VisualPrices({ editing }: { editing: PriceEditing }) {
  const { t } = useTranslation(['settings-prices', 'frame']);
  const enabled = useQuery(enabledModelsQuery);
  const [search, setSearch] = useState('');
  const [filter, setFilter] = useState<Filter>('all');
  const [page, setPage] = useState(1);
  const [open, setOpen] = useState<{ readonly name?: string }>();
  // Which prices are of use is known once the channels are.
  const asksChannels = filter === 'enabled' || filter === 'unused';
  const offered = useMemo(() => new Set(enabled.data), [enabled.data]);
  const passes = ({ name, entry }: PriceRow): boolean => {
    if (!name.toLowerCase().includes(search.trim().toLowerCase())) return false;
    switch (filter) {
      case 'all':
        return true;
      case 'conflict':
        return isConflict(entry);
      case 'byCall':
        return entry.price !== undefined;
      case 'enabled':
        return offered.has(name);
      case 'unused':
        return enabled.isSuccess && !offered.has(name);
    }
  };
  const rows = [...editing.entries]
    .map(([name, entry]): PriceRow => ({ name, entry }))
    .filter(({ entry }) => hasFigures(entry))
    .filter(passes);
  const columns = useMemo(() => priceColumns(editing, t), [editing, t]);
  const narrow = (change: () => void) => {
    change();
    setPage(1);
  };
  return (
    <>
      <div className={classes.acts}>
        <TextInput
          className={classes.grow ?? ''}
          aria-label={t('search')}
          placeholder={t('search')}
          value={search}
          onChange={(event) => narrow(() => setSearch(event.currentTarget.value))}
        />
        <Select
          aria-label={t('filter.label')}
          value={filter}
          data={filters.map((value) => ({ value, label: t(`filter.${value}`) }))}
          onChange={(value) => narrow(() => setFilter(filters.find((known) => known === value) ?? 'all'))}
        />
        <span className={classes.space} />
        <Button
          variant="default"
          leftSection={<IconPlus size={16} stroke={1.75} aria-hidden />}
          onClick={() => setOpen({})}
        >
          {t('dialog.add')}
        </Button>
      </div>
      <DataTable
        label={t('tab.visual')}
        rows={rows.slice((page - 1) * pageSize, page * pageSize)}
        rowKey={({ name }) => name}
        columns={columns}
        total={rows.length}
        page={page}
        size={pageSize}
        onPage={setPage}
        rowActions={({ name }) => [
          { key: 'edit', label: t('frame:action.edit'), isDirect: true, onAct: () => setOpen({ name }) },
          {
            key: 'delete',
            label: t('frame:action.delete'),
            isDanger: true,
            isDirect: true,
            onAct: () => editing.set([[name, {}]]),
          },
        ]}
        rowTone={({ name }) => (editing.isEdited(name) ? 'changed' : undefined)}
        state={
          asksChannels
            ? { isLoading: enabled.isPending, error: enabled.error, onRetry: () => void enabled.refetch() }
            : { isLoading: false }
        }
        empty={t('frame:state.noMatch')}
        storageKey="columns:prices"
      />
      <ApplyEdits editing={editing} />
      {open && (
        <PriceDialog
          {...(open.name === undefined ? {} : { name: open.name })}
          entries={editing.entries}
          isTaken={(name) => hasFigures(editing.entries.get(name))}
          onClose={() => setOpen(undefined)}
          onSave={(name: string, entry: PriceEntry) => editing.set([[name, entry]])}
        />
      )}
    </>
  );
}

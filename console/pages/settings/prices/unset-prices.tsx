/** Models that are offered and have neither price nor ratio: calls to them are refused. */
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import { DataTable } from '../../../components/data-table.tsx';
import { toast } from '../../../components/toast.ts';
import { ApplyEdits } from './apply-edits.tsx';
import { BatchDialog } from './batch-dialog.tsx';
import { enabledModelsQuery } from './enabled-models.ts';
import { type PriceRow, priceColumns } from './price-columns.tsx';
import { PriceDialog } from './price-dialog.tsx';
import { hasFigures, inputPriceOf, isUnpriced, outputPriceOf, type PriceEntry } from './price-entry.ts';
import classes from './prices.module.css';
import type { PriceEditing } from './use-price-edits.ts';

export function UnsetPrices({ editing }: { editing: PriceEditing }) {
  const { t } = useTranslation(['settings-prices', 'frame']);
  const enabled = useQuery(enabledModelsQuery);
  const [page, setPage] = useState(1);
  const [size, setSize] = useState(10);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<{ readonly name?: string }>();
  const [isBatch, setIsBatch] = useState(false);
  const { stored, shipped, entries, set } = editing;
  const rows = useMemo(
    () =>
      [...new Set(enabled.data)]
        .filter((name) => isUnpriced(stored.get(name)))
        .sort()
        .map((name): PriceRow => ({ name, entry: entries.get(name) ?? {} })),
    [enabled.data, stored, entries],
  );
  // A model that has got its price is no row any more, and no choice of the next batch.
  const chosen = useMemo(
    () => new Set(rows.map(({ name }) => name).filter((name) => selected.has(name))),
    [rows, selected],
  );
  const columns = useMemo(
    () => [
      ...priceColumns(editing, t),
      {
        key: 'suggestion',
        title: t('column.suggestion'),
        cell: ({ name }: PriceRow) => {
          const entry = shipped.get(name);
          if (!entry || isUnpriced(entry)) return '';
          return (
            <button
              type="button"
              className={classes.suggestion}
              aria-label={t('suggestion.take', { name })}
              onClick={() => set([[name, entry]])}
            >
              {suggested(entry)}
            </button>
          );
        },
      },
    ],
    [editing, shipped, set, t],
  );
  const askBatch = () => {
    if (chosen.size === 0) toast.error(t('batch.none'));
    else setIsBatch(true);
  };
  if (enabled.isError) {
    return (
      <div className={classes.acts} role="alert">
        <p className={classes.problem}>{t('unset.failed')}</p>
        <Button variant="default" onClick={() => void enabled.refetch()}>
          {t('frame:action.retry')}
        </Button>
      </div>
    );
  }
  return (
    <>
      <div className={classes.acts}>
        <Button
          variant="default"
          leftSection={<IconPlus size={16} stroke={1.75} aria-hidden />}
          onClick={() => setOpen({})}
        >
          {t('dialog.add')}
        </Button>
        <Button variant="default" onClick={askBatch}>
          {t('batch.act')}
        </Button>
      </div>
      <DataTable
        label={t('tab.unset')}
        rows={rows.slice((page - 1) * size, page * size)}
        rowKey={({ name }) => name}
        columns={columns}
        total={rows.length}
        page={page}
        size={size}
        onPage={setPage}
        onSize={(next) => {
          setSize(next);
          setPage(1);
        }}
        selection={{ keys: chosen, onChange: setSelected }}
        rowActions={({ name }) => [
          { key: 'edit', label: t('frame:action.edit'), isDirect: true, onAct: () => setOpen({ name }) },
        ]}
        rowTone={({ name }) => (editing.isEdited(name) ? 'changed' : undefined)}
        state={{ isLoading: enabled.isPending }}
        empty={t('unset.empty')}
        storageKey="columns:unset-prices"
      />
      <ApplyEdits editing={editing} />
      {open && (
        <PriceDialog
          {...(open.name === undefined ? {} : { name: open.name })}
          entries={entries}
          isTaken={(name) => hasFigures(entries.get(name)) || rows.some((row) => row.name === name)}
          onClose={() => setOpen(undefined)}
          onSave={(name, entry) => set([[name, entry]])}
        />
      )}
      {isBatch && (
        <BatchDialog
          count={chosen.size}
          onClose={() => setIsBatch(false)}
          onFill={(fill) => set([...chosen].map((name) => [name, fill(entries.get(name) ?? {})] as const))}
        />
      )}
    </>
  );
}

/** In dollars: by call, or in and out per 1M tokens. */
function suggested(entry: PriceEntry): string {
  if (entry.price !== undefined) return `$${entry.price}`;
  const output = outputPriceOf(entry);
  return output === undefined ? `$${inputPriceOf(entry)}` : `$${inputPriceOf(entry)} / $${output}`;
}

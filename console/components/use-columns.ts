/** The columns that a table shows now: what the list offers, in the order and choice of this browser. */
import { columnOrderingFeature, columnVisibilityFeature, tableFeatures, useTable } from '@tanstack/react-table';
import { useMemo } from 'react';
import { useStore } from '../session/store.ts';
import { choiceStore, isShown, ordered } from './column-choice.ts';
import type { Column } from './data-table-types.ts';

const features = tableFeatures({ columnVisibilityFeature, columnOrderingFeature });

/** The table's model takes objects; a row may be anything. */
interface Held<Row> {
  readonly row: Row;
}

/** A row with its key. */
export interface KeyedRow<Row> {
  readonly key: string;
  readonly row: Row;
}

export function useColumns<Row>(
  rows: readonly Row[],
  rowKey: (row: Row) => string,
  columns: readonly Column<Row>[],
  storageKey: string,
): { readonly shown: readonly Column<Row>[]; readonly keyed: readonly KeyedRow<Row>[]; readonly isCompact: boolean } {
  const choice = useStore(choiceStore(storageKey));
  const data = useMemo(() => rows.map((row): Held<Row> => ({ row })), [rows]);
  const definitions = useMemo(() => columns.map(({ key, title }) => ({ id: key, header: title })), [columns]);
  const state = useMemo(
    () => ({
      columnOrder: ordered(columns, choice).map(({ key }) => key),
      columnVisibility: Object.fromEntries(columns.map((column) => [column.key, isShown(choice, column)])),
    }),
    [columns, choice],
  );
  const table = useTable<typeof features, Held<Row>>({
    features,
    data,
    columns: definitions,
    getRowId: ({ row }) => rowKey(row),
    state,
  });
  const visible = table.getVisibleLeafColumns();
  // The same columns while nothing of them changed, so that rows know that they need not be drawn again.
  const shown = useMemo(() => {
    const byKey = new Map(columns.map((column) => [column.key, column]));
    return visible.flatMap(({ id }) => byKey.get(id) ?? []);
  }, [visible, columns]);
  const models = table.getRowModel().rows;
  const keyed = useMemo(() => models.map(({ id, original }) => ({ key: id, row: original.row })), [models]);
  return { shown, keyed, isCompact: choice.isCompact };
}

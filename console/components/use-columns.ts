/** The columns that a table shows now: what the list offers, in the order and choice of this browser. */
import { useMemo } from 'react';
import { useStore } from '../session/store.ts';
import { choiceStore, isShown, ordered } from './column-choice.ts';
import type { Column } from './data-table-types.ts';

/** A row with its key. */
export interface KeyedRow<Row> {
  readonly key: string;
  readonly row: Row;
}

/** The same columns and rows while nothing of them changed, so that those drawn know that they need not be drawn again. */
export function useColumns<Row>(
  rows: readonly Row[],
  rowKey: (row: Row) => string,
  columns: readonly Column<Row>[],
  storageKey: string,
): { readonly shown: readonly Column<Row>[]; readonly keyed: readonly KeyedRow<Row>[]; readonly isCompact: boolean } {
  const choice = useStore(choiceStore(storageKey));
  const shown = useMemo(() => ordered(columns, choice).filter((column) => isShown(choice, column)), [columns, choice]);
  const keyed = useMemo(() => rows.map((row) => ({ key: rowKey(row), row })), [rows, rowKey]);
  return { shown, keyed, isCompact: choice.isCompact };
}

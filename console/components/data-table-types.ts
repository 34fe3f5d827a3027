/** What a list hands to its table. */
import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  /** Text, native elements and our Tag: components of the kit cost too much in each row (console.md 3). */
  readonly cell: (row: Row) => ReactNode;
  readonly align?: 'left' | 'right';
  /** Pixels. */
  readonly width?: number;
  /** How far it grows beyond its width for what it holds, where the table has room; its cells must be able to shrink. */
  readonly widest?: number;
  readonly pin?: 'start' | 'end';
  /** Place on the card that a row becomes on phones; shown when the card is opened when absent, `hidden` never. */
  readonly card?: 'title' | 'status' | 'figure' | 'meta' | 'hidden';
  readonly sortable?: boolean;
  /** Text of the cell in the CSV file; the column is left out when absent. */
  readonly export?: (row: Row) => string | number;
  /** Hidden until chosen in the column dialog. */
  readonly isOptional?: boolean;
}

export interface RowAction {
  readonly key: string;
  readonly label: string;
  readonly onAct: () => void;
  /** Shown as a button of the row instead of in its menu. */
  readonly isDirect?: boolean;
  /** An arrow at the button before it, that leads to more of the same; its label is what one hears. */
  readonly isArrow?: boolean;
  readonly isDanger?: boolean;
  /** Why the action cannot be taken now; it is then disabled and says so. */
  readonly refused?: string | undefined;
  /** A link instead of an act. */
  readonly href?: string;
}

export interface Sort {
  readonly key: string;
  readonly isDescending: boolean;
}

export interface Selection {
  /** Of all pages. */
  readonly keys: ReadonlySet<string>;
  readonly onChange: (keys: ReadonlySet<string>) => void;
  /** Buttons for what is selected, beside the count. */
  readonly actions?: ReactNode;
  /** Whether count and buttons are there while nothing is selected, too: where one has asked for them. */
  readonly bar?: 'always';
  /** Rows that cannot be selected. */
  readonly isFixed?: (rowKey: string) => boolean;
}

export interface DataTableProps<Row> {
  /** Accessible name. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  /** Rows in all; absent for lists that do not count, whose pager has no end. */
  readonly total?: number;
  /** From 1. */
  readonly page?: number;
  readonly size?: number;
  /** `isRepair`: the page asked for is gone; Back must not lead to it. */
  readonly onPage?: (page: number, options?: { readonly isRepair?: boolean }) => void;
  readonly onSize?: (size: number) => void;
  readonly sort?: Sort | undefined;
  readonly onSort?: (sort: Sort | undefined) => void;
  readonly selection?: Selection;
  /** Details under the row; several may be open. */
  readonly expand?: (row: Row) => ReactNode;
  /** Click on free space of a row, or Enter. */
  readonly onOpen?: (row: Row) => void;
  readonly rowActions?: (row: Row) => readonly RowAction[];
  readonly rowTone?: (row: Row) => 'muted' | 'changed' | undefined;
  /** A change of the row is on its way: its actions wait. */
  readonly isRowBusy?: (row: Row) => boolean;
  readonly state: {
    readonly isLoading: boolean;
    readonly isStale?: boolean;
    readonly error?: unknown;
    readonly onRetry?: () => void;
  };
  /** Shown instead of rows when there never were any. */
  readonly empty: ReactNode;
  /** No rows then means that nothing matches; `onClearFilters` is offered. */
  readonly hasFilters?: boolean;
  readonly onClearFilters?: () => void;
  /** Local storage key of the chosen columns: `columns:<list>`. */
  readonly storageKey: string;
  /** Left above the table, e.g. a switch of what it shows. */
  readonly toolbar?: ReactNode;
  /** There may be more rows behind these: the form of the pager for lists that do not count. */
  readonly hasMore?: boolean;
  /** Name of the CSV file, without ending; the list's label when absent. */
  readonly fileName?: string;
}

/** What is under the head of a table: rows, bones of rows while they are fetched, or why there are none. */
import { type ReactNode, type RefObject, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyLate } from '../session/late-code.ts';
import classes from './data-table.module.css';
import type { Column, DataTableProps } from './data-table-types.ts';
import { EmptyState, ErrorPanel } from './section.tsx';
import { TableRow } from './table-row.tsx';
import type { KeyedRow } from './use-columns.ts';
import { useDelayed } from './use-delayed.ts';
import type { RowSelection } from './use-row-selection.ts';

const VirtualRows = lazyLate(() => import('./virtual-rows.tsx').then((module) => ({ default: module.VirtualRows })));

/** From here on only the rows in sight are drawn. */
const mostDrawn = 100;

export interface TableBodyProps<Row> {
  readonly table: DataTableProps<Row>;
  readonly rows: readonly KeyedRow<Row>[];
  readonly columns: readonly Column<Row>[];
  readonly selection: RowSelection | undefined;
  readonly expanded: ReadonlySet<string>;
  readonly onExpand: (key: string) => void;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly isCompact: boolean;
}

export function TableBody<Row>(props: TableBodyProps<Row>) {
  const { table, rows, columns, selection, expanded, onExpand, scroller, isCompact } = props;
  const { expand, rowActions, state } = table;
  const span = columns.length + (selection ? 1 : 0) + (expand ? 1 : 0) + (rowActions ? 1 : 0);
  const first = ((table.page ?? 1) - 1) * (table.size ?? rows.length);
  const render = (index: number): ReactNode => {
    const held = rows[index];
    if (!held) return null;
    const { key, row } = held;
    return (
      <TableRow
        key={key}
        row={row}
        rowKey={key}
        rowIndex={first + index + 2}
        columns={columns}
        isSelected={selection?.has(key)}
        isFixed={selection?.isFixed(key) ?? false}
        isExpanded={expanded.has(key)}
        expand={expand}
        actions={rowActions?.(row)}
        tone={table.rowTone?.(row)}
        isBusy={table.isRowBusy?.(row) ?? false}
        isOpenable={table.onOpen !== undefined || expand !== undefined}
        onSelect={selection?.toggle}
        onExpand={onExpand}
      />
    );
  };
  if (rows.length === 0 && state.isLoading) {
    return <Bones count={Math.min(table.size ?? 10, 10)} span={span} />;
  }
  const drawn = rows.slice(0, mostDrawn).map((_, index) => render(index));
  return (
    <tbody>
      {rows.length > mostDrawn ? (
        <Suspense fallback={drawn}>
          <VirtualRows
            count={rows.length}
            height={isCompact ? 33 : 41}
            scroller={scroller}
            render={render}
            keyOf={(index) => rows[index]?.key ?? String(index)}
            span={span}
          />
        </Suspense>
      ) : (
        drawn
      )}
      {(state.error || rows.length === 0) && (
        <tr>
          <td colSpan={span}>
            <div className={classes.note}>
              <TableNote table={table} />
            </div>
          </td>
        </tr>
      )}
    </tbody>
  );
}

/** Why there is nothing, or nothing new. */
export function TableNote<Row>({ table }: { readonly table: DataTableProps<Row> }) {
  const { state, rows, empty, hasFilters = false, onClearFilters } = table;
  const { t } = useTranslation('list');
  if (state.error) {
    return (
      <ErrorPanel
        error={state.error}
        // The rows above are those of before.
        {...(rows.length > 0 ? { title: t('refreshFailed') } : {})}
        {...(state.onRetry ? { onRetry: state.onRetry } : {})}
      />
    );
  }
  if (!hasFilters) return empty;
  return (
    <EmptyState text={t('empty.filtered')}>
      {onClearFilters && (
        <button type="button" className={classes.plain} onClick={onClearFilters}>
          {t('filter.clear')}
        </button>
      )}
    </EmptyState>
  );
}

/** Rows of the final height; seen only when the answer takes its time. */
function Bones({ count, span }: { readonly count: number; readonly span: number }) {
  const isSeen = useDelayed(true);
  return (
    <tbody aria-hidden="true">
      {Array.from({ length: count }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all are alike
        <tr key={row} className={classes.bones} data-seen={isSeen || undefined}>
          {Array.from({ length: span }, (_, cell) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: all are alike
            <td key={cell}>
              <span />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

/** One row with its details. Native elements only: a table has many of them (console.md 3). */
import { IconChevronRight } from '@tabler/icons-react';
import { memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './data-table.module.css';
import type { Column, RowAction } from './data-table-types.ts';
import { RowActs } from './row-acts.tsx';
import { pinOf } from './table-head.tsx';

export interface TableRowProps<Row> {
  readonly row: Row;
  readonly rowKey: string;
  /** In the whole list, from 1. */
  readonly rowIndex: number;
  readonly columns: readonly Column<Row>[];
  readonly isSelected: boolean | undefined;
  readonly isFixed: boolean;
  readonly isExpanded: boolean;
  readonly expand: ((row: Row) => ReactNode) | undefined;
  /** What can be done with this row; who takes it is told by the table, so only what is shown of it counts here. */
  readonly actions: readonly RowAction[] | undefined;
  readonly tone: 'muted' | 'changed' | undefined;
  readonly isBusy: boolean;
  readonly isOpenable: boolean;
  readonly onSelect: ((key: string, isRange: boolean) => void) | undefined;
  readonly onExpand: (key: string) => void;
}

function Row<Row>(props: TableRowProps<Row>) {
  const { row, rowKey, columns, isSelected, isExpanded, expand, actions, tone, isBusy, onSelect, onExpand } = props;
  const { t } = useTranslation('list');
  const span = columns.length + (isSelected === undefined ? 0 : 1) + (expand ? 1 : 0) + (actions ? 1 : 0);
  return (
    <>
      <tr
        className={classes.row}
        data-row={rowKey}
        data-tone={tone}
        data-selected={isSelected}
        data-openable={props.isOpenable || undefined}
        aria-rowindex={props.rowIndex}
        aria-busy={isBusy || undefined}
        tabIndex={-1}
      >
        {isSelected !== undefined && (
          <td className={classes.lead} data-lead="select">
            <input
              type="checkbox"
              className={classes.box}
              aria-label={t('select.row')}
              checked={isSelected}
              disabled={props.isFixed}
              onChange={(event) => {
                const { nativeEvent } = event;
                onSelect?.(rowKey, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey);
              }}
            />
          </td>
        )}
        {expand && (
          <td className={classes.lead} data-lead="expand">
            <button
              type="button"
              className={classes.expand}
              aria-expanded={isExpanded}
              aria-label={t(isExpanded ? 'row.collapse' : 'row.expand')}
              onClick={() => onExpand(rowKey)}
            >
              <IconChevronRight size={16} stroke={1.75} aria-hidden="true" />
            </button>
          </td>
        )}
        {columns.map((column, index) => (
          <td
            key={column.key}
            data-align={column.align}
            data-pin={pinOf(column, index)}
            // What is written from the right loses its end, too, where it is cut.
            dir={column.align === 'right' ? undefined : 'auto'}
            style={column.width === undefined ? undefined : { maxWidth: Math.max(column.widest ?? column.width, 64) }}
          >
            {column.cell(row)}
          </td>
        ))}
        {actions && (
          <td className={classes.actsCell} data-pin="end">
            <RowActs actions={actions} isBusy={isBusy} />
          </td>
        )}
      </tr>
      {expand && isExpanded && (
        <tr className={classes.detailRow}>
          <td colSpan={span}>
            <div className={classes.detail}>{expand(row)}</div>
          </td>
        </tr>
      )}
    </>
  );
}

/**
 * True when the row would look the same. Pages make their acts and details anew whenever they are drawn: acts are
 * compared by what is shown of them, since the table asks for them again when one is taken, and details while they are
 * open.
 */
function looksTheSame<Row>(before: TableRowProps<Row>, now: TableRowProps<Row>): boolean {
  const { actions: actionsBefore, expand: expandBefore, ...restBefore } = before;
  const { actions, expand, ...rest } = now;
  const isDetailSame = now.isExpanded ? expandBefore === expand : !expandBefore === !expand;
  return isDetailSame && areAlike(restBefore, rest) && areSameActs(actionsBefore, actions);
}

function areSameActs(before: readonly RowAction[] | undefined, now: readonly RowAction[] | undefined): boolean {
  if (before?.length !== now?.length) return false;
  return (before ?? []).every((action, index) => {
    const { onAct: _, ...shownBefore } = action;
    const { onAct: __, ...shown } = now?.[index] ?? action;
    return areAlike(shownBefore, shown);
  });
}

function areAlike(before: object, now: object): boolean {
  const names = Object.keys(now);
  return (
    names.length === Object.keys(before).length &&
    names.every((name) => Object.is(Reflect.get(before, name), Reflect.get(now, name)))
  );
}

// `memo` forgets that the component is generic.
export const TableRow = memo(Row, looksTheSame) as typeof Row;

/** The head of a table: titles, sort, the box that selects the page. */
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import classes from './data-table.module.css';
import type { Column, Sort } from './data-table-types.ts';
import type { RowSelection } from './use-row-selection.ts';

export interface TableHeadProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly selection: RowSelection | undefined;
  readonly hasExpand: boolean;
  readonly hasActions: boolean;
  readonly sort: Sort | undefined;
  readonly onSort: ((sort: Sort | undefined) => void) | undefined;
}

export function TableHead<Row>({ columns, selection, hasExpand, hasActions, sort, onSort }: TableHeadProps<Row>) {
  const { t } = useTranslation('list');
  return (
    <thead className={classes.head}>
      <tr>
        {selection && (
          <th className={classes.lead} data-lead="select" scope="col">
            <input
              type="checkbox"
              className={classes.box}
              aria-label={t('select.all')}
              checked={selection.page === 'all'}
              ref={(box) => {
                if (box) box.indeterminate = selection.page === 'some';
              }}
              onChange={selection.togglePage}
            />
          </th>
        )}
        {hasExpand && (
          <th className={classes.lead} data-lead="expand" scope="col">
            <span className={classes.unseen}>{t('row.expand')}</span>
          </th>
        )}
        {columns.map((column, index) => (
          <th
            key={column.key}
            scope="col"
            data-align={column.align}
            data-pin={pinOf(column, index)}
            style={
              column.width === undefined
                ? undefined
                : { minWidth: column.width, ...(column.widest === undefined ? { width: column.width } : {}) }
            }
            aria-sort={sort?.key === column.key ? (sort.isDescending ? 'descending' : 'ascending') : undefined}
          >
            {column.sortable && onSort ? (
              <SortButton column={column} sort={sort} onSort={onSort} name={t('sort.by', { title: column.title })} />
            ) : (
              column.title
            )}
          </th>
        ))}
        {hasActions && (
          <th scope="col" className={classes.actionsHead} data-pin="end">
            {t('row.actions')}
          </th>
        )}
      </tr>
    </thead>
  );
}

/** The first column stays when the table scrolls sideways. */
export function pinOf(column: { readonly pin?: 'start' | 'end' }, index: number): 'start' | 'end' | undefined {
  return index === 0 ? 'start' : column.pin === 'end' ? 'end' : undefined;
}

function SortButton<Row>({
  column,
  sort,
  onSort,
  name,
}: {
  readonly column: Column<Row>;
  readonly sort: Sort | undefined;
  readonly onSort: (sort: Sort | undefined) => void;
  readonly name: string;
}) {
  const now = sort?.key === column.key ? sort : undefined;
  const next = !now
    ? { key: column.key, isDescending: false }
    : now.isDescending
      ? undefined
      : { key: column.key, isDescending: true };
  const Icon = !now ? IconArrowsSort : now.isDescending ? IconArrowDown : IconArrowUp;
  return (
    <button
      type="button"
      className={classes.sort}
      data-active={now !== undefined}
      title={name}
      onClick={() => onSort(next)}
    >
      {column.title}
      <Icon size={14} stroke={1.75} aria-hidden="true" />
    </button>
  );
}

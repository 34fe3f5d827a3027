/** Rows as cards, for phones (console.md 1.8): title and state, figures, small print, and the rest when it is opened. */
import { IconChevronDown, IconDots } from '@tabler/icons-react';
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import table from './data-table.module.css';
import type { Column } from './data-table-types.ts';
import { formatInteger } from './format.ts';
import classes from './table-cards.module.css';
import type { KeyedRow } from './use-columns.ts';
import type { RowSelection } from './use-row-selection.ts';

export interface TableCardsProps<Row> {
  readonly label: string;
  readonly rows: readonly KeyedRow<Row>[];
  /** All of the list: which of them are on a card is not a matter of taste. */
  readonly columns: readonly Column<Row>[];
  readonly selection: RowSelection | undefined;
  readonly isSelecting: boolean;
  readonly expand: ((row: Row) => ReactNode) | undefined;
  readonly expanded: ReadonlySet<string>;
  readonly onExpand: (key: string) => void;
  readonly hasActions: boolean;
  readonly isOpenable: boolean;
  readonly rowTone: ((row: Row) => 'muted' | 'changed' | undefined) | undefined;
  readonly isRowBusy: ((row: Row) => boolean) | undefined;
}

/** So many are drawn at first, and so many more each time that more are asked for: a page of thousands stands still. */
const drawnAtOnce = 100;

/** The columns without a place on the card, which shows them when it is opened. */
export function columnsOffCard<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  return columns.filter(({ card, isOptional }) => card === undefined && !isOptional);
}

export function TableCards<Row>(props: TableCardsProps<Row>) {
  const { columns, expand, expanded, selection } = props;
  const { t } = useTranslation('list');
  const [most, setMost] = useState(drawnAtOnce);
  const left = props.rows.length - most;
  const list = useRef<HTMLUListElement>(null);
  useCardHeight(list, props.rows, columns);
  const at = (place: Column<Row>['card']) => columns.filter(({ card }) => card === place);
  const [titles, states, figures, metas] = [at('title'), at('status'), at('figure'), at('meta')];
  const rest = columnsOffCard(columns);
  const hasDetails = expand !== undefined || rest.length > 0;
  return (
    <>
      <ul className={classes.cards} aria-label={props.label} ref={list}>
        {props.rows.slice(0, most).map(({ key, row }) => (
          <li
            key={key}
            className={classes.card}
            data-row={key}
            data-tone={props.rowTone?.(row)}
            data-selected={selection?.has(key)}
            data-openable={props.isOpenable || undefined}
            aria-busy={props.isRowBusy?.(row) || undefined}
            tabIndex={-1}
          >
            <div className={classes.first}>
              {props.isSelecting && selection && (
                <input
                  type="checkbox"
                  className={classes.box}
                  aria-label={t('select.row')}
                  checked={selection.has(key)}
                  disabled={selection.isFixed(key)}
                  onChange={() => selection.toggle(key, false)}
                />
              )}
              <span className={classes.title} dir="auto">
                {titles.map((column) => (
                  <span key={column.key}>{column.cell(row)}</span>
                ))}
              </span>
              {states.map((column) => (
                <span key={column.key} className={classes.state}>
                  {column.cell(row)}
                </span>
              ))}
              {hasDetails && (
                <button
                  type="button"
                  className={classes.unfold}
                  aria-expanded={expanded.has(key)}
                  aria-label={t(expanded.has(key) ? 'row.collapse' : 'row.expand')}
                  onClick={() => props.onExpand(key)}
                >
                  <IconChevronDown size={20} stroke={1.75} aria-hidden="true" />
                </button>
              )}
              {props.hasActions && (
                <button
                  type="button"
                  className={classes.more}
                  data-more=""
                  aria-label={t('row.more')}
                  aria-haspopup="dialog"
                >
                  <IconDots size={20} stroke={1.75} aria-hidden="true" />
                </button>
              )}
            </div>
            <CardFigures columns={figures} row={row} />
            <div className={classes.metas}>
              {metas.map(({ key: name, cell }) => {
                const content = cell(row);
                return content !== null && <span key={name}>{content}</span>;
              })}
            </div>
            {hasDetails && expanded.has(key) && (
              <div className={classes.detail} data-stop="">
                <CardFigures columns={rest} row={row} />
                {expand?.(row)}
              </div>
            )}
          </li>
        ))}
      </ul>
      {left > 0 && (
        <button type="button" className={table.plain} onClick={() => setMost(most + drawnAtOnce)}>
          {t('row.showMore', { count: left, replace: { count: formatInteger(left) } })}
        </button>
      )}
    </>
  );
}

const measured = 3;

/**
 * Cards out of sight are drawn once they come near it. Until then each is taken to be as high as the first ones are:
 * otherwise what stands below, such as the button for more, moves from under the pointer as they are drawn.
 */
function useCardHeight(list: RefObject<HTMLUListElement | null>, rows: unknown, columns: unknown): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again when what is drawn changes
  useLayoutEffect(() => {
    const heights = [...(list.current?.children ?? [])].slice(0, measured).map((card) => card.clientHeight);
    if (heights.length === 0) return;
    const height = Math.round(heights.reduce((sum, one) => sum + one, 0) / heights.length);
    list.current?.style.setProperty('--card-height', `${height}px`);
  }, [list, rows, columns]);
}

/** What a row has figures of, with their names: one that says nothing is left out with its name. */
function CardFigures<Row>({ columns, row }: { readonly columns: readonly Column<Row>[]; readonly row: Row }) {
  const told = columns
    .map(({ key, title, cell }) => ({ key, title, content: cell(row) }))
    .filter(({ content }) => content !== null && content !== '');
  if (told.length === 0) return null;
  return (
    <dl className={classes.figures}>
      {told.map(({ key, title, content }) => (
        <div key={key}>
          <dt>{title}</dt>
          <dd>{content}</dd>
        </div>
      ))}
    </dl>
  );
}

/**
 * The table of every list (console.md 7.1): native markup over the headless table, cards on phones. Clicks on rows and
 * their acts are heard once, on the table.
 */
import i18next from 'i18next';
import { type MouseEvent, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { downloadCsv } from './csv-download.ts';
import classes from './data-table.module.css';
import type { DataTableProps, RowAction } from './data-table-types.ts';
import { lazyPart } from './late-part.tsx';
import { Pager } from './pager.tsx';
import { TableBody, TableNote } from './table-body.tsx';
import { columnsOffCard, TableCards } from './table-cards.tsx';
import { TableHead } from './table-head.tsx';
import { TableTip } from './table-tip.tsx';
import { TableToolbar } from './table-toolbar.tsx';
import { useColumns } from './use-columns.ts';
import { usePhone } from './use-phone.ts';
import { useRowKeys } from './use-row-keys.ts';
import { useRowSelection } from './use-row-selection.ts';

export type { DataTableProps } from './data-table-types.ts';

// Asked for with the code, so that the first list does not wait for one after the other.
void i18next.loadNamespaces(['list', 'enumerations', 'components']);

const loadRowMenu = () => import('./row-menu.tsx');
const RowMenu = lazyPart(() => loadRowMenu().then((module) => ({ default: module.RowMenu })));
const ColumnDialog = lazyPart(() => import('./column-dialog.tsx').then((module) => ({ default: module.ColumnDialog })));

interface OpenMenu {
  readonly anchor: HTMLElement;
  readonly actions: readonly RowAction[];
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, rows, rowKey, columns, total, page = 1, size, onPage, state, expand, onOpen, rowActions } = props;
  const { t } = useTranslation('list');
  const isPhone = usePhone();
  const frame = useRef<HTMLDivElement>(null);
  const region = useRef<HTMLElement>(null);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const [menu, setMenu] = useState<OpenMenu>();
  const [isChoosing, setChoosing] = useState(false);
  const [isSelecting, setSelecting] = useState(false);
  const { shown, keyed, isCompact } = useColumns(rows, rowKey, columns, props.storageKey);
  const pageKeys = useMemo(() => rows.map(rowKey), [rows, rowKey]);
  const selection = useRowSelection(props.selection, pageKeys);
  usePageRepair(props);
  const isOverflowing = useOverflow(region, isPhone);

  const toggleExpanded = useCallback(
    (key: string) =>
      setExpanded((before) => {
        const next = new Set(before);
        if (!next.delete(key)) next.add(key);
        return next;
      }),
    [],
  );
  const isExpandable = expand !== undefined || (isPhone && columnsOffCard(columns).length > 0);
  const rowOf = (key: string | undefined): Row | undefined => keyed.find((one) => one.key === key)?.row;
  const open = (key: string) => {
    const row = rowOf(key);
    if (row === undefined) return;
    if (onOpen) onOpen(row);
    else if (isExpandable) toggleExpanded(key);
  };
  const closeMenu = useCallback(() => {
    setMenu((open) => {
      open?.anchor.focus();
      return undefined;
    });
  }, []);
  const click = (event: MouseEvent) => {
    if (!(event.target instanceof HTMLElement || event.target instanceof SVGElement)) return;
    const holder = event.target.closest<HTMLElement>('[data-row]');
    const row = rowOf(holder?.dataset.row);
    if (!holder || row === undefined) return;
    const button = event.target.closest<HTMLElement>('[data-act],[data-more]');
    if (button) {
      if (button.getAttribute('aria-disabled') === 'true') return;
      const actions = rowActions?.(row) ?? [];
      if (button.dataset.act === undefined) {
        setMenu({ anchor: button, actions: actions.filter(({ isDirect }) => isPhone || !isDirect) });
      } else if (event.detail < 2) {
        // The second click of a double click would send the same again, or take it back where the row changed meanwhile.
        actions.find(({ key }) => key === button.dataset.act)?.onAct();
      }
      return;
    }
    const isFree =
      event.target.closest('a,button,input,select,textarea,label,[data-stop]') === null &&
      holder.contains(event.target) &&
      !document.getSelection()?.toString();
    if (!isFree || event.target.closest(`.${classes.detail}`)) return;
    const key = holder.dataset.row ?? '';
    if (isSelecting && isPhone) selection?.toggle(key, false);
    else open(key);
  };
  useRowKeys(frame, {
    open: onOpen || isExpandable ? open : undefined,
    select: (key) => selection?.toggle(key, false),
    turn:
      onPage &&
      ((by) => {
        const last = total === undefined || size === undefined ? undefined : Math.max(1, Math.ceil(total / size));
        const next = page + by;
        if (next >= 1 && (last === undefined ? by < 0 || props.hasMore : next <= last)) onPage(next);
      }),
  });
  const exported = shown.flatMap((column) => (column.export ? [{ title: column.title, cell: column.export }] : []));
  const saveCsv = () =>
    downloadCsv(props.fileName ?? label, [
      exported.map(({ title }) => title),
      ...rows.map((row) => exported.map(({ cell }) => cell(row))),
    ]);
  const isRefetching = (state.isStale ?? false) || (state.isLoading && rows.length > 0);
  return (
    <div className={classes.frame} ref={frame} data-compact={isCompact || undefined}>
      <TableToolbar
        toolbar={props.toolbar}
        selection={selection}
        selectionActions={props.selection?.actions}
        isBarKept={props.selection?.bar === 'always'}
        isPhone={isPhone}
        isSelecting={isSelecting}
        onSelecting={setSelecting}
        onColumns={() => setChoosing(true)}
        onCsv={exported.length > 0 && rows.length > 0 ? saveCsv : undefined}
      />
      {isPhone ? (
        // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a card is heard by useRowKeys
        // biome-ignore lint/a11y/noStaticElementInteractions: the cards inside are what is clicked
        <div onClick={click} aria-busy={isRefetching || state.isLoading}>
          {isRefetching && <div className={classes.bar} data-cards="" />}
          <TableCards
            label={label}
            rows={keyed}
            columns={columns}
            selection={selection}
            isSelecting={isSelecting}
            expand={expand}
            expanded={expanded}
            onExpand={toggleExpanded}
            hasActions={rowActions !== undefined}
            isOpenable={onOpen !== undefined || isExpandable}
            rowTone={props.rowTone}
            isRowBusy={props.isRowBusy}
          />
          {!state.isLoading && (Boolean(state.error) || rows.length === 0) && (
            <div className={classes.note}>
              <TableNote table={props} />
            </div>
          )}
        </div>
      ) : (
        <section
          className={classes.region}
          ref={region}
          aria-label={label}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          data-overflowing={isOverflowing || undefined}
        >
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a row is heard by useRowKeys */}
          <table
            className={classes.table}
            aria-label={label}
            aria-rowcount={total === undefined ? -1 : total + 1}
            aria-busy={isRefetching || state.isLoading}
            data-select={selection !== undefined || undefined}
            data-expand={expand !== undefined || undefined}
            onClick={click}
            onPointerOver={rowActions ? () => void loadRowMenu().catch(() => undefined) : undefined}
          >
            <TableHead
              columns={shown}
              selection={selection}
              hasExpand={expand !== undefined}
              hasActions={rowActions !== undefined}
              sort={props.sort}
              onSort={props.onSort}
            />
            <TableBody
              table={props}
              rows={keyed}
              columns={shown}
              selection={selection}
              expanded={expanded}
              onExpand={toggleExpanded}
              scroller={region}
              isCompact={isCompact}
            />
          </table>
          {isRefetching && <div className={classes.bar} />}
        </section>
      )}
      <span className={classes.unseen} role="status">
        {state.isLoading ? t('state.loading') : ''}
      </span>
      {onPage && size !== undefined && (total === undefined ? !state.isLoading : total > 0) && (
        <Pager
          page={page}
          size={size}
          total={total}
          hasMore={props.hasMore ?? false}
          onPage={onPage}
          onSize={props.onSize}
        />
      )}
      {!isPhone && <TableTip within={frame} />}
      <Suspense fallback={null}>
        {menu && <RowMenu {...menu} isSheet={isPhone} onClose={closeMenu} />}
        {isChoosing && (
          <ColumnDialog columns={columns} storageKey={props.storageKey} onClose={() => setChoosing(false)} />
        )}
      </Suspense>
    </div>
  );
}

/** After a deletion the page may be gone: the last one there is is shown instead. */
function usePageRepair<Row>({ rows, total, page = 1, size, onPage, state }: DataTableProps<Row>): void {
  const isGone = !state.isLoading && !state.isStale && !state.error && rows.length === 0 && page > 1;
  const last = total === undefined || size === undefined ? page - 1 : Math.max(1, Math.ceil(total / size));
  useEffect(() => {
    if (isGone && last < page) onPage?.(last, { isRepair: true });
  }, [isGone, last, page, onPage]);
}

/** True while the region scrolls sideways; phones have none. */
function useOverflow(region: { readonly current: HTMLElement | null }, isPhone: boolean): boolean {
  const [isOverflowing, setOverflowing] = useState(false);
  useEffect(() => {
    const element = region.current;
    if (isPhone || !element) return undefined;
    const look = () => setOverflowing(element.scrollWidth > element.clientWidth + 1);
    const observer = new ResizeObserver(look);
    observer.observe(element);
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, [region, isPhone]);
  return isOverflowing;
}

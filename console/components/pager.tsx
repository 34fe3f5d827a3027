/** Pages of a list: total, size, numbers, jump; without a total only back and forward (console.md 7.18). */
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { pageSizes } from '../api/list-state.ts';
import { formatInteger } from './format.ts';
import classes from './pager.module.css';
import { usePhone } from './use-phone.ts';

export interface PagerProps {
  /** From 1. */
  readonly page: number;
  readonly size: number;
  /** Absent for lists that do not count. */
  readonly total?: number | undefined;
  /** Without a total: another page may follow. */
  readonly hasMore?: boolean;
  readonly onPage: (page: number) => void;
  readonly onSize?: ((size: number) => void) | undefined;
}

export function Pager({ page, size, total, hasMore = false, onPage, onSize }: PagerProps) {
  const { t } = useTranslation('list');
  const isPhone = usePhone();
  const pages = total === undefined ? undefined : Math.max(1, Math.ceil(total / size));
  const hasNext = pages === undefined ? hasMore : page < pages;
  const previous = (
    <button
      type="button"
      className={classes.step}
      disabled={page <= 1}
      onClick={() => onPage(page - 1)}
      aria-label={t('pager.previous')}
    >
      <IconChevronLeft size={16} stroke={1.75} />
      {isPhone && t('pager.previous')}
    </button>
  );
  const next = (
    <button
      type="button"
      className={classes.step}
      disabled={!hasNext}
      onClick={() => onPage(page + 1)}
      aria-label={t('pager.next')}
    >
      {isPhone && t('pager.next')}
      <IconChevronRight size={16} stroke={1.75} />
    </button>
  );
  return (
    <nav className={classes.pager} aria-label={t('pager.label')}>
      {total !== undefined && (
        <span className={classes.total}>
          {t('pager.total', { count: total, replace: { count: formatInteger(total) } })}
        </span>
      )}
      {onSize && (
        <select
          className={classes.size}
          aria-label={t('pager.size')}
          value={size}
          onChange={(event) => onSize(Number(event.currentTarget.value))}
        >
          {pageSizes.map((option) => (
            <option key={option} value={option}>
              {t('pager.sizeOption', { n: option })}
            </option>
          ))}
        </select>
      )}
      <div className={classes.pages}>
        {previous}
        {isPhone || pages === undefined ? (
          <span className={classes.place}>{pages === undefined ? page : t('pager.pageOf', { page, pages })}</span>
        ) : (
          pageNumbers(page, pages).map((number) =>
            number > 0 ? (
              <button
                key={number}
                type="button"
                className={classes.number}
                aria-label={t('pager.page', { n: number })}
                aria-current={number === page ? 'page' : undefined}
                onClick={() => onPage(number)}
              >
                {number}
              </button>
            ) : (
              <span key={number} className={classes.gap} aria-hidden="true">
                …
              </span>
            ),
          )
        )}
        {next}
      </div>
      {!isPhone && pages !== undefined && pages > 7 && <Jump pages={pages} onPage={onPage} />}
    </nav>
  );
}

/** First, last and the neighbours; gaps are negative. At most nine entries. */
function pageNumbers(page: number, pages: number): number[] {
  if (pages <= 7) return Array.from({ length: pages }, (_, index) => index + 1);
  const from = Math.max(2, Math.min(page - 1, pages - 4));
  const to = Math.min(pages - 1, Math.max(page + 1, 5));
  const middle = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return [1, ...(from > 2 ? [-1] : []), ...middle, ...(to < pages - 1 ? [-2] : []), pages];
}

function Jump({ pages, onPage }: { readonly pages: number; readonly onPage: (page: number) => void }) {
  const { t } = useTranslation('list');
  const [text, setText] = useState('');
  return (
    <form
      className={classes.jump}
      onSubmit={(event) => {
        event.preventDefault();
        const page = Math.trunc(Number(text));
        if (text.trim() !== '' && Number.isFinite(page)) onPage(Math.max(1, Math.min(pages, page)));
        setText('');
      }}
    >
      <span aria-hidden="true">{t('pager.jump')}</span>
      <input
        className={classes.jumpInput}
        inputMode="numeric"
        autoComplete="off"
        aria-label={t('pager.jumpLabel')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </form>
  );
}

/** Changes of prices side by side, as many as somebody would read. */
import { useTranslation } from 'react-i18next';
import type { DiffRow } from '../../../components/diff-values.ts';
import { DiffView } from '../../../components/diff-view.tsx';
import classes from './prices.module.css';

interface PriceDiffProps {
  readonly label: string;
  readonly rows: readonly DiffRow[];
  /** Of all there are. */
  readonly count: number;
}

export function PriceDiff({ label, rows, count }: PriceDiffProps) {
  const { t } = useTranslation('settings-price-work');
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section className={classes.diff} aria-label={label} tabIndex={0}>
        <DiffView kind="rows" label={label} rows={rows} />
      </section>
      {count > rows.length && <p className={classes.hint}>{t('further', { count: count - rows.length })}</p>}
    </>
  );
}

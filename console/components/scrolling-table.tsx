import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './rich-text.module.css';

/** A table in a text: where it is too wide for the text, it scrolls by itself. */
export function ScrollingTable(table: ComponentProps<'table'>) {
  const { t } = useTranslation('components');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, also by the keyboard
    <section className={classes.table} tabIndex={0} aria-label={t('rich.table')}>
      <table {...table} />
    </section>
  );
}

/** Applies what was edited in the tables, or drops it. */
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import classes from './prices.module.css';
import type { PriceEditing } from './use-price-edits.ts';

export function ApplyEdits({ editing }: { editing: PriceEditing }) {
  const { t } = useTranslation('settings-prices');
  const { editCount, isApplying } = editing;
  return (
    <div className={classes.acts}>
      <Button onClick={() => void editing.apply()} loading={isApplying}>
        {t('apply.act')}
      </Button>
      {editCount > 0 && (
        <Button variant="default" onClick={editing.discard} disabled={isApplying}>
          {t('apply.discard', { count: editCount })}
        </Button>
      )}
    </div>
  );
}

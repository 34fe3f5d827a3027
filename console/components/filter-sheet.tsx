/** The filters of a list on a phone: from below, with a label above each. */
import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from './dialog.tsx';
import classes from './filter-bar.module.css';

export interface FilterSheetProps {
  readonly onClose: () => void;
  readonly onReset: () => void;
  readonly onQuery: () => void;
  readonly children: ReactNode;
}

export function FilterSheet({ onClose, onReset, onQuery, children }: FilterSheetProps) {
  const { t } = useTranslation('list');
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('filter.title')}
      footer={
        <>
          <Button variant="default" onClick={onReset}>
            {t('filter.reset')}
          </Button>
          <Button onClick={onQuery}>{t('filter.query')}</Button>
        </>
      }
    >
      <div className={classes.sheet}>{children}</div>
    </Dialog>
  );
}

/** The filters of a list on a phone: from below, with a label above each. */
import { Button, Drawer } from '@mantine/core';
import '@mantine/core/styles/CloseButton.css';
import '@mantine/core/styles/Drawer.css';
import '@mantine/core/styles/ModalBase.css';
import '@mantine/core/styles/Overlay.css';
import '@mantine/core/styles/Paper.css';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
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
    <Drawer
      opened
      onClose={onClose}
      position="bottom"
      size="auto"
      title={t('filter.title')}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': t('row.close') }}
    >
      <div className={classes.sheet}>
        {children}
        <div className={classes.sheetFoot}>
          <Button variant="default" onClick={onReset}>
            {t('filter.reset')}
          </Button>
          <Button onClick={onQuery}>{t('filter.query')}</Button>
        </div>
      </div>
    </Drawer>
  );
}

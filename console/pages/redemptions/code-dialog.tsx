import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { RedemptionView } from '../../../daemon/contract/redemptions.ts';
import { useCopy } from '../../components/copy.tsx';
import { Dialog } from '../../components/dialog.tsx';
import classes from './redemptions.module.css';

/** One code in full, to be read out or copied. */
export function CodeDialog({ row, onClose }: { row: RedemptionView; onClose: () => void }) {
  const { t } = useTranslation(['redemptions', 'frame']);
  const copy = useCopy();
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('view.title', { name: row.name })}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            {t('frame:action.close')}
          </Button>
          <Button onClick={() => void copy(row.key, { isSecret: true })}>{t('frame:action.copy')}</Button>
        </>
      }
    >
      <div className={classes.shown}>{row.key}</div>
    </Dialog>
  );
}

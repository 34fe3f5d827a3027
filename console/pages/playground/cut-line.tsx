/** Where a new context begins. */
import { IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import classes from './message.module.css';

export function CutLine({ onRemove }: { readonly onRemove: () => void }) {
  const { t } = useTranslation('playground');
  return (
    <div className={classes.cut}>
      <span>{t('cleared')}</span>
      <button type="button" className={classes.act} aria-label={t('unclear')} title={t('unclear')} onClick={onRemove}>
        <IconX size={14} stroke={1.75} />
      </button>
    </div>
  );
}

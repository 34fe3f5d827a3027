/** A picture by its address, as it looks on the ground of both themes. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './option-field.module.css';

export function ImagePreview({ address }: { address: string }) {
  const { t } = useTranslation('settings');
  const [failed, setFailed] = useState('');
  if (!/^(?:https?:\/\/|\/)\S+$/.test(address)) return null;
  if (failed === address) return <div className={classes.notes}>{t('image.failed')}</div>;
  return (
    <div className={classes.image}>
      {(['light', 'dark'] as const).map((scheme) => (
        <div key={scheme} className={classes.ground} data-scheme={scheme}>
          <img src={address} alt={t(`image.${scheme}`)} onError={() => setFailed(address)} />
        </div>
      ))}
    </div>
  );
}

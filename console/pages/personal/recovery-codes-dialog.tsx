/** Recovery codes, shown once: they are saved before the dialog closes. */
import { Button, Checkbox } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/InlineInput.css';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../../components/copy.tsx';
import { downloadFile } from '../../components/csv-download.ts';
import { Dialog } from '../../components/dialog.tsx';
import classes from './two-factor-dialog.module.css';

export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { t } = useTranslation('personal');
  const copy = useCopy();
  const [isSaved, setSaved] = useState(false);
  const text = `${codes.join('\n')}\n`;
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('recovery.title')}
      size={460}
      isClosedByButtonsOnly
      footer={
        <Button disabled={!isSaved} onClick={onClose}>
          {t('recovery.close')}
        </Button>
      }
    >
      <div className={classes.form}>
        <p className={classes.text}>{t('recovery.text')}</p>
        <ul className={classes.codes}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className={classes.acts}>
          <Button variant="default" onClick={() => void copy(text, { label: t('recovery.title') })}>
            {t('recovery.copy')}
          </Button>
          <Button variant="default" onClick={() => downloadFile('tollgate-recovery-codes.txt', text, 'text/plain')}>
            {t('recovery.download')}
          </Button>
        </div>
        <Checkbox
          label={t('recovery.saved')}
          checked={isSaved}
          onChange={(event) => setSaved(event.currentTarget.checked)}
        />
      </div>
    </Dialog>
  );
}

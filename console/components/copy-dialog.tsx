import { Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Input.css';
import { Dialog } from './dialog.tsx';

/** The text in a selected field, to be copied by hand. */
export function CopyDialog({ text, onClose }: { text: string; onClose: () => void }) {
  const { t } = useTranslation('components');
  return (
    <Dialog opened onClose={onClose} title={t('copy.refused')}>
      <Textarea
        aria-label={t('copy.refused')}
        value={text}
        readOnly
        autosize
        minRows={2}
        maxRows={12}
        data-autofocus
        onFocus={(event) => event.currentTarget.select()}
      />
    </Dialog>
  );
}

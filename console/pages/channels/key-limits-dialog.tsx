/** What one key of a channel may be used for, all limits at once: on phones the table has no room for them. */
import { Button, TextInput } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelKeyView } from '../../../daemon/contract/channel-keys.ts';
import { Dialog } from '../../components/section.tsx';
import classes from './tools.module.css';
import { type KeyLimits, keyLimits } from './use-key-acts.ts';
import { isInteger } from './whole-number.ts';

export interface KeyLimitsDialogProps {
  readonly row: ChannelKeyView;
  readonly onClose: () => void;
  /** True closes the dialog. */
  readonly onSave: (limits: KeyLimits) => Promise<boolean>;
}

type Texts = Readonly<Record<keyof KeyLimits, string>>;

export function KeyLimitsDialog({ row, onClose, onSave }: KeyLimitsDialogProps) {
  const { t } = useTranslation(['channel-tools', 'frame']);
  const { cap, tpm, concurrency } = row;
  const [texts, setTexts] = useState<Texts>({ cap: `${cap}`, tpm: `${tpm}`, concurrency: `${concurrency}` });
  const [isChecked, setChecked] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // The drawer behind it is a form as well.
    event.stopPropagation();
    setChecked(true);
    if (keyLimits.some((limit) => !isInteger(texts[limit], 0))) return;
    setSaving(true);
    const [requests, tokens, calls] = [Number(texts.cap), Number(texts.tpm), Number(texts.concurrency)];
    if (await onSave({ cap: requests, tpm: tokens, concurrency: calls })) onClose();
    else setSaving(false);
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      isSending={isSaving}
      title={t('keys.limitsTitle', { place: row.position + 1 })}
      size={420}
      footer={
        <>
          <Button variant="default" onClick={onClose} disabled={isSaving}>
            {t('frame:action.cancel')}
          </Button>
          <Button type="submit" form="key-limits" loading={isSaving}>
            {t('frame:action.save')}
          </Button>
        </>
      }
    >
      <form id="key-limits" className={classes.panel} onSubmit={submit} noValidate>
        {keyLimits.map((limit, index) => (
          <TextInput
            key={limit}
            label={t(`keys.${limit}`)}
            description={t('keys.limitsHelp')}
            inputMode="numeric"
            autoComplete="off"
            value={texts[limit]}
            error={isChecked && !isInteger(texts[limit], 0) && t('keys.capWrong')}
            onChange={({ currentTarget }) => setTexts({ ...texts, [limit]: currentTarget.value })}
            data-autofocus={index === 0 || undefined}
          />
        ))}
      </form>
    </Dialog>
  );
}

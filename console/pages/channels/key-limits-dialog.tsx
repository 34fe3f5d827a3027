/** What one key of a channel may be used for, all limits at once: on phones the table has no room for them. */
import { Button, TextInput } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ChannelKeyView, largestKeyLimits } from '../../../daemon/contract/channel-keys.ts';
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

function isRight(limit: keyof KeyLimits, texts: Texts): boolean {
  return isInteger(texts[limit], 0, largestKeyLimits[limit]);
}

export function KeyLimitsDialog({ row, onClose, onSave }: KeyLimitsDialogProps) {
  const { t } = useTranslation(['channel-tools', 'frame']);
  const { cap, tpm, concurrency } = row;
  const [texts, setTexts] = useState<Texts>({ cap: `${cap}`, tpm: `${tpm}`, concurrency: `${concurrency}` });
  const inputs = useRef<Partial<Record<keyof KeyLimits, HTMLInputElement | null>>>({});
  const [isChecked, setChecked] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // The drawer behind it is a form as well.
    event.stopPropagation();
    setChecked(true);
    const wrong = keyLimits.find((limit) => !isRight(limit, texts));
    if (wrong !== undefined) {
      inputs.current[wrong]?.focus();
      return;
    }
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
            ref={(input) => {
              inputs.current[limit] = input;
            }}
            error={isChecked && !isRight(limit, texts) && t('keys.capWrong', { max: largestKeyLimits[limit] })}
            onChange={({ currentTarget }) => setTexts({ ...texts, [limit]: currentTarget.value })}
            data-autofocus={index === 0 || undefined}
          />
        ))}
      </form>
    </Dialog>
  );
}

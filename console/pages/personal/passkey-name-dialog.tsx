/** Asks what a passkey is called. */
import { Alert, Button, TextInput } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFailures } from '../../api/failures.ts';
import { Dialog } from '../../components/dialog.tsx';
import classes from './two-factor-dialog.module.css';

export interface PasskeyNameDialogProps {
  readonly title: string;
  readonly name: string;
  readonly onClose: () => void;
  /** Rejects when it is refused; the dialog then stays. */
  readonly onSave: (name: string) => Promise<void>;
}

export function PasskeyNameDialog({ title, name: before, onClose, onSave }: PasskeyNameDialogProps) {
  const { t } = useTranslation(['personal', 'frame']);
  const failure = useFailures();
  const form = useId();
  const [name, setName] = useState(before);
  const [problem, setProblem] = useState<string>();
  const [isSaving, setSaving] = useState(false);

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (isSaving) return;
    if (name.trim() === '') return setProblem(t('passkeys.nameEmpty'));
    setProblem(undefined);
    setSaving(true);
    try {
      await onSave(name);
    } catch (error) {
      setProblem(failure(error));
    }
    setSaving(false);
  };

  return (
    <Dialog
      opened
      onClose={onClose}
      isSending={isSaving}
      title={title}
      size={420}
      footer={
        <>
          <Button variant="default" onClick={onClose} disabled={isSaving}>
            {t('frame:action.cancel')}
          </Button>
          <Button type="submit" form={form} loading={isSaving}>
            {t('passkeys.save')}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={save} className={classes.form} noValidate>
        {problem !== undefined && <Alert color="red">{problem}</Alert>}
        <TextInput
          label={t('passkeys.name')}
          description={t('passkeys.nameHint')}
          value={name}
          maxLength={50}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
      </form>
    </Dialog>
  );
}

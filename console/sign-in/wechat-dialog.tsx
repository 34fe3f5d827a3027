/** The chat app's way (console.md 6.3): follow an account by its QR code, get a code there, type it here. */
import { Alert, Button, TextInput } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFailures } from '../api/failures.ts';
import { Dialog } from '../components/dialog.tsx';
import classes from './wechat-dialog.module.css';

/** What the account answers with a code, whatever the language of the page. */
const wordToSend = '验证码';

export interface WechatDialogProps {
  readonly title: string;
  readonly submitLabel: string;
  /** Address of the QR code's image. */
  readonly image: string;
  readonly onClose: () => void;
  /** Rejects when the code is refused; what follows a success is the caller's. */
  readonly onCode: (code: string) => Promise<void>;
}

export function WechatDialog({ title, submitLabel, image, onClose, onCode }: WechatDialogProps) {
  const { t } = useTranslation('sign-in');
  const failure = useFailures();
  const [code, setCode] = useState('');
  const [isSending, setSending] = useState(false);
  const [isEmpty, setEmpty] = useState(false);
  const [error, setError] = useState<unknown>();

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const typed = code.trim();
    setEmpty(typed === '');
    if (typed === '') return;
    setSending(true);
    setError(undefined);
    try {
      await onCode(typed);
    } catch (refusal) {
      setError(refusal);
      setSending(false);
    }
  };

  return (
    <Dialog opened onClose={onClose} title={title} size={400}>
      <form onSubmit={submit} className={classes.form} noValidate>
        {image !== '' && <img src={image} alt={t('wechat.qrCode')} className={classes.code} width={200} height={200} />}
        <p className={classes.hint}>{t('wechat.hint', { word: wordToSend })}</p>
        {error !== undefined && <Alert color="red">{failure(error)}</Alert>}
        <TextInput
          label={t('wechat.code')}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={isEmpty ? t('wechat.codeEmpty') : undefined}
          autoComplete="one-time-code"
          data-autofocus
        />
        <Button type="submit" fullWidth loading={isSending}>
          {submitLabel}
        </Button>
      </form>
    </Dialog>
  );
}

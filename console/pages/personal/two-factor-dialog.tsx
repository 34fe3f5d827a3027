/** Adds the account to an authenticator app: QR code, secret, first code. */
import { Alert, Button } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { secondFactor as endpoints } from '../../../daemon/contract/second-factor.ts';
import { callsFor } from '../../api/client.ts';
import { useFailures } from '../../api/failures.ts';
import { CopyText } from '../../components/copy.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { QrCode } from '../../components/qr-code.tsx';
import { CodeField } from '../../sign-in/code-field.tsx';
import classes from './two-factor-dialog.module.css';

const factor = callsFor({ enable: endpoints.enable });

export interface TwoFactorDialogProps {
  readonly begun: { readonly secret: string; readonly otpauth_url: string };
  readonly onClose: () => void;
  /** Told the recovery codes. */
  readonly onDone: (codes: readonly string[]) => void;
}

export function TwoFactorDialog({ begun, onClose, onDone }: TwoFactorDialogProps) {
  const { t } = useTranslation(['personal', 'frame']);
  const failure = useFailures();
  const form = useId();
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);

  const enable = async (event: FormEvent) => {
    event.preventDefault();
    if (isSending) return;
    if (code === '') return setProblem(t('twoFactor.codeEmpty'));
    setSending(true);
    setProblem(undefined);
    try {
      const { recovery_codes: codes } = await factor.enable({ code });
      onDone(codes);
    } catch (error) {
      setProblem(failure(error));
      setCode('');
      setSending(false);
    }
  };

  return (
    <Dialog
      opened
      onClose={onClose}
      isSending={isSending}
      title={t('twoFactor.setUp')}
      size={460}
      footer={
        <>
          <Button variant="default" onClick={onClose} disabled={isSending}>
            {t('frame:action.cancel')}
          </Button>
          <Button type="submit" form={form} loading={isSending}>
            {t('twoFactor.enable')}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={enable} className={classes.form} noValidate>
        <p className={classes.text}>{t('twoFactor.scan')}</p>
        <div className={classes.code}>
          <QrCode text={begun.otpauth_url} label={t('twoFactor.qrCode')} isTextHidden />
        </div>
        <p className={classes.text}>{t('twoFactor.typeSecret')}</p>
        <div className={classes.secret}>
          <CopyText value={begun.secret} />
        </div>
        {problem !== undefined && <Alert color="red">{problem}</Alert>}
        <CodeField
          label={t('twoFactor.code')}
          description={t('twoFactor.codeHint')}
          value={code}
          onChange={setCode}
          data-autofocus
        />
      </form>
    </Dialog>
  );
}

/** Binding an address: a code is mailed to it and typed here. */
import { Alert, Button, TextInput } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { verification as endpoints } from '../../../daemon/contract/verification.ts';
import { callsFor } from '../../api/client.ts';
import { fieldOfRefusal, useFailures } from '../../api/failures.ts';
import { queryClient } from '../../api/query-client.ts';
import { CountdownButton } from '../../components/countdown-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.ts';
import { useHumanCheck } from '../../sign-in/human-check.tsx';
import classes from './personal-page.module.css';

const verification = callsFor({ sendCode: endpoints.sendCode, bindEmail: endpoints.bindEmail });

const fieldByCode = {
  email_invalid: 'email',
  email_taken: 'email',
  email_domain_refused: 'email',
  email_alias_refused: 'email',
  code_invalid: 'code',
};

export function EmailDialog({ current, onClose }: { current: string; onClose: () => void }) {
  const { t } = useTranslation(['personal', 'sign-in']);
  const failure = useFailures();
  const check = useHumanCheck();
  const [email, setEmail] = useState('');
  const [code, setCode] = useState('');
  const [errors, setErrors] = useState<{ email?: string; code?: string }>({});
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);

  const show = (error: unknown) => {
    const field = fieldOfRefusal(error, ['email', 'code'], fieldByCode);
    if (field === undefined) setProblem(failure(error));
    else setErrors({ [field]: failure(error) });
  };

  const sendCode = async () => {
    setProblem(undefined);
    if (email.trim() === '') {
      setErrors({ email: t('email.addressEmpty') });
      return false;
    }
    if (check.isPending) {
      setProblem(t('sign-in:humanCheck.pending'));
      return false;
    }
    setErrors({});
    try {
      await verification.sendCode({ email: email.trim() }, check.options);
      toast.success(t('email.codeSent'));
      return true;
    } catch (error) {
      show(error);
      return false;
    } finally {
      check.reset();
    }
  };

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isSending) return;
    setProblem(undefined);
    if (email.trim() === '') return setErrors({ email: t('email.addressEmpty') });
    if (code.trim() === '') return setErrors({ code: t('email.codeEmpty') });
    setErrors({});
    setSending(true);
    try {
      await verification.bindEmail({ email: email.trim(), code: code.trim() });
      await queryClient.invalidateQueries({ queryKey: ['self'] });
      toast.success(t('email.done'));
      onClose();
    } catch (error) {
      show(error);
      setSending(false);
    }
  };

  return (
    <Dialog opened onClose={onClose} isSending={isSending} title={t('email.title')} size={440}>
      <form onSubmit={submit} className={classes.form} noValidate>
        {problem !== undefined && <Alert color="red">{problem}</Alert>}
        {current !== '' && <p className={classes.plain}>{t('email.current', { address: current })}</p>}
        <TextInput
          label={t('email.address')}
          type="email"
          autoComplete="email"
          spellCheck={false}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={errors.email}
          data-autofocus
        />
        <div className={classes.code}>
          <TextInput
            className={classes.codeField ?? ''}
            label={t('email.code')}
            autoComplete="one-time-code"
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            error={errors.code}
          />
          <CountdownButton
            variant="default"
            className={classes.besideField ?? ''}
            seconds={30}
            storageKey="code-countdown"
            label={t('email.send')}
            waitingLabel={(s) => t('email.resend', { s })}
            onClick={sendCode}
          />
        </div>
        {check.widget}
        <Button type="submit" loading={isSending}>
          {t('email.submit')}
        </Button>
      </form>
    </Dialog>
  );
}

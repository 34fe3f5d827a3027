import { Alert, Button, TextInput } from '@mantine/core';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/PasswordInput.css';
import '@mantine/core/styles/UnstyledButton.css';
import { type ChangeEvent, type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { account as accountEndpoints } from '../../../daemon/contract/account.ts';
import { verification as verificationEndpoints } from '../../../daemon/contract/verification.ts';
import { callsFor } from '../../api/client.ts';
import { fieldOfRefusal, useFailures } from '../../api/failures.ts';
import { CountdownButton } from '../../components/countdown-button.tsx';
import { SecretInput } from '../../components/secret-input.tsx';
import { toast } from '../../components/toast.ts';
import { writeText } from '../../session/storage.ts';
import { useHumanCheck } from '../../sign-in/human-check.tsx';
import cardClasses from './front-card.module.css';
import classes from './register-form.module.css';
import { fieldByCode, type Registration, type RegistrationField, registrationProblems } from './register-rules.ts';

const account = callsFor({ register: accountEndpoints.register });
const verification = callsFor({ sendCode: verificationEndpoints.sendCode });

const empty: Registration = { username: '', password: '', confirmation: '', email: '', code: '', inviteCode: '' };
const fields = Object.keys(empty);

/** The sign-in page with the same way on; the invite code has done its work. */
function loginAddress(): string {
  const query = new URLSearchParams(window.location.search);
  query.delete('aff');
  return query.size > 0 ? `/login?${query}` : '/login';
}

export function RegisterForm({ needsEmail, inviteCode }: { needsEmail: boolean; inviteCode: string | undefined }) {
  const { t } = useTranslation(['front', 'sign-in']);
  const navigate = useNavigate();
  const failure = useFailures();
  const check = useHumanCheck();
  const [values, setValues] = useState<Registration>({ ...empty, inviteCode: inviteCode ?? '' });
  const [errors, setErrors] = useState<Partial<Record<RegistrationField, string>>>({});
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  const focus = (name: string) => {
    const input = form.current?.elements.namedItem(name);
    if (input instanceof HTMLElement) input.focus();
  };

  const field = (name: RegistrationField) => ({
    name,
    value: values[name],
    error: errors[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => {
      const text = event.currentTarget.value;
      setValues((last) => ({ ...last, [name]: text }));
      setErrors(({ [name]: _mended, ...others }) => others);
    },
  });

  const show = (error: unknown) => {
    const place = fieldOfRefusal(error, fields, fieldByCode);
    if (place === undefined) setProblem(failure(error));
    else {
      setErrors({ [place]: failure(error) });
      focus(place);
    }
    check.reset();
  };

  const sendCode = async () => {
    if (values.email.trim() === '') {
      setErrors((last) => ({ ...last, email: t('register.emailEmpty') }));
      focus('email');
      return false;
    }
    if (check.isPending) {
      setProblem(t('sign-in:humanCheck.pending'));
      return false;
    }
    setProblem(undefined);
    try {
      await verification.sendCode({ email: values.email.trim() }, check.options);
      toast.success(t('register.codeSent'));
      // An answer of the check counts for one call; the registration needs another.
      check.reset();
      return true;
    } catch (error) {
      show(error);
      return false;
    }
  };

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isSending) return;
    setProblem(undefined);
    const found = Object.entries(registrationProblems(values, needsEmail));
    setErrors(Object.fromEntries(found.map(([name, reason]) => [name, t(`register.${reason}`)])));
    const [first] = found;
    if (first) return focus(first[0]);
    if (check.isPending) return setProblem(t('sign-in:humanCheck.pending'));
    setSending(true);
    const username = values.username.trim();
    try {
      await account.register(
        {
          username,
          password: values.password,
          password2: values.confirmation,
          email: values.email.trim(),
          verification_code: values.code.trim(),
          aff_code: values.inviteCode.trim(),
        },
        check.options,
      );
      writeText('aff', undefined);
      toast.success(t('register.done'));
      navigate(loginAddress(), { state: { username } });
    } catch (error) {
      setSending(false);
      show(error);
    }
  };

  return (
    <form ref={form} onSubmit={submit} className={cardClasses.form} noValidate>
      {problem !== undefined && <Alert color="red">{problem}</Alert>}
      <TextInput
        {...field('username')}
        label={t('register.username')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
      />
      <SecretInput
        {...field('password')}
        label={t('register.password')}
        placeholder={t('register.passwordHint')}
        autoComplete="new-password"
      />
      <SecretInput {...field('confirmation')} label={t('register.confirmation')} autoComplete="new-password" />
      {needsEmail && (
        <>
          <TextInput
            {...field('email')}
            label={t('register.email')}
            type="email"
            autoComplete="email"
            spellCheck={false}
          />
          <div className={classes.code}>
            <TextInput
              {...field('code')}
              label={t('register.code')}
              autoComplete="one-time-code"
              className={classes.codeField}
            />
            <CountdownButton
              variant="default"
              seconds={30}
              storageKey="code-countdown"
              label={t('register.sendCode')}
              waitingLabel={(s) => t('register.resend', { s })}
              onClick={sendCode}
            />
          </div>
        </>
      )}
      {inviteCode !== undefined && (
        <TextInput {...field('inviteCode')} label={t('register.inviteCode')} autoComplete="off" spellCheck={false} />
      )}
      {check.widget}
      <Button type="submit" fullWidth loading={isSending}>
        {t('register.submit')}
      </Button>
    </form>
  );
}

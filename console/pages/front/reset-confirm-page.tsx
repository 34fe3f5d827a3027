/** The link of the reset mail (console.md 6.6): the new password is made at the press of the button, and shown once. */
import { Alert, Anchor, Button, TextInput } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Anchor.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Text.css';
import '@mantine/core/styles/UnstyledButton.css';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router-dom';
import { ApiError } from '../../../daemon/contract/client.ts';
import { verification as endpoints } from '../../../daemon/contract/verification.ts';
import { callsFor } from '../../api/client.ts';
import { useFailures } from '../../api/failures.ts';
import { useCopy } from '../../components/copy.tsx';
import { KeyField } from '../../components/key-field.tsx';
import cardClasses from './front-card.module.css';
import { FrontCard } from './front-card.tsx';

const verification = callsFor({ reset: endpoints.reset });

export function Page() {
  const { t } = useTranslation(['front', 'frame']);
  const [query, setQuery] = useSearchParams();
  const [given] = useState({ email: query.get('email') ?? '', token: query.get('token') ?? '' });
  // The token opens the account: it does not stay in the address, the history and what is sent as referrer.
  useEffect(() => {
    if (!query.has('token')) return;
    const rest = new URLSearchParams(query);
    rest.delete('token');
    setQuery(rest, { replace: true });
  }, [query, setQuery]);
  return (
    <FrontCard title={t('frame:page.reset')}>
      {given.email === '' || given.token === '' ? <Invalid /> : <Confirm {...given} />}
    </FrontCard>
  );
}

function Invalid() {
  const { t } = useTranslation('front');
  return (
    <div className={cardClasses.form}>
      <Alert color="red">{t('reset.invalid')}</Alert>
      <Again />
    </div>
  );
}

function Again() {
  const { t } = useTranslation('front');
  return (
    <Anchor component={Link} to="/reset">
      {t('reset.again')}
    </Anchor>
  );
}

function Confirm({ email, token }: { email: string; token: string }) {
  const { t } = useTranslation('front');
  const failure = useFailures();
  const copy = useCopy();
  const [password, setPassword] = useState<string>();
  const [isCopied, setCopied] = useState(false);
  const [problem, setProblem] = useState<string>();
  // A used or late link never gets better: what is left is to ask for another.
  const [isSpent, setSpent] = useState(false);
  const [isSending, setSending] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isSending || isSpent || password !== undefined) return;
    setSending(true);
    setProblem(undefined);
    try {
      const fresh = await verification.reset({ email, token });
      setPassword(fresh);
      setCopied(await copy(fresh, { isQuiet: true }));
    } catch (error) {
      setProblem(failure(error));
      setSpent(error instanceof ApiError && error.code === 'reset_invalid');
    }
    setSending(false);
  };

  return (
    <form onSubmit={submit} className={cardClasses.form} noValidate>
      {problem !== undefined && <Alert color="red">{problem}</Alert>}
      <TextInput label={t('reset.email')} name="email" autoComplete="email" value={email} readOnly />
      {password !== undefined && (
        <>
          <Alert color="green">{t(isCopied ? 'reset.done' : 'reset.doneUncopied', { password })}</Alert>
          <KeyField label={t('reset.newPassword')} value={password} hasVisibleLabel />
          <p>{t('reset.advice')}</p>
        </>
      )}
      {isSpent ? (
        <Again />
      ) : (
        <Button type="submit" fullWidth loading={isSending} disabled={password !== undefined}>
          {t('reset.submit')}
        </Button>
      )}
      {password !== undefined && (
        <Anchor component={Link} to="/login">
          {t('reset.toLogin')}
        </Anchor>
      )}
    </form>
  );
}

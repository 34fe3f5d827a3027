/** Signing in (console.md 6.3). */
import { Alert, Anchor, Button, Skeleton, TextInput } from '@mantine/core';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Anchor.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/PasswordInput.css';
import '@mantine/core/styles/Skeleton.css';
import '@mantine/core/styles/Text.css';
import '@mantine/core/styles/UnstyledButton.css';
import { type FormEvent, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Navigate, useLocation, useSearchParams } from 'react-router-dom';
import { account as accountEndpoints } from '../../../daemon/contract/account.ts';
import type { StatusView } from '../../../daemon/contract/status.ts';
import { callsFor } from '../../api/client.ts';
import { useFailures } from '../../api/failures.ts';
import { lazyPart } from '../../components/late-part.tsx';
import { SecretInput } from '../../components/secret-input.tsx';
import { useUser } from '../../session/session.ts';
import { useStatus } from '../../session/status.ts';
import { useStore } from '../../session/store.ts';
import { useHumanCheck } from '../../sign-in/human-check.tsx';
import { hasPasskeys } from '../../sign-in/passkey-support.ts';
import { pendingStep } from '../../sign-in/second-step.ts';
import cardClasses from './front-card.module.css';
import { FrontCard } from './front-card.tsx';
import classes from './login-page.module.css';
import { hasThirdParty, ThirdParty } from './third-party.tsx';
import { useEntry, warnOfDefaultPassword } from './use-entry.tsx';
import { useInvite } from './use-invite.ts';
import { useTelegramAnswer } from './use-telegram-answer.ts';

const account = callsFor({ login: accountEndpoints.login });
const SecondStepForm = lazyPart(() =>
  import('./second-step-form.tsx').then((module) => ({ default: module.SecondStepForm })),
);

/** Of the first account as other gateways of this family create it. */
const defaultName = 'root';
const defaultPassword = '123456';

export function Page() {
  const { t } = useTranslation('front');
  const status = useStatus();
  const user = useUser();
  const [query] = useSearchParams();
  const { returnTo } = useEntry();
  useInvite();
  const telegramError = useTelegramAnswer();
  const step = useStore(pendingStep);
  const isExpired = query.has('expired');
  // Only whoever comes here signed in is sent on; who signs in here goes where that way of signing in leads.
  const [isIn] = useState(user !== undefined && !isExpired);
  if (isIn) return <Navigate replace to={returnTo ?? '/token'} />;
  if (step) {
    return (
      <FrontCard title={t('second.title')} intro={t('second.intro')}>
        <Suspense fallback={<Skeleton height={196} />}>
          <SecondStepForm step={step} />
        </Suspense>
      </FrontCard>
    );
  }
  const canRegister = status?.register_enabled === true && !status.self_use_mode_enabled;
  const { search } = window.location;
  return (
    <FrontCard
      title={t('login.submit')}
      footer={
        canRegister && (
          <>
            {t('login.noAccount')}{' '}
            <Anchor component={Link} to={`/register${search}`}>
              {t('login.register')}
            </Anchor>
          </>
        )
      }
    >
      {isExpired && (
        <Alert color="orange" className={classes.notice}>
          {t('login.expired')}
        </Alert>
      )}
      {telegramError !== undefined && (
        <Alert color="red" className={classes.notice}>
          {telegramError}
        </Alert>
      )}
      {status ? <Ways status={status} /> : <Skeleton height={196} />}
    </FrontCard>
  );
}

const PasskeyWay = lazyPart(() => import('./passkey-way.tsx').then((module) => ({ default: module.PasskeyWay })));

function Ways({ status }: { status: StatusView }) {
  const { t } = useTranslation('front');
  const others = hasThirdParty(status);
  const passkeys = hasPasskeys(status);
  if (!status.password_login_enabled && !others && !passkeys) return <Alert color="gray">{t('login.nothing')}</Alert>;
  return (
    <>
      {status.password_login_enabled && <PasswordForm />}
      {passkeys && (
        <Suspense fallback={null}>
          <PasskeyWay isListed={status.password_login_enabled} />
        </Suspense>
      )}
      {others && <ThirdParty status={status} isAlone={!status.password_login_enabled} />}
    </>
  );
}

function PasswordForm() {
  const { t } = useTranslation(['front', 'frame', 'sign-in']);
  const { come, stepOn } = useEntry();
  const failure = useFailures();
  const check = useHumanCheck();
  const location = useLocation();
  const [username, setUsername] = useState(registeredName(location.state));
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  const passwordField = useRef<HTMLInputElement>(null);
  // A disabled field cannot take the focus: it goes back after the answer was drawn.
  useEffect(() => {
    if (problem !== undefined && !isSending) passwordField.current?.focus();
  }, [problem, isSending]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isSending) return;
    setProblem(undefined);
    if (username.trim() === '' || password === '') return setProblem(t('login.empty'));
    if (check.isPending) return setProblem(t('sign-in:humanCheck.pending'));
    setSending(true);
    try {
      const user = await account.login({ username: username.trim(), password }, check.options);
      if (username.trim() === defaultName && password === defaultPassword) {
        warnOfDefaultPassword(t('frame:notice.defaultPassword'), t('login.changePassword'));
      }
      come(user, '/token');
    } catch (error) {
      if (await stepOn(error, '/token')) return;
      setProblem(failure(error));
      setSending(false);
      check.reset();
    }
  };

  return (
    <form onSubmit={submit} className={cardClasses.form} noValidate>
      {problem !== undefined && <Alert color="red">{problem}</Alert>}
      <TextInput
        label={t('login.username')}
        name="username"
        autoComplete="username webauthn"
        autoCapitalize="none"
        spellCheck={false}
        value={username}
        onChange={(event) => setUsername(event.currentTarget.value)}
      />
      <div className={classes.password}>
        <SecretInput
          ref={passwordField}
          label={t('login.password')}
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Anchor component={Link} to="/reset" className={classes.forgot}>
          {t('login.forgot')}
        </Anchor>
      </div>
      {check.widget}
      <Button type="submit" fullWidth loading={isSending}>
        {t('login.submit')}
      </Button>
    </form>
  );
}

/** The name that the registration hands on. */
function registeredName(state: unknown): string {
  const name: unknown = typeof state === 'object' && state !== null ? Reflect.get(state, 'username') : undefined;
  return typeof name === 'string' ? name : '';
}

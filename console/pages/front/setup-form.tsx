/** The three steps of the first run, sent together. */
import { Alert, Button, Skeleton, TextInput } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Skeleton.css';
import '@mantine/core/styles/UnstyledButton.css';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../daemon/contract/client.ts';
import { setup as endpoints, type SetupState } from '../../../daemon/contract/setup.ts';
import { callsFor } from '../../api/client.ts';
import { toast } from '../../components/toast.ts';
import { SetupAccountFields } from './setup-account.tsx';
import { type AccountField, type AccountProblems, accountProblems } from './setup-account-rules.ts';
import { SetupMode, type SiteMode } from './setup-mode.tsx';
import classes from './setup-page.module.css';

const setup = callsFor(endpoints);

/** Milliseconds between the message of success and the reload. */
const reloadAfter = 1500;

const fieldOf: Readonly<Record<string, AccountField>> = {
  setup_username_invalid: 'username',
  setup_password_short: 'password',
  password_invalid: 'password',
  password_mismatch: 'confirmation',
};

export function SetupForm({ state }: { state: SetupState | undefined }) {
  const { t } = useTranslation('front');
  const [account, setAccount] = useState({ username: '', password: '', confirmation: '' });
  const [problems, setProblems] = useState<AccountProblems>({});
  const [mode, setMode] = useState<SiteMode>('external');
  const [token, setToken] = useState('');
  const [isTokenMissing, setTokenMissing] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const [phase, setPhase] = useState<'open' | 'sending' | 'done'>('open');

  useEffect(() => {
    if (phase !== 'done') return;
    const timer = setTimeout(() => window.location.reload(), reloadAfter);
    return () => clearTimeout(timer);
  }, [phase]);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    setRefusal(undefined);
    if (!state) return setRefusal(t('setup.notReady'));
    const found = state.root_init ? {} : accountProblems(account);
    setProblems(found);
    const lacksToken = state.setup_token_required && token.trim() === '';
    setTokenMissing(lacksToken);
    if (lacksToken || Object.keys(found).length > 0) return focusFirstInvalid(form);
    setPhase('sending');
    try {
      await setup.submit(
        {
          ...(state.root_init
            ? {}
            : {
                username: account.username.trim(),
                password: account.password,
                confirmPassword: account.confirmation,
              }),
          SelfUseModeEnabled: mode === 'self',
          DemoSiteEnabled: mode === 'demo',
        },
        token.trim() === '' ? {} : { headers: { 'X-Setup-Token': token.trim() } },
      );
      setPhase('done');
      toast.success(t('setup.done'));
    } catch (error) {
      setPhase('open');
      setRefusal(refusalText(error));
    }
  };

  const refusalText = (error: unknown): string => {
    if (!(error instanceof ApiError)) return t('setup.failed');
    if (error.status === 0) return t('setup.unreachable');
    const field = fieldOf[error.code];
    if (field) focusField(field);
    return error.message === `HTTP ${error.status}` ? t('setup.failed') : error.message;
  };

  return (
    <form onSubmit={submit} className={classes.form} noValidate>
      <Step number={1} title={t('setup.database.title')}>
        {state ? <Database engine={state.database_type} /> : <Skeleton height={40} />}
      </Step>
      <Step number={2} title={t('setup.account.title')}>
        {state === undefined && <Skeleton height={200} />}
        {state?.root_init && <p className={classes.plain}>{t('setup.account.exists')}</p>}
        {state && !state.root_init && (
          <SetupAccountFields
            value={account}
            problems={problems}
            onChange={(field, text) => {
              setAccount((last) => ({ ...last, [field]: text }));
              setProblems(({ [field]: _mended, ...others }) => others);
            }}
          />
        )}
        {state?.setup_token_required && (
          <TextInput
            label={t('setup.token.label')}
            description={t('setup.token.hint')}
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
            error={isTokenMissing ? t('setup.token.empty') : undefined}
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Step>
      <Step number={3} title={t('setup.mode.title')}>
        <SetupMode value={mode} onChange={setMode} />
      </Step>
      {refusal !== undefined && <Alert color="red">{refusal}</Alert>}
      {phase === 'done' && <Alert color="green">{t('setup.done')}</Alert>}
      <Button type="submit" size="md" fullWidth loading={phase === 'sending'} disabled={phase === 'done'}>
        {t('setup.submit')}
      </Button>
    </form>
  );
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <section className={classes.step}>
      <h2 className={classes.stepTitle}>
        <span className={classes.number} aria-hidden>
          {number}
        </span>
        {title}
      </h2>
      {children}
    </section>
  );
}

const engineNames: Readonly<Record<string, string>> = { postgres: 'PostgreSQL', mysql: 'MySQL' };

function Database({ engine }: { engine: string }) {
  const { t } = useTranslation('front');
  if (engine === 'sqlite') return <Alert color="orange">{t('setup.database.sqlite')}</Alert>;
  return <p className={classes.plain}>{t('setup.database.other', { engine: engineNames[engine] ?? engine })}</p>;
}

/** After the problems were drawn. */
function focusFirstInvalid(form: HTMLFormElement): void {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}

function focusField(name: AccountField): void {
  document.querySelector<HTMLElement>(`input[name="${name}"]`)?.focus();
}

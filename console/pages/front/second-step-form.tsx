/** The second step of signing in (console.md 6.3): a code of the authenticator app, a recovery code, or a passkey. */
import { Alert, Anchor, Button, TextInput } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Anchor.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import { IconFingerprint } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../daemon/contract/client.ts';
import { secondFactor as endpoints } from '../../../daemon/contract/second-factor.ts';
import { callsFor } from '../../api/client.ts';
import { useFailures } from '../../api/failures.ts';
import { useStatus } from '../../session/status.ts';
import { CodeField } from '../../sign-in/code-field.tsx';
import { pickedPasskey } from '../../sign-in/passkey.ts';
import { hasPasskeys } from '../../sign-in/passkey-support.ts';
import { type PendingStep, pendingStep } from '../../sign-in/second-step.ts';
import cardClasses from './front-card.module.css';
import { useEntry } from './use-entry.tsx';

const factor = callsFor({ beginPasskey: endpoints.beginPasskey, signIn: endpoints.signIn });
const codeLength = 6;

function takeFocus(field: HTMLInputElement | null): void {
  field?.focus();
}

export function SecondStepForm({ step }: { step: PendingStep }) {
  const { t } = useTranslation('front');
  const { come } = useEntry();
  const failure = useFailures();
  const [method, setMethod] = useState<'totp' | 'recovery'>('totp');
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isOver, setOver] = useState(false);
  const [isSending, setSending] = useState(false);
  // A field of its own for each try: it comes empty and takes the focus.
  const [tries, setTries] = useState(0);

  const status = useStatus();
  const canUsePasskeys = step.methods.includes('passkey') && hasPasskeys(status);

  /** Ends the step with what the user shows; undefined when they show nothing. */
  const finish = async (show: () => Promise<Parameters<typeof factor.signIn>[0] | undefined>) => {
    if (isSending) return;
    setProblem(undefined);
    setSending(true);
    try {
      const shown = await show();
      if (shown === undefined) return setSending(false);
      const user = await factor.signIn(shown);
      pendingStep.set(undefined);
      come(user, step.target, step.target);
    } catch (error) {
      setOver(error instanceof ApiError && error.code === 'two_factor_expired');
      setProblem(failure(error));
      setCode('');
      setTries(tries + 1);
      setSending(false);
    }
  };
  const { ticket } = step;
  const send = async (typed: string) => {
    if (typed.trim() === '') return setProblem(t('second.empty'));
    await finish(async () => ({ ticket, method, code: typed }));
  };
  const unlock = () =>
    finish(async () => {
      const passkey = await pickedPasskey(await factor.beginPasskey({ ticket }));
      return passkey && { ticket, method: 'passkey', passkey };
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send(code);
  };
  const typeDigits = (digits: string) => {
    setCode(digits);
    // Whoever has typed the last digit has said all there is to say.
    if (digits.length === codeLength) void send(digits);
  };
  const turn = () => {
    setMethod(method === 'totp' ? 'recovery' : 'totp');
    setCode('');
    setProblem(undefined);
  };

  return (
    <form onSubmit={submit} className={cardClasses.form} noValidate>
      {problem !== undefined && <Alert color="red">{problem}</Alert>}
      {!isOver && (
        <>
          {method === 'totp' ? (
            <CodeField
              key={tries}
              ref={takeFocus}
              label={t('second.code')}
              description={t('second.codeHint')}
              value={code}
              onChange={typeDigits}
            />
          ) : (
            <TextInput
              key={tries}
              ref={takeFocus}
              label={t('second.recovery')}
              description={t('second.recoveryHint')}
              placeholder="xxxx-xxxx-xxxx"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
            />
          )}
          <Button type="submit" fullWidth loading={isSending}>
            {t('second.submit')}
          </Button>
          {canUsePasskeys && (
            <Button
              variant="default"
              fullWidth
              leftSection={<IconFingerprint size={18} aria-hidden />}
              disabled={isSending}
              onClick={() => void unlock()}
            >
              {t('second.usePasskey')}
            </Button>
          )}
          {step.methods.includes('recovery') && (
            <Anchor component="button" type="button" onClick={turn}>
              {method === 'totp' ? t('second.useRecovery') : t('second.useCode')}
            </Anchor>
          )}
        </>
      )}
      <Anchor component="button" type="button" onClick={() => pendingStep.set(undefined)}>
        {t('second.again')}
      </Anchor>
    </form>
  );
}

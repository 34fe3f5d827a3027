/** Asks once more who sits there, by what the account has (console.md 1.4). */
import { Alert, Anchor, Button, TextInput } from '@mantine/core';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Anchor.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/PasswordInput.css';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { stepUp as endpoints, type ProofMethod } from '../../daemon/contract/step-up.ts';
import { callsFor } from '../api/client.ts';
import { useFailures } from '../api/failures.ts';
import type { PendingProof } from '../api/proof.ts';
import { Dialog } from '../components/dialog.tsx';
import { SecretInput } from '../components/secret-input.tsx';
import { useStatus } from '../session/status.ts';
import { CodeField } from '../sign-in/code-field.tsx';
import { pickedPasskey } from '../sign-in/passkey.ts';
import { hasPasskeys } from '../sign-in/passkey-support.ts';
import classes from './proof-dialog.module.css';

const stepUp = callsFor(endpoints);

export function ProofDialog({ proof: { required, answer } }: { proof: PendingProof }) {
  const { t } = useTranslation(['account', 'frame']);
  const failure = useFailures();
  const form = useId();
  const canUsePasskeys = hasPasskeys(useStatus());
  const methods = required.methods.filter((each) => each !== 'passkey' || canUsePasskeys);
  const [method, setMethod] = useState<ProofMethod>(methods[0] ?? 'passkey');
  const isImpossible = method === 'passkey' && !canUsePasskeys;
  const [shown, setShown] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);

  /** False when the user unlocked no passkey. */
  const prove = async (): Promise<boolean> => {
    const { action } = required;
    if (method !== 'passkey') {
      await stepUp.prove({ action, method, ...(method === 'password' ? { password: shown } : { code: shown }) });
      return true;
    }
    const passkey = await pickedPasskey(await stepUp.beginPasskey({ action }));
    if (passkey) await stepUp.prove({ action, method, passkey });
    return passkey !== undefined;
  };
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (isSending) return;
    if (method !== 'passkey' && shown.trim() === '') return setProblem(t('proof.empty'));
    setSending(true);
    setProblem(undefined);
    try {
      if (await prove()) return answer(true);
      setSending(false);
    } catch (error) {
      setProblem(failure(error));
      setShown('');
      setSending(false);
    }
  };
  const turnTo = (other: ProofMethod) => {
    setMethod(other);
    setShown('');
    setProblem(undefined);
  };

  return (
    <Dialog
      opened
      onClose={() => answer(false)}
      title={t('proof.title')}
      size={420}
      footer={
        <>
          <Button variant="default" onClick={() => answer(false)}>
            {t('frame:action.cancel')}
          </Button>
          <Button type="submit" form={form} loading={isSending} disabled={isImpossible}>
            {t('proof.submit')}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={send} className={classes.form} noValidate>
        <p className={classes.why}>{t('proof.why')}</p>
        {problem !== undefined && <Alert color="red">{problem}</Alert>}
        {method === 'passkey' ? (
          <p className={classes.why}>{isImpossible ? t('proof.noPasskey') : t('proof.passkey')}</p>
        ) : (
          <ProofField method={method} value={shown} onChange={setShown} />
        )}
        {methods
          .filter((other) => other !== method)
          .map((other) => (
            <Anchor key={other} component="button" type="button" onClick={() => turnTo(other)}>
              {t(`proof.use.${other}`)}
            </Anchor>
          ))}
      </form>
    </Dialog>
  );
}

interface ProofFieldProps {
  readonly method: Exclude<ProofMethod, 'passkey'>;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ProofField({ method, value, onChange }: ProofFieldProps) {
  const { t } = useTranslation('account');
  const label = t(`proof.field.${method}`);
  if (method === 'totp') return <CodeField label={label} value={value} onChange={onChange} data-autofocus />;
  const rest = {
    label,
    value,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
    'data-autofocus': true,
  };
  if (method === 'recovery') return <TextInput {...rest} autoComplete="off" spellCheck={false} />;
  return <SecretInput {...rest} autoComplete="current-password" />;
}

/** Asking for a reset mail (console.md 6.5). */
import { Alert, Anchor, TextInput } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Anchor.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Text.css';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { verification as endpoints } from '../../../daemon/contract/verification.ts';
import { callsFor } from '../../api/client.ts';
import { fieldOfRefusal, useFailures } from '../../api/failures.ts';
import { CountdownButton } from '../../components/countdown-button.tsx';
import { toast } from '../../components/toast.ts';
import { useHumanCheck } from '../../sign-in/human-check.tsx';
import cardClasses from './front-card.module.css';
import { FrontCard } from './front-card.tsx';

const verification = callsFor({ requestReset: endpoints.requestReset });
const addressShape = /^[^@\s]+@[^@\s]+\.[^@\s]+$/;

export function Page() {
  const { t } = useTranslation(['front', 'frame', 'sign-in']);
  const failure = useFailures();
  const check = useHumanCheck();
  const [email, setEmail] = useState('');
  const [fieldProblem, setFieldProblem] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [isSent, setSent] = useState(false);

  const submit = async () => {
    const address = email.trim();
    setProblem(undefined);
    setFieldProblem(undefined);
    setSent(false);
    if (address === '') return setFieldProblem(t('reset.emailEmpty'));
    if (!addressShape.test(address)) return setFieldProblem(t('reset.emailInvalid'));
    if (check.isPending) return setProblem(t('sign-in:humanCheck.pending'));
    try {
      await verification.requestReset({ email: address }, check.options);
      setSent(true);
      toast.success(t('reset.sent'));
    } catch (error) {
      if (fieldOfRefusal(error, ['email'], { email_invalid: 'email' })) setFieldProblem(failure(error));
      else setProblem(failure(error));
    }
    check.reset();
  };

  return (
    <FrontCard
      title={t('frame:page.reset')}
      footer={
        <>
          {t('reset.remembered')}{' '}
          <Anchor component={Link} to="/login">
            {t('reset.login')}
          </Anchor>
        </>
      }
    >
      <form className={cardClasses.form} onSubmit={(event) => event.preventDefault()} noValidate>
        {problem !== undefined && <Alert color="red">{problem}</Alert>}
        {isSent && (
          <Alert color="green" title={t('reset.sent')}>
            {t('reset.sentHint')}
          </Alert>
        )}
        <TextInput
          label={t('reset.email')}
          name="email"
          type="email"
          autoComplete="email"
          spellCheck={false}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={fieldProblem}
        />
        {check.widget}
        <CountdownButton
          type="submit"
          fullWidth
          seconds={30}
          storageKey="reset-countdown"
          label={t('reset.submit')}
          waitingLabel={(s) => t('reset.retry', { s })}
          onClick={submit}
        />
      </form>
    </FrontCard>
  );
}

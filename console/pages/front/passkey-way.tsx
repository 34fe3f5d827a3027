/** Signing in by a passkey: from the list under the name's field, or by the button (console.md 6.3). */
import { Alert, Button } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import { IconFingerprint } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFailures } from '../../api/failures.ts';
import { signInByPasskey } from '../../sign-in/passkey.ts';
import classes from './login-page.module.css';
import { useEntry } from './use-entry.tsx';

export function PasskeyWay() {
  const { t } = useTranslation('front');
  const { come } = useEntry();
  const failure = useFailures();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const isOffered = useRef(false);

  useEffect(() => {
    // One question waits in the browser at a time; that this page has another language now is no reason for a new one.
    if (isOffered.current) return;
    isOffered.current = true;
    signInByPasskey('autofill').then(
      (user) => user && come(user, '/token'),
      (error: unknown) => setProblem(failure(error)),
    );
  }, [come, failure]);

  const pick = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const user = await signInByPasskey('dialog');
      if (user) return come(user, '/token');
    } catch (error) {
      setProblem(failure(error));
    }
    setBusy(false);
  };

  return (
    <div className={classes.passkey}>
      {problem !== undefined && <Alert color="red">{problem}</Alert>}
      <Button
        variant="default"
        fullWidth
        leftSection={<IconFingerprint size={18} aria-hidden />}
        loading={isBusy}
        onClick={() => void pick()}
      >
        {t('login.withPasskey')}
      </Button>
    </div>
  );
}

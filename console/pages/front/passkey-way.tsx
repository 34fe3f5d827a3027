/** Signing in by a passkey: from the list under the name's field, or by the button (console.md 6.3). */
import { Alert, Button } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import { IconFingerprint } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFailures } from '../../api/failures.ts';
import { signInByPasskey } from '../../sign-in/passkey.ts';
import classes from './login-page.module.css';
import { useEntry } from './use-entry.tsx';

/** Before the server takes no answer any more to what it has asked, which is five minutes. */
const offerAgainMs = 4 * 60_000;

export interface PasskeyWayProps {
  /** Whether there is a field for the name, under which browsers list them. */
  readonly isListed: boolean;
}

export function PasskeyWay({ isListed }: PasskeyWayProps) {
  const { t } = useTranslation('front');
  const { come } = useEntry();
  const failure = useFailures();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const offer = useEffectEvent(() => {
    // One question waits in the browser at a time: a new one would end that of the button.
    if (isBusy) return;
    signInByPasskey('autofill').then(
      (user) => user && come(user, '/token'),
      (error: unknown) => setProblem(failure(error)),
    );
  });

  useEffect(() => {
    if (!isListed) return;
    offer();
    const timer = setInterval(() => offer(), offerAgainMs);
    return () => clearInterval(timer);
  }, [isListed]);

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

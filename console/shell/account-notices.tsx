/** What takes the page away from its account: somebody else signed in, or it was disabled (console.md 4.3). */
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/UnstyledButton.css';
import classes from './panels.module.css';

/** Another tab holds the session now; this one sends nothing more. */
export function AccountChanged({ name }: { name: string }) {
  const { t } = useTranslation();
  return (
    <main className={classes.panel}>
      <h1 className={classes.title}>{t('notice.accountChanged', { name })}</h1>
      <Button onClick={() => window.location.reload()}>{t('action.reload')}</Button>
    </main>
  );
}

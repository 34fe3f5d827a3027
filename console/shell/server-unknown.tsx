/** On a first visit without an answer there is nothing to draw a page from. */
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/UnstyledButton.css';
import classes from './panels.module.css';

export function ServerUnknown({ text, onRetry }: { text: string; onRetry: () => void }) {
  const { t } = useTranslation();
  return (
    <div className={classes.panel} role="alert">
      <h1 className={classes.title}>{text}</h1>
      <Button onClick={onRetry}>{t('action.retry')}</Button>
    </div>
  );
}

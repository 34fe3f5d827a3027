/** In place of a page that this role may not open; the frame stays (console.md 1.3). */
import { Button } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/UnstyledButton.css';
import classes from './panels.module.css';

export function NoPermission() {
  const { t } = useTranslation();
  return (
    <div className={classes.panel}>
      <IconLock className={classes.icon ?? ''} size={28} stroke={1.5} aria-hidden />
      <h1 className={classes.title}>{t('state.noPermission')}</h1>
      <div className={classes.acts}>
        <Button component={Link} to="/">
          {t('action.home')}
        </Button>
      </div>
    </div>
  );
}

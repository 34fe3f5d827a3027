/** No such page (console.md 6.28); also drawn for paths that lead nowhere within a page's pattern. */
import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/UnstyledButton.css';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import classes from './not-found.module.css';

export function NotFound() {
  const { t } = useTranslation(['front', 'frame']);
  const navigate = useNavigate();
  return (
    <div className={classes.place}>
      <p className={classes.code} aria-hidden>
        404
      </p>
      <h1 className={classes.title} tabIndex={-1}>
        {t('frame:error.pageNotFound')}
      </h1>
      <div className={classes.ways}>
        <Button component={Link} to="/">
          {t('notFound.home')}
        </Button>
        {window.history.length > 1 && (
          <Button variant="default" onClick={() => navigate(-1)}>
            {t('notFound.back')}
          </Button>
        )}
      </div>
    </div>
  );
}

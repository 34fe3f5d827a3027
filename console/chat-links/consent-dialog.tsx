import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../components/section.tsx';
import type { PendingConsent } from './consent.tsx';
import classes from './consent-dialog.module.css';

export function ConsentDialog({ question }: { readonly question: PendingConsent }) {
  const { t } = useTranslation(['chat', 'frame']);
  const { tokenName: name, receiver: host, isPage, hasKeyInQuery, canUseToken, answer } = question;
  return (
    <Dialog
      opened
      onClose={() => answer(undefined)}
      title={t('consent.title', { host })}
      footer={
        <>
          <Button variant="default" onClick={() => answer(undefined)}>
            {t('frame:action.cancel')}
          </Button>
          {canUseToken && (
            <Button variant="default" onClick={() => answer('token')}>
              {t('consent.use')}
            </Button>
          )}
          <Button data-autofocus onClick={() => answer('limited')}>
            {t('consent.limited')}
          </Button>
        </>
      }
    >
      <div className={classes.text}>
        <p>{isPage ? t('consent.site', { name, host }) : t('consent.program', { name, host })}</p>
        {hasKeyInQuery && <p className={classes.warning}>{t('consent.query')}</p>}
        <p className={classes.hint}>{t('consent.limits')}</p>
      </div>
    </Dialog>
  );
}

import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../components/dialog.tsx';
import { siteModes } from './setup-mode.tsx';
import classes from './setup-page.module.css';

/** What each mode means, in full. */
export function SetupModeHelp({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('front');
  return (
    <Dialog opened onClose={onClose} title={t('setup.mode.help')}>
      <dl className={classes.help}>
        {siteModes.map((mode) => (
          <Fragment key={mode}>
            <dt>{t(`setup.mode.name.${mode}`)}</dt>
            <dd>{t(`setup.mode.meaning.${mode}`)}</dd>
          </Fragment>
        ))}
      </dl>
    </Dialog>
  );
}

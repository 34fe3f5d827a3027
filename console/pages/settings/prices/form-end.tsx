/** What every form in a dialog of prices ends with: what is wrong with it, and its buttons. */
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import classes from './prices.module.css';

interface FormEndProps {
  readonly problem: string | undefined;
  /** Name of the button that sends the form. */
  readonly act: string;
  readonly isBusy?: boolean;
  readonly onClose: () => void;
}

export function FormEnd({ problem, act, isBusy = false, onClose }: FormEndProps) {
  const { t } = useTranslation('frame');
  return (
    <>
      {problem !== undefined && (
        <p className={classes.problem} role="alert">
          {problem}
        </p>
      )}
      <div className={classes.acts}>
        <Button type="submit" loading={isBusy}>
          {act}
        </Button>
        <Button variant="default" onClick={onClose} disabled={isBusy}>
          {t('action.cancel')}
        </Button>
      </div>
    </>
  );
}

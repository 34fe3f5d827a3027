/** Tries the way by which the payment provider calls this site. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import { isOptionKey, optionTable } from '../../../../daemon/contract/options.ts';
import { orders as orderEndpoints } from '../../../../daemon/contract/orders.ts';
import { callsFor } from '../../../api/client.ts';
import { showFailure } from '../../../api/failures.ts';
import { useSettings } from '../settings-context.tsx';
import classes from './system.module.css';

const orders = callsFor(orderEndpoints);

export function PaymentCheck() {
  const { t, i18n } = useTranslation('settings');
  const { rows } = useSettings();
  const check = useMutation({
    mutationFn: async () => ({ rows, found: await orders.selfTest() }),
    onError: showFailure,
  });
  // What was found holds for the options as they were: it goes once any of them is saved.
  const found = check.data?.rows === rows ? check.data.found : undefined;
  return (
    <div className={classes.notes}>
      <div className={classes.acts}>
        <Button variant="default" loading={check.isPending} onClick={() => check.mutate()}>
          {t('payment.check')}
        </Button>
      </div>
      {found && (
        <div className={classes.notes} role="status">
          {found.callback_url !== '' && (
            <p className={classes.line}>{t('payment.notify', { address: found.callback_url })}</p>
          )}
          {found.reason === '' ? (
            <p className={classes.good}>{t('payment.reachable', { ms: found.time })}</p>
          ) : (
            <p className={classes.problem}>
              {t(`payment.reason.${found.reason}`, { missing: labelsOf(found.missing, i18n.language) })}
            </p>
          )}
        </div>
      )}
    </div>
  );
}

/** What the fields are called on the page, since nobody meets the names of options there. */
function labelsOf(keys: readonly string[], language: string): string {
  const shown = language === 'en' ? 'en' : 'zh';
  const labels = keys.map((key) => (isOptionKey(key) ? optionTable[key].label[shown] : key));
  return labels.join(shown === 'en' ? ', ' : '、');
}

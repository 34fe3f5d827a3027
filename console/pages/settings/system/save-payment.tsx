/** Payment is saved once the site has an address, since the provider has to call it; and the way there is tried. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import { orders as orderEndpoints } from '../../../../daemon/contract/orders.ts';
import { callsFor } from '../../../api/client.ts';
import { showFailure } from '../../../api/failures.ts';
import { toast } from '../../../components/toast.ts';
import { useSaveOptions } from '../save-options.ts';
import { SaveButton } from '../save-section.tsx';
import type { SectionPartProps } from '../section-part.ts';
import { keysOf } from '../sections.ts';
import { useSettings } from '../settings-context.tsx';
import classes from './system.module.css';

const orders = callsFor(orderEndpoints);

export function SavePayment({ section }: SectionPartProps) {
  const { t } = useTranslation('settings');
  const { rows } = useSettings();
  const { saveDrafts } = useSaveOptions();
  const save = async () => {
    if (rows.get('ServerAddress')?.value === '') toast.error(t('payment.addressFirst'));
    else await saveDrafts(keysOf(section));
  };
  return <SaveButton section={section} onSave={save} />;
}

export function PaymentCheck() {
  const { t } = useTranslation('settings');
  const check = useMutation({ mutationFn: () => orders.selfTest(), onError: showFailure });
  const found = check.data;
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
              {t(`payment.reason.${found.reason}`, { missing: found.missing.join(', ') })}
            </p>
          )}
        </div>
      )}
    </div>
  );
}

/** What a code has brought. */
import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../components/dialog.tsx';
import { formatQuota } from '../../components/format.ts';
import { Quota, useMoneyUnits } from '../../components/quota.tsx';
import classes from './wallet-page.module.css';

export interface Redeemed {
  /** The balance with it; undefined where it could not be asked for. */
  readonly after: number | undefined;
  readonly credited: number;
  readonly isGift: boolean;
}

export function RedeemedDialog({ redeemed, onClose }: { redeemed: Redeemed; onClose: () => void }) {
  const { t } = useTranslation('wallet');
  const units = useMoneyUnits();
  const amount = formatQuota(redeemed.credited, units);
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('redeem.title')}
      size={400}
      footer={
        <Button onClick={onClose} data-autofocus>
          {t('redeem.close')}
        </Button>
      }
    >
      <p role="status">{redeemed.isGift ? t('redeem.giftDone', { amount }) : t('redeem.done', { amount })}</p>
      {redeemed.after !== undefined && (
        <dl className={classes.result}>
          <dt>{t('redeem.before')}</dt>
          <dd>
            <Quota value={redeemed.after - redeemed.credited} />
          </dd>
          <dt>{t('redeem.change')}</dt>
          <dd>
            +<Quota value={redeemed.credited} />
          </dd>
          <dt>{t('redeem.after')}</dt>
          <dd>
            <Quota value={redeemed.after} />
          </dd>
        </dl>
      )}
    </Dialog>
  );
}

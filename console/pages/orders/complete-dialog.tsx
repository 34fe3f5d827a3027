/** Asks before an order is credited by hand: to whom, how much, for what money, and why (console.md 6.23). */
import { Button, TextInput } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminOrderView } from '../../../daemon/contract/orders.ts';
import { formatMoney, formatQuota } from '../../components/format.ts';
import { useMoneyUnits } from '../../components/quota.tsx';
import { Dialog } from '../../components/section.tsx';
import { buyerName } from './order-words.ts';
import classes from './orders.module.css';

export interface CompleteDialogProps {
  readonly order: AdminOrderView;
  readonly isBusy: boolean;
  readonly onClose: () => void;
  readonly onComplete: (reason: string) => void;
}

export function CompleteDialog({ order, isBusy, onClose, onComplete }: CompleteDialogProps) {
  const { t } = useTranslation(['orders', 'frame']);
  const units = useMoneyUnits();
  const [reason, setReason] = useState('');
  const [isMissing, setMissing] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const told = reason.trim();
    if (told === '') setMissing(true);
    else onComplete(told);
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      isSending={isBusy}
      title={t('complete.title', { trade: order.trade_no })}
      footer={
        <>
          <Button variant="default" onClick={onClose} disabled={isBusy}>
            {t('frame:action.cancel')}
          </Button>
          <Button color="red" type="submit" form="complete-order" loading={isBusy}>
            {t('complete.act')}
          </Button>
        </>
      }
    >
      <form id="complete-order" className={classes.form} onSubmit={submit} noValidate>
        <p>
          {t('complete.text', {
            user: buyerName(order),
            quota: formatQuota(order.quota, units),
            money: formatMoney(order.money, order.currency),
          })}
        </p>
        <TextInput
          label={t('complete.reason')}
          description={t('complete.reasonHelp')}
          required
          value={reason}
          onChange={(event) => {
            setReason(event.currentTarget.value);
            setMissing(false);
          }}
          error={isMissing ? t('complete.reasonMissing') : undefined}
          maxLength={200}
          data-autofocus
        />
      </form>
    </Dialog>
  );
}

import { Alert, Button } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { rewards as endpoints } from '../../daemon/contract/rewards.ts';
import { callsFor } from '../api/client.ts';
import { useFailures } from '../api/failures.ts';
import { useOnce } from '../api/idempotency-key.ts';
import { queryClient } from '../api/query-client.ts';
import { Dialog } from '../components/dialog.tsx';
import { formatInteger, formatQuota } from '../components/format.ts';
import { MoneyInput } from '../components/money-input.tsx';
import { writeMoney } from '../components/money-text.ts';
import { useMoneyUnits } from '../components/quota.tsx';
import { toast } from '../components/toast.ts';
import classes from './transfer-dialog.module.css';

const rewards = callsFor({ transfer: endpoints.transferInviteEarnings });

/** Moves invite earnings to the balance, at least the worth of one dollar at a time. */
export function TransferDialog({ available, onClose }: { available: number; onClose: () => void }) {
  const { t } = useTranslation('account');
  const units = useMoneyUnits();
  const failure = useFailures();
  const once = useOnce();
  const least = units.quotaPerUnit;
  const [amount, setAmount] = useState(Math.max(available, least));
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  // To the last digit: rounded up, all there is would be more than may be moved.
  const shown = (quota: number) =>
    units.isCurrency ? `$${writeMoney(quota, 'dollar', units.quotaPerUnit)}` : formatInteger(quota);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isSending) return;
    setProblem(undefined);
    if (!(amount >= least)) return setProblem(t('transfer.tooLittle', { amount: shown(least) }));
    if (amount > available) return setProblem(t('transfer.tooMuch', { amount: shown(available) }));
    setSending(true);
    try {
      const input = { quota: amount };
      await once(input, (idempotencyKey) => rewards.transfer(input, { idempotencyKey }));
      await queryClient.invalidateQueries({ queryKey: ['self'] });
      toast.success(t('transfer.done', { amount: formatQuota(amount, units) }));
      onClose();
    } catch (error) {
      setProblem(failure(error));
      setSending(false);
    }
  };

  return (
    <Dialog opened onClose={onClose} isSending={isSending} title={t('transfer.title')} size={440}>
      <form onSubmit={submit} className={classes.form} noValidate>
        {problem !== undefined && <Alert color="red">{problem}</Alert>}
        <MoneyInput
          label={t('transfer.amount')}
          description={t('transfer.available', { amount: shown(available) })}
          value={amount}
          onChange={setAmount}
          data-autofocus
        />
        <div className={classes.acts}>
          <Button variant="default" onClick={onClose} disabled={isSending}>
            {t('transfer.cancel')}
          </Button>
          <Button type="submit" loading={isSending}>
            {t('transfer.submit')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

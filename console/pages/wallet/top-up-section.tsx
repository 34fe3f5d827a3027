/** Buying balance online: how much, what that costs, how it is paid. */
import { Alert, Button, SegmentedControl, TextInput } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/SegmentedControl.css';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../daemon/contract/client.ts';
import type { StatusView } from '../../../daemon/contract/status.ts';
import { wallet as endpoints } from '../../../daemon/contract/wallet.ts';
import { callsFor } from '../../api/client.ts';
import { useOnce } from '../../api/idempotency-key.ts';
import { queryClient } from '../../api/query-client.ts';
import { confirm } from '../../components/confirm.tsx';
import { Section } from '../../components/section.tsx';
import { usePhone } from '../../components/use-phone.ts';
import { amountText } from './amount-text.ts';
import { type AwaitedOrder, keepAwaited, keptAwaited } from './awaited-order.ts';
import { AwaitedPayment } from './awaited-payment.tsx';
import { postForm } from './post-form.ts';
import classes from './wallet-page.module.css';

const wallet = callsFor({ price: endpoints.price, pay: endpoints.pay });

/** Milliseconds after the last key. */
const pause = 300;
const methods = ['zfb', 'wx'] as const;
type Method = (typeof methods)[number];

export function TopUpSection({ status }: { status: StatusView }) {
  const { t } = useTranslation('wallet');
  const isPhone = usePhone();
  const isOn = status.enable_online_topup;
  const unit = status.display_in_currency ? 1 : status.quota_per_unit;
  const least = Math.max(1, Math.ceil(status.min_topup * unit));
  const [text, setText] = useState(String(least));
  const [method, setMethod] = useState<Method>('zfb');
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  const [awaited, setAwaited] = useState(keptAwaited);
  const awaitOrder = (order: AwaitedOrder | undefined) => {
    keepAwaited(order);
    setAwaited(order);
  };
  const once = useOnce();
  const amount = Number(text);
  const isWhole = Number.isSafeInteger(amount);
  const isTooLittle = amount < least;
  const refusal = isTooLittle ? t('topUp.tooLittle', { min: least }) : isWhole ? undefined : t('topUp.notWhole');
  const [settled] = useDebouncedValue(amount, pause);
  const price = useQuery({
    queryKey: ['wallet', 'price', settled],
    queryFn: ({ signal }) => wallet.price({ amount: settled, top_up_code: '' }, { signal }),
    enabled: isOn && settled >= least && Number.isSafeInteger(settled),
    retry: false,
  });
  const isSettled = settled === amount && isWhole && !isTooLittle;
  const priceText = isSettled ? price.data?.data : undefined;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isSending || priceText === undefined) return;
    setProblem(undefined);
    const isSure = await confirm({
      kind: 'plain',
      title: t('pay.title'),
      text: t('pay.question', { n: amount, price: priceText }),
      verb: t('pay.submit'),
    });
    if (!isSure) return;
    setSending(true);
    try {
      const input = { amount, payment_method: method, top_up_code: '' };
      const { url, data } = await once(input, (idempotencyKey) => wallet.pay(input, { idempotencyKey }));
      const { out_trade_no: tradeNo } = data;
      awaitOrder(tradeNo === undefined ? undefined : { tradeNo, since: Date.now() });
      postForm(url, data, !isPhone);
      await queryClient.invalidateQueries({ queryKey: ['orders'] });
    } catch (error) {
      setProblem(reasonOf(error) ?? t('pay.failed'));
    }
    setSending(false);
  };

  return (
    <Section title={t('topUp.title')}>
      <form onSubmit={submit} className={classes.form} noValidate>
        {!isOn && <Alert color="gray">{t('topUp.off')}</Alert>}
        {problem !== undefined && <Alert color="red">{problem}</Alert>}
        <TextInput
          label={t('topUp.amount')}
          description={status.display_in_currency ? t('topUp.inDollars') : t('topUp.inQuota')}
          inputMode="numeric"
          autoComplete="off"
          value={text}
          onChange={(event) => setText(amountText(event.currentTarget.value))}
          error={isOn && text !== '' ? refusal : undefined}
          disabled={!isOn}
        />
        <SegmentedControl
          aria-label={t('pay.method')}
          value={method}
          onChange={setMethod}
          data={methods.map((value) => ({ value, label: t(`pay.by.${value}`) }))}
          disabled={!isOn}
        />
        <p className={classes.price} aria-live="polite">
          {priceText !== undefined && t('topUp.price', { price: priceText })}
          {isSettled && price.isError && (reasonOf(price.error) ?? t('topUp.priceFailed'))}
        </p>
        <Button type="submit" loading={isSending} disabled={!isOn || priceText === undefined}>
          {t('pay.submit')}
        </Button>
        {awaited !== undefined && (
          <AwaitedPayment key={awaited.tradeNo} order={awaited} onClose={() => awaitOrder(undefined)} />
        )}
      </form>
    </Section>
  );
}

/** The server's words for why it refused; undefined when it said nothing. */
function reasonOf(error: unknown): string | undefined {
  return error instanceof ApiError && error.status === 200 ? error.message : undefined;
}

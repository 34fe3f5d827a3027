/** Waits for the provider's message that an order was paid. */
import { Alert, Loader } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Loader.css';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { wallet as endpoints } from '../../../daemon/contract/wallet.ts';
import { callsFor } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { formatQuota } from '../../components/format.ts';
import { useMoneyUnits } from '../../components/quota.tsx';
import { type AwaitedOrder, awaitedForMs, keepAwaited } from './awaited-order.ts';
import classes from './wallet-page.module.css';

const wallet = callsFor({ orders: endpoints.orders });

const askEvery = 5_000;

export function AwaitedPayment({ order: { tradeNo, since }, onClose }: { order: AwaitedOrder; onClose: () => void }) {
  const { t } = useTranslation('wallet');
  const units = useMoneyUnits();
  const [isOver, setOver] = useState(false);
  const order = useQuery({
    queryKey: ['wallet', 'awaited', tradeNo],
    queryFn: async ({ signal }) => {
      const { items } = await wallet.orders({ page: 1, page_size: 10 }, { signal });
      return items.find(({ trade_no }) => trade_no === tradeNo) ?? null;
    },
    refetchInterval: ({ state }) => (isOver || state.data?.status === 'success' ? false : askEvery),
    staleTime: 0,
  });
  const isPaid = order.data?.status === 'success';
  useEffect(() => {
    // A clock that was set back makes it no longer.
    const rest = Math.min(awaitedForMs, since + awaitedForMs - Date.now());
    const timer = setTimeout(() => setOver(true), rest);
    return () => clearTimeout(timer);
  }, [since]);
  useEffect(() => {
    if (!isPaid) return;
    keepAwaited(undefined);
    void queryClient.invalidateQueries({ queryKey: ['self'] });
    void queryClient.invalidateQueries({ queryKey: ['orders'] });
  }, [isPaid]);

  const closing = { withCloseButton: true, closeButtonLabel: t('pay.close'), onClose };
  if (isPaid) {
    return (
      <Alert color="green" aria-live="assertive" {...closing}>
        {t('pay.credited', { amount: formatQuota(order.data?.quota ?? 0, units) })}
      </Alert>
    );
  }
  if (isOver) {
    return (
      <Alert color="orange" {...closing}>
        {t('pay.unheard')}
      </Alert>
    );
  }
  return (
    <Alert color="blue" role="status" {...closing}>
      <span className={classes.waiting}>
        <Loader size={16} aria-hidden />
        {t('pay.waiting')}
      </span>
    </Alert>
  );
}

/** What can be done to an order. Money is never shown as moved before the server says so. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminOrderView } from '../../../daemon/contract/orders.ts';
import { showFailure } from '../../api/failures.ts';
import { useOnce } from '../../api/idempotency-key.ts';
import { formatQuota } from '../../components/format.ts';
import { useMoneyUnits } from '../../components/quota.tsx';
import { toast } from '../../components/toast.ts';
import { orders, ordersKey } from './order-calls.ts';
import { buyerName } from './order-words.ts';

export type ProviderAnswer = Awaited<ReturnType<typeof orders.query>>;

export function useOrderActs() {
  const { t } = useTranslation('orders');
  const queryClient = useQueryClient();
  const units = useMoneyUnits();
  const once = useOnce();
  const [busy, setBusy] = useState<string>();
  const refresh = () => queryClient.invalidateQueries({ queryKey: [ordersKey] });

  /** Credits an order; true when that worked. */
  const complete = async (order: AdminOrderView, reason: string): Promise<boolean> => {
    const { trade_no } = order;
    const user = buyerName(order);
    const quota = formatQuota(order.quota, units);
    setBusy(trade_no);
    try {
      await once({ trade_no, reason }, (idempotencyKey) => orders.complete({ trade_no, reason }, { idempotencyKey }));
      toast.success(t('complete.done', { user, quota }));
      return true;
    } catch (error) {
      showFailure(error);
      return false;
    } finally {
      setBusy(undefined);
      // Also after a refusal: somebody else may have completed it.
      await refresh();
    }
  };

  const query = async ({ trade_no }: AdminOrderView): Promise<ProviderAnswer | undefined> => {
    setBusy(trade_no);
    try {
      return await orders.query({ trade_no });
    } catch (error) {
      showFailure(error);
      return undefined;
    } finally {
      setBusy(undefined);
    }
  };

  return { busy, refresh, complete, query };
}

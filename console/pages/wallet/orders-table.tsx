/** The own orders, newest first. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { wallet as endpoints, type OrderView } from '../../../daemon/contract/wallet.ts';
import { callsFor } from '../../api/client.ts';
import { useList } from '../../api/use-list.ts';
import { CopyText } from '../../components/copy.tsx';
import { DataTable } from '../../components/data-table.tsx';
import type { Column } from '../../components/data-table-types.ts';
import { formatMoney } from '../../components/format.ts';
import { Quota, Time } from '../../components/quota.tsx';
import { EmptyState } from '../../components/section.tsx';
import { StatusTag } from '../../components/tag.tsx';

const wallet = callsFor({ orders: endpoints.orders });

export function OrdersTable() {
  const { t } = useTranslation('wallet');
  const list = useList({});
  const orders = useQuery({
    queryKey: ['orders', 'own', list.input],
    queryFn: ({ signal }) => wallet.orders(list.input, { signal }),
    placeholderData: keepPreviousData,
  });
  const methodName = (method: string) => (method === 'zfb' || method === 'wx' ? t(`pay.by.${method}`) : method);
  const columns: Column<OrderView>[] = [
    { key: 'time', title: t('orders.time'), card: 'meta', cell: (order) => <Time seconds={order.create_time} /> },
    {
      key: 'tradeNo',
      title: t('orders.tradeNo'),
      card: 'title',
      cell: (order) => <CopyText value={order.trade_no} isCut />,
    },
    {
      key: 'quota',
      title: t('orders.credit'),
      align: 'right',
      card: 'figure',
      cell: (order) => <Quota value={order.quota} />,
    },
    {
      key: 'money',
      title: t('orders.money'),
      align: 'right',
      card: 'figure',
      cell: (order) => formatMoney(order.money, order.currency),
    },
    { key: 'method', title: t('orders.method'), card: 'meta', cell: (order) => methodName(order.payment_method) },
    {
      key: 'status',
      title: t('orders.status'),
      card: 'status',
      cell: (order) => <StatusTag kind="orderStatus" value={order.status} />,
    },
  ];
  return (
    <DataTable
      label={t('orders.title')}
      rows={orders.data?.items ?? []}
      rowKey={(order) => String(order.id)}
      columns={columns}
      total={orders.data?.total ?? 0}
      page={list.page}
      size={list.size}
      onPage={list.setPage}
      onSize={list.setSize}
      state={{
        isLoading: orders.isPending,
        isStale: orders.isPlaceholderData,
        error: orders.error ?? undefined,
        onRetry: () => void orders.refetch(),
      }}
      empty={<EmptyState text={t('orders.empty')} />}
      storageKey="columns:own-orders"
    />
  );
}

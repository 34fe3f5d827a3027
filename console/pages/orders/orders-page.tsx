/** Orders of top-ups (console.md 6.23): what was paid, what the provider said, and what is to be mended by hand. */
import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminOrderView } from '../../../daemon/contract/orders.ts';
import { showFailure } from '../../api/failures.ts';
import { useList } from '../../api/use-list.ts';
import { downloadFile } from '../../components/csv-download.ts';
import { DataTable } from '../../components/data-table.tsx';
import type { RowAction } from '../../components/data-table-types.ts';
import { FilterBar, type FilterField } from '../../components/filter-bar.tsx';
import { lazyPart } from '../../components/late-part.tsx';
import { listView } from '../../components/list-view.ts';
import { EmptyState, PageHeader } from '../../components/section.tsx';
import { rangeToSeconds } from '../../components/time-range-text.ts';
import { CallbackList } from './callback-list.tsx';
import { orderColumns } from './columns.tsx';
import { orders, ordersKey } from './order-calls.ts';
import { OrderTotals } from './order-totals.tsx';
import { completionRefusal } from './order-words.ts';
import { type ProviderAnswer, useOrderActs } from './use-order-acts.ts';

const ProviderDialog = lazyPart(() =>
  import('./provider-dialog.tsx').then((module) => ({ default: module.ProviderDialog })),
);

const CompleteDialog = lazyPart(() =>
  import('./complete-dialog.tsx').then((module) => ({ default: module.CompleteDialog })),
);

const defaults = { range: '', keyword: '', user: '', status: '' };

function filterOf({ range, keyword, user, status }: Readonly<typeof defaults>) {
  const { from, to } = rangeToSeconds(range);
  const userId = Number(user);
  return {
    ...(keyword === '' ? {} : { keyword }),
    ...(Number.isSafeInteger(userId) && userId > 0 ? { user_id: userId } : {}),
    ...(status === '' ? {} : { status }),
    ...(from === undefined ? {} : { start_timestamp: from }),
    ...(to === undefined ? {} : { end_timestamp: to }),
  };
}

export function Page() {
  const { t } = useTranslation(['orders', 'frame']);
  const list = useList({ filters: defaults });
  const acts = useOrderActs();
  const [asked, setAsked] = useState<{ readonly order: AdminOrderView; readonly answer: ProviderAnswer }>();
  const [completed, setCompleted] = useState<AdminOrderView>();
  const rows = useQuery({
    queryKey: [ordersKey, list.values, list.input],
    queryFn: ({ signal }) => orders.list({ ...filterOf(list.values), ...list.input }, { signal }),
    placeholderData: keepPreviousData,
  });
  const columns = useMemo(() => orderColumns(t), [t]);
  const fields = useFields();

  const rowActions = (order: AdminOrderView): readonly RowAction[] => {
    const refusal = completionRefusal(order.status);
    return [
      {
        key: 'complete',
        label: t('complete.act'),
        isDirect: true,
        refused: refusal && t(refusal),
        onAct: () => setCompleted(order),
      },
      {
        key: 'query',
        label: t('provider.act'),
        onAct: () => {
          void acts.query(order).then((answer) => answer && setAsked({ order, answer }));
        },
      },
      {
        key: 'audit',
        label: t('audit'),
        href: `/audit?target=${encodeURIComponent(`order:${order.trade_no}`)}`,
        onAct: () => undefined,
      },
    ];
  };

  const exportRows = async () => {
    try {
      const answer = await orders.export(filterOf(list.values));
      downloadFile('orders.csv', await answer.blob(), answer.headers.get('content-type') ?? '');
    } catch (error) {
      showFailure(error);
    }
  };

  const view = listView(list, rows);
  return (
    <>
      <PageHeader
        title={t('frame:page.orders')}
        secondary={
          <Button variant="default" onClick={() => void exportRows()}>
            {t('export')}
          </Button>
        }
      />
      <OrderTotals totals={rows.data?.totals ?? []} />
      <FilterBar list="order" fields={fields} {...view.filters} />
      <DataTable
        label={t('frame:page.orders')}
        {...view.table}
        rowKey={({ id }) => String(id)}
        columns={columns}
        expand={(order) => <CallbackList order={order} />}
        rowActions={rowActions}
        isRowBusy={({ trade_no }) => trade_no === acts.busy}
        empty={<EmptyState text={t('empty')} />}
        storageKey="columns:orders"
      />
      <Suspense fallback={null}>
        {asked && (
          <ProviderDialog
            {...asked}
            onClose={() => setAsked(undefined)}
            onComplete={() => {
              const { order } = asked;
              setAsked(undefined);
              setCompleted(order);
            }}
          />
        )}
        {completed && (
          <CompleteDialog
            key={completed.trade_no}
            order={completed}
            isBusy={acts.busy === completed.trade_no}
            onClose={() => setCompleted(undefined)}
            onComplete={(reason) => {
              void acts.complete(completed, reason).then((isDone) => isDone && setCompleted(undefined));
            }}
          />
        )}
      </Suspense>
    </>
  );
}

function useFields(): readonly FilterField[] {
  const { t } = useTranslation(['orders', 'enumerations']);
  return useMemo(
    () => [
      { key: 'range', label: t('column.time'), kind: 'range' },
      { key: 'keyword', label: t('filter.keyword'), kind: 'text', width: 220 },
      { key: 'user', label: t('filter.user'), kind: 'number', width: 140 },
      {
        key: 'status',
        label: t('column.status'),
        kind: 'select',
        width: 150,
        options: [
          { value: 'pending', label: t('enumerations:label.pendingPayment') },
          { value: 'success', label: t('enumerations:label.success') },
          { value: 'failed', label: t('enumerations:label.failed') },
          { value: 'expired', label: t('enumerations:label.expired') },
        ],
      },
    ],
    [t],
  );
}

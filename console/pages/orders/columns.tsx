/** What the list of orders shows of each. */
import type { TFunction } from 'i18next';
import { Link } from 'react-router-dom';
import type { AdminOrderView } from '../../../daemon/contract/orders.ts';
import { CopyText } from '../../components/copy.tsx';
import type { Column } from '../../components/data-table-types.ts';
import { formatInteger, formatMoney, formatTime } from '../../components/format.ts';
import { Quota, Time } from '../../components/quota.tsx';
import { StatusTag } from '../../components/tag.tsx';
import { buyerName, methodName } from './order-words.ts';
import classes from './orders.module.css';

export function orderColumns(t: TFunction<'orders'>): readonly Column<AdminOrderView>[] {
  return [
    {
      key: 'time',
      title: t('column.time'),
      card: 'meta',
      cell: ({ create_time }) => <Time seconds={create_time} />,
      export: ({ create_time }) => formatTime(create_time),
    },
    {
      key: 'tradeNo',
      title: t('column.tradeNo'),
      card: 'meta',
      cell: ({ trade_no }) => <CopyText value={trade_no} isCut />,
      export: ({ trade_no }) => trade_no,
    },
    {
      key: 'user',
      title: t('column.user'),
      card: 'title',
      cell: (order) =>
        order.username === '' ? (
          <span className={classes.dim} title={t('purged')}>
            {buyerName(order)}
          </span>
        ) : (
          <Link className={classes.name ?? ''} to={`/user/edit/${order.user_id}`}>
            {order.username}
          </Link>
        ),
      export: buyerName,
    },
    {
      key: 'amount',
      title: t('column.amount'),
      align: 'right',
      cell: ({ amount }) => formatInteger(amount),
      export: ({ amount }) => amount,
    },
    {
      key: 'quota',
      title: t('column.quota'),
      align: 'right',
      card: 'figure',
      cell: ({ quota }) => <Quota value={quota} />,
      export: ({ quota }) => quota,
    },
    {
      key: 'money',
      title: t('column.money'),
      align: 'right',
      card: 'figure',
      cell: ({ money, currency }) => <span className={classes.figure}>{formatMoney(money, currency)}</span>,
      export: ({ money }) => money,
    },
    {
      key: 'method',
      title: t('column.method'),
      cell: ({ payment_method, provider }) => <span title={provider}>{methodName(payment_method, t)}</span>,
      export: ({ payment_method }) => payment_method,
    },
    {
      key: 'status',
      title: t('column.status'),
      card: 'status',
      cell: ({ status, complete_time }) => (
        <StatusTag
          kind="orderStatus"
          value={status}
          title={complete_time > 0 ? t('completedAt', { time: formatTime(complete_time) }) : undefined}
        />
      ),
      export: ({ status }) => status,
    },
    {
      key: 'callbacks',
      title: t('column.callbacks'),
      align: 'right',
      cell: ({ callbacks }) => callbacks.length,
      export: ({ callbacks }) => callbacks.length,
    },
  ];
}

/** Orders as their buyers and administrators see them, and as a file. */
import type { FileAnswer } from '../../contract/endpoint.ts';
import type { AdminOrderView, OrderTotals, PaymentCallbackView } from '../../contract/orders.ts';
import type { OrderView } from '../../contract/wallet.ts';
import type { OrderTotal } from '../../domain/order-totals.ts';
import type { OrderDetail } from '../../domain/orders.ts';
import type { PaymentCallbackRecord, TopUpRecord } from '../../store/top-ups.ts';
import { rowFile, tableBody } from './row-file.ts';

export function presentOrder(order: TopUpRecord): OrderView {
  return {
    id: order.id,
    trade_no: order.tradeNo,
    amount: order.amount,
    quota: order.quota,
    money: order.money,
    currency: order.currency,
    provider: order.provider,
    payment_method: order.paymentMethod,
    create_time: order.createTime,
    complete_time: order.completeTime,
    status: order.status,
  };
}

export function presentOrderDetail({ order, username, callbacks }: OrderDetail): AdminOrderView {
  return { ...presentOrder(order), user_id: order.userId, username, callbacks: callbacks.map(presentCallback) };
}

export function presentOrderTotal({ currency, all, paid }: OrderTotal): OrderTotals {
  const { count, amount, quota, money } = all;
  const { count: paid_count, quota: paid_quota, money: paid_money } = paid;
  return { currency, count, amount, quota, money, paid_count, paid_quota, paid_money };
}

const columns = [
  'id',
  'trade_no',
  'user_id',
  'username',
  'amount',
  'quota',
  'money',
  'currency',
  'provider',
  'payment_method',
  'status',
  'create_time',
  'complete_time',
] as const satisfies readonly (keyof AdminOrderView)[];

/** The orders as a download, streamed portion by portion; a table has the number of notifications only. */
export function orderFile(pages: AsyncIterable<readonly OrderDetail[]>, format: 'csv' | 'ndjson'): FileAnswer {
  const table = {
    present: presentOrderDetail,
    columns: [...columns, 'callbacks'],
    cells: (row: AdminOrderView) => [...columns.map((column) => row[column]), row.callbacks.length],
  };
  return rowFile('orders', format, tableBody(pages, format, table));
}

function presentCallback(callback: PaymentCallbackRecord): PaymentCallbackView {
  return {
    received_at: callback.receivedAt,
    remote_ip: callback.remoteIp,
    verified: callback.verified,
    reason: callback.reason,
    fields: JSON.parse(callback.fields),
  };
}

/** Orders as their buyers and administrators see them, and as a file. */
import { stringify } from 'csv-stringify/sync';
import type { FileAnswer } from '../../contract/endpoint.ts';
import type { AdminOrderView, OrderTotals, PaymentCallbackView } from '../../contract/orders.ts';
import type { OrderView } from '../../contract/wallet.ts';
import type { OrderTotal } from '../../domain/order-totals.ts';
import type { OrderDetail } from '../../domain/orders.ts';
import type { PaymentCallbackRecord, TopUpRecord } from '../../store/top-ups.ts';
import { textCell } from './text-cell.ts';

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
  return format === 'csv'
    ? { contentType: 'text/csv; charset=utf-8', fileName: 'orders.csv', body: csvOf(pages) }
    : { contentType: 'application/x-ndjson; charset=utf-8', fileName: 'orders.ndjson', body: ndjsonOf(pages) };
}

async function* csvOf(pages: AsyncIterable<readonly OrderDetail[]>): AsyncGenerator<string> {
  yield `${[...columns, 'callbacks'].join(',')}\n`;
  for await (const page of pages) {
    const cell = (value: string | number) => (typeof value === 'number' ? value : textCell(value));
    yield stringify(
      page.map(presentOrderDetail).map((row) => [...columns.map((name) => cell(row[name])), row.callbacks.length]),
    );
  }
}

async function* ndjsonOf(pages: AsyncIterable<readonly OrderDetail[]>): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((row) => `${JSON.stringify(presentOrderDetail(row))}\n`).join('');
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

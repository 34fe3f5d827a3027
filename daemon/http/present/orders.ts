/** Orders as their buyers and administrators see them. */
import type { AdminOrderView, PaymentCallbackView } from '../../contract/orders.ts';
import type { OrderView } from '../../contract/wallet.ts';
import type { OrderDetail } from '../../domain/orders.ts';
import type { PaymentCallbackRecord, TopUpRecord } from '../../store/top-ups.ts';

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

function presentCallback(callback: PaymentCallbackRecord): PaymentCallbackView {
  return {
    received_at: callback.receivedAt,
    remote_ip: callback.remoteIp,
    verified: callback.verified,
    reason: callback.reason,
    fields: JSON.parse(callback.fields),
  };
}

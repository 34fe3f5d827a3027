/** Orders of top-ups as administrators see them, and the payment provider's notifications (management-api.md 3.13). */
import * as z from 'zod/mini';
import { endpoint, pagedFromOne } from './endpoint.ts';
import { filterText, optionalColumnNumber, optionalWholeNumber } from './loose.ts';
import { OrderView } from './wallet.ts';

/** A notification as it came, accepted or not. */
export const PaymentCallbackView = z.object({
  received_at: z.int(),
  remote_ip: z.string(),
  /** Whether it carried our merchant's signature. */
  verified: z.boolean(),
  /** "" when it was accepted, else one of amount, closed, merchant, provider, repeated, signature, unpaid, user_gone. */
  reason: z.string(),
  /** The known parameters without the signature. */
  fields: z.record(z.string(), z.string()),
});
export type PaymentCallbackView = z.infer<typeof PaymentCallbackView>;

/** An order with its buyer and everything the provider has said about it. */
export const AdminOrderView = z.object({
  ...OrderView.shape,
  user_id: z.int(),
  /** "" when the account was purged. */
  username: z.string(),
  /** Oldest first. */
  callbacks: z.array(PaymentCallbackView),
});
export type AdminOrderView = z.infer<typeof AdminOrderView>;

/** Sums over all orders of a filter in one currency. */
export const OrderTotals = z.object({
  currency: z.string(),
  count: z.int(),
  /** As entered: USD or quota units, whatever the site showed when each order was made. */
  amount: z.int(),
  /** What the balances gain, in quota units. */
  quota: z.int(),
  /** Exact decimal in `currency`. */
  money: z.string(),
  /** Those among them that were credited. */
  paid_count: z.int(),
  paid_quota: z.int(),
  paid_money: z.string(),
});
export type OrderTotals = z.infer<typeof OrderTotals>;

const filters = {
  /** Part of the order number; a number also matches the user's id. */
  keyword: filterText,
  status: filterText,
  user_id: optionalColumnNumber,
  start_timestamp: optionalWholeNumber,
  end_timestamp: optionalWholeNumber,
};

const ofOrder = z.object({ trade_no: z.string().check(z.minLength(1), z.maxLength(64)) });

export const orders = {
  list: endpoint({
    method: 'GET',
    path: '/api/user/topup',
    access: 'admin',
    scope: 'order:read',
    shape: 'page',
    paging: pagedFromOne,
    description: {
      en: 'Orders with the notifications received for them, newest first, and the totals of the filter.',
      zh: '订单及其收到的支付通知，最新的在前，并附筛选结果的合计。',
    },
    input: z.object(filters),
    output: AdminOrderView,
    /** Of all pages together, one a currency. */
    siblings: z.object({ totals: z.array(OrderTotals) }),
  }),
  export: endpoint({
    method: 'GET',
    path: '/api/user/topup/export',
    access: 'admin',
    scope: 'order:read',
    shape: 'file',
    rate: 'download',
    description: {
      en: 'All orders of the filter as a file, newest first; streamed.',
      zh: '以流式方式把筛选出的全部订单导出为文件，最新的在前。',
    },
    input: z.object({ ...filters, format: z._default(z.enum(['csv', 'ndjson']), 'csv') }),
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/user/topup/:trade_no',
    access: 'admin',
    scope: 'order:read',
    shape: 'data',
    description: { en: 'One order with the notifications received for it.', zh: '查看一个订单及其收到的支付通知。' },
    input: ofOrder,
    output: AdminOrderView,
    errors: ['order_not_found'],
  }),
  complete: endpoint({
    method: 'POST',
    path: '/api/user/topup/complete',
    access: 'admin',
    scope: 'order:write',
    shape: 'data',
    idempotency: 'key',
    description: {
      en: 'Credits a paid order by hand, once; an audit row names who did it, and the reason.',
      zh: '手动为已支付的订单入账，仅能执行一次；审计记录会写明操作人与原因。',
    },
    input: z.object({ ...ofOrder.shape, reason: z.optional(z.nullable(z.string().check(z.maxLength(200)))) }),
    output: AdminOrderView,
    errors: ['order_not_found', 'order_completed', 'order_closed', 'user_not_found', 'user_same_level'],
  }),
  query: endpoint({
    method: 'POST',
    path: '/api/user/topup/:trade_no/query',
    access: 'admin',
    scope: 'order:write',
    shape: 'data',
    rate: 'critical-money',
    description: {
      en: 'Asks the payment provider what it knows of an order; changes nothing.',
      zh: '向支付平台查询订单状态；不做任何更改。',
    },
    input: ofOrder,
    output: z.object({
      trade_no: z.string(),
      /** Whether the provider knows the order. */
      found: z.boolean(),
      paid: z.boolean(),
      /** The provider's number of the payment; "" when there is none. */
      provider_trade_no: z.string(),
      /** What was paid; "" when the provider does not say. */
      money: z.string(),
      /** Whether that is what the order asks for. */
      money_matches: z.boolean(),
    }),
    errors: ['order_not_found', 'order_query_failed', 'pay_off'],
  }),
  selfTest: endpoint({
    method: 'POST',
    path: '/api/user/topup/self_test',
    access: 'admin',
    scope: 'order:write',
    shape: 'data',
    rate: 'critical-money',
    description: {
      en: 'Shows the address that the provider notifies, and whether a call to it from here arrives.',
      zh: '显示支付平台的通知地址，以及从本机能否访问该地址。',
    },
    output: z.object({
      /** "" while the server's address is not set. */
      callback_url: z.string(),
      configured: z.boolean(),
      /** Options that payment still needs. */
      missing: z.array(z.string()),
      reachable: z.boolean(),
      /** "" when reachable; `refused`: a private or reserved address; `elsewhere`: something else answers there. */
      reason: z.enum(['', 'elsewhere', 'not_configured', 'refused', 'unreached']),
      /** HTTP status of the answer; 0 without one. */
      status: z.int(),
      /** Milliseconds. */
      time: z.int(),
    }),
  }),
  notify: endpoint({
    method: 'GET',
    path: '/api/user/epay/notify',
    aliases: [{ method: 'POST' }],
    access: 'public',
    shape: 'text',
    bodyForm: 'form',
    failures: 'callback',
    effect: 'changes',
    rate: 'payment-callback',
    description: {
      en: 'The payment provider’s notification, as query or form; answers `success` or `fail`.',
      zh: '支付平台的通知，以查询参数或表单提交；返回 `success` 或 `fail`。',
    },
    // Loose, because the signature covers every parameter there is.
    input: z.looseObject({
      pid: z.optional(z.string()),
      trade_no: z.optional(z.string()),
      out_trade_no: z.optional(z.string()),
      type: z.optional(z.string()),
      name: z.optional(z.string()),
      money: z.optional(z.string()),
      trade_status: z.optional(z.string()),
      sign: z.optional(z.string()),
      sign_type: z.optional(z.string()),
    }),
  }),
};

/** The wallet: what a top-up costs, buying one, and the own orders (management-api.md 3.13). */
import * as z from 'zod/mini';
import { endpoint, pagedFromOne } from './endpoint.ts';
import { filterText, optionalWholeNumber, wholeNumber } from './loose.ts';

/** Words of the payment methods, as published: Alipay and WeChat Pay. */
const PaymentMethod = z.enum(['zfb', 'wx']);

/** `expired` after a day without payment; a payment that comes later still counts. */
export const OrderStatus = z.enum(['pending', 'success', 'failed', 'expired']);
export type OrderStatus = z.infer<typeof OrderStatus>;

/** An order as its buyer sees it. */
export const OrderView = z.object({
  id: z.int(),
  trade_no: z.string(),
  /** As entered: USD while amounts are shown in currency, else quota units. */
  amount: z.int(),
  /** What the balance gains, in quota units. */
  quota: z.int(),
  /** Exact decimal in `currency`. */
  money: z.string(),
  /** ISO 4217. */
  currency: z.string(),
  provider: z.string(),
  payment_method: z.string(),
  create_time: z.int(),
  /** 0 while it is not paid. */
  complete_time: z.int(),
  status: OrderStatus,
});
export type OrderView = z.infer<typeof OrderView>;

const bought = {
  /** Whole USD, or quota units while amounts are not shown in currency. */
  amount: wholeNumber,
  /** Taken and ignored. */
  top_up_code: z.optional(z.nullable(z.string())),
};

export const wallet = {
  price: endpoint({
    method: 'POST',
    path: '/api/user/amount',
    access: 'user',
    scope: 'order:read',
    // `message` is the outcome and `data` the price or the reason: what clients of this family have always read.
    shape: 'bare',
    effect: 'none',
    failures: 'payment',
    description: {
      en: 'What a top-up costs the caller, in the site’s local currency with two decimals.',
      zh: '充值所需支付的金额，以站点本地货币计，保留两位小数。',
    },
    input: z.object(bought),
    output: z.object({ success: z.literal(true), message: z.literal('success'), data: z.string() }),
    errors: ['pay_min', 'pay_low'],
    example: { input: { amount: 10 }, output: { success: true, message: 'success', data: '73.00' } },
  }),
  pay: endpoint({
    method: 'POST',
    path: '/api/user/pay',
    access: 'user',
    scope: 'order:write',
    shape: 'bare',
    failures: 'payment',
    rate: 'critical-money',
    idempotency: 'key',
    description: {
      en: 'Stores an order and answers the signed form that the browser posts to the payment page.',
      zh: '创建订单，并返回浏览器提交到支付页面的已签名表单。',
    },
    input: z.object({ ...bought, payment_method: PaymentMethod }),
    output: z.object({
      success: z.literal(true),
      message: z.literal('success'),
      /** Fields of the form. */
      data: z.record(z.string(), z.string()),
      /** Where the form goes. */
      url: z.string(),
    }),
    errors: ['pay_off', 'pay_min', 'pay_low', 'pay_failed'],
  }),
  orders: endpoint({
    method: 'GET',
    path: '/api/user/topup/self',
    access: 'user',
    scope: 'order:read',
    shape: 'page',
    paging: pagedFromOne,
    description: { en: 'The own orders, newest first.', zh: '本人的订单，最新的在前。' },
    input: z.object({
      status: filterText,
      start_timestamp: optionalWholeNumber,
      end_timestamp: optionalWholeNumber,
    }),
    output: OrderView,
  }),
};

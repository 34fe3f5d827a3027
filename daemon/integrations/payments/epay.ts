/**
 * The epay protocol (management-api.md 5.6): signed forms to a payment page, signed notifications from it, and its order
 * query. Signatures are MD5 over the sorted parameters with the merchant's key behind them; the protocol knows no other.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type {
  Checkout,
  CheckoutForm,
  PaymentNotice,
  PaymentProvider,
  PaymentSettings,
  ProviderOrder,
} from '../../domain/payments.ts';
import { type GuardedFetch, jsonObjectOf } from '../guarded-fetch.ts';

type Params = Readonly<Record<string, string>>;

/** The protocol's words for the published ones. */
const methods: Readonly<Record<string, string>> = { zfb: 'alipay', wx: 'wxpay' };
/** What is kept of a notification, and how much of each value. */
const keptParams = ['pid', 'trade_no', 'out_trade_no', 'type', 'name', 'money', 'trade_status', 'sign_type'];
const keptCharacters = 200;

/** Lower-case hex MD5 of the non-empty parameters but `sign` and `sign_type`, sorted by the bytes of their names. */
export function signEpay(params: Params, merchantKey: string): string {
  const signed = Object.entries(params)
    .filter(([name, value]) => name !== 'sign' && name !== 'sign_type' && value !== '')
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return createHash('md5').update(`${signed}${merchantKey}`).digest('hex');
}

/** @param fetch asks the configured address through the egress guard */
export function epayProvider(fetch: GuardedFetch): PaymentProvider {
  return {
    id: 'epay',
    currency: 'CNY',
    checkout,
    readNotice,
    query: async (tradeNo, settings) => {
      const { address, merchantId, merchantKey } = settings;
      const query = new URLSearchParams({ act: 'order', pid: merchantId, key: merchantKey, out_trade_no: tradeNo });
      return readOrder(jsonObjectOf(await fetch({ url: `${address}/api.php?${query}` })), tradeNo);
    },
  };
}

function checkout(order: Checkout, { address, merchantId, merchantKey }: PaymentSettings): CheckoutForm {
  const fields = {
    pid: merchantId,
    type: methods[order.method] ?? order.method,
    out_trade_no: order.tradeNo,
    notify_url: order.notifyUrl,
    return_url: order.returnUrl,
    name: order.title,
    money: order.money,
    device: 'pc',
  };
  return {
    url: `${address}/submit.php`,
    fields: { ...fields, sign: signEpay(fields, merchantKey), sign_type: 'MD5' },
  };
}

function readNotice(params: Params, settings: PaymentSettings): PaymentNotice {
  const fields = Object.fromEntries(
    keptParams.flatMap((name) =>
      paramOf(params, name) === '' ? [] : [[name, paramOf(params, name).slice(0, keptCharacters)]],
    ),
  );
  return {
    tradeNo: paramOf(params, 'out_trade_no').slice(0, 64),
    money: paramOf(params, 'money'),
    kind: kindOf(params, settings),
    fields,
  };
}

function kindOf(params: Params, { merchantId, merchantKey }: PaymentSettings): PaymentNotice['kind'] {
  const form = paramOf(params, 'sign_type');
  const isOurForm = form === '' || form.toUpperCase() === 'MD5';
  if (!isOurForm || !isSigned(params, merchantKey)) return 'forged';
  if (paramOf(params, 'pid') !== merchantId) return 'foreign';
  return paramOf(params, 'trade_status') === 'TRADE_SUCCESS' ? 'paid' : 'unpaid';
}

function isSigned(params: Params, merchantKey: string): boolean {
  const sent = Buffer.from(paramOf(params, 'sign').toLowerCase());
  const expected = Buffer.from(signEpay(params, merchantKey));
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}

/** An answer for another order, or none, is no answer for this one. */
function readOrder(answer: Readonly<Record<string, unknown>>, tradeNo: string): ProviderOrder {
  const text = (name: string): string => {
    const value = Object.hasOwn(answer, name) ? answer[name] : undefined;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  if (text('code') !== '1' || text('out_trade_no') !== tradeNo) {
    return { found: false, paid: false, providerTradeNo: '', money: '' };
  }
  return {
    found: true,
    paid: text('status') === '1',
    providerTradeNo: text('trade_no').slice(0, keptCharacters),
    money: text('money').slice(0, keptCharacters),
  };
}

function paramOf(params: Params, name: string): string {
  return Object.hasOwn(params, name) ? (params[name] ?? '') : '';
}

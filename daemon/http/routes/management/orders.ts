/** Routes of the wallet, of orders and of the payment provider (management-api.md 3.13). */
import type { ParsedInputOf } from '../../../contract/endpoint.ts';
import { contract } from '../../../contract/index.ts';
import type { OrderService } from '../../../domain/orders.ts';
import type { PaymentSelfTest } from '../../../domain/payment-self-test.ts';
import type { TopUpFilter } from '../../../store/top-ups.ts';
import { implement, type Route } from '../../implement.ts';
import { orderFile, presentOrder, presentOrderDetail, presentOrderTotal } from '../../present/orders.ts';

export interface OrderRouteDeps {
  readonly orders: OrderService;
  readonly selfTest: PaymentSelfTest;
}

export const orderRoutes = ({ orders, selfTest }: OrderRouteDeps): Route[] => [
  implement(contract.wallet.price, ({ actor, input }) => {
    const { money } = orders.price(actor, input.amount);
    return { success: true, message: 'success', data: money } as const;
  }),
  implement(contract.wallet.pay, async ({ actor, input }) => {
    const { url, fields } = await orders.pay(actor, { amount: input.amount, method: input.payment_method });
    return { success: true, message: 'success', data: { ...fields }, url } as const;
  }),
  implement(contract.wallet.orders, async ({ actor, input, page }) => {
    const filter = { status: input.status, from: input.start_timestamp, until: input.end_timestamp };
    const { items, total } = await orders.listOwn(actor, filter, page);
    return { items: items.map(presentOrder), total };
  }),
  implement(contract.orders.list, async ({ input, page }) => {
    const { items, total, totals } = await orders.list(filterOf(input), page);
    return { items: items.map(presentOrderDetail), total, totals: totals.map(presentOrderTotal) };
  }),
  implement(contract.orders.export, ({ input }) => orderFile(orders.export(filterOf(input)), input.format)),
  implement(contract.orders.get, async ({ input }) => presentOrderDetail(await orders.get(input.trade_no))),
  implement(contract.orders.complete, async ({ actor, input, request }) => {
    const { trade_no: tradeNo, reason } = input;
    const { requestId } = request;
    return presentOrderDetail(await orders.complete(actor, { tradeNo, reason: reason?.trim() ?? '', requestId }));
  }),
  implement(contract.orders.query, async ({ actor, input }) => {
    const { found, paid, providerTradeNo, money, moneyMatches } = await orders.query(actor, input.trade_no);
    return {
      trade_no: input.trade_no,
      found,
      paid,
      provider_trade_no: providerTradeNo,
      money,
      money_matches: moneyMatches,
    };
  }),
  implement(contract.orders.selfTest, async () => {
    const { callbackUrl, missing, reason, status, timeMs } = await selfTest.run();
    return {
      callback_url: callbackUrl,
      configured: missing.length === 0,
      missing: [...missing],
      reachable: reason === '',
      reason,
      status,
      time: timeMs,
    };
  }),
  implement(contract.orders.notify, async ({ input, request }) => {
    const params = textsOf(input);
    await selfTest.arrived(params);
    const call = { remoteIp: request.clientAddress, requestId: request.requestId };
    return (await orders.notice(params, call)) ? 'success' : 'fail';
  }),
];

function filterOf(input: ParsedInputOf<typeof contract.orders.list>): TopUpFilter {
  const { keyword, status, user_id: userId, start_timestamp: from, end_timestamp: until } = input;
  return { keyword, status, userId, from, until };
}

/** Parameters of a query or form are texts; anything else was not sent by a provider. */
function textsOf(input: Readonly<Record<string, unknown>>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(input)) {
    if (typeof value === 'string') texts[name] = value;
  }
  return texts;
}

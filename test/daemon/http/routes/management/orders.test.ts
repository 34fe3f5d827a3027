/** The wallet and orders (management-api.md 3.13, 5.6, REQ-34), over HTTP. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AdminOrderView } from '../../../../../daemon/contract/orders.ts';
import { signEpay } from '../../../../../daemon/integrations/payments/epay.ts';
import { merchantKey, PaymentSite, paidNotice, signed } from '../../../../support/payment-site.ts';
import { assertRefused } from '../../../../support/refusals.ts';

const orders = suite('orders of top-ups');

let site: PaymentSite;

orders.before(async () => {
  site = await PaymentSite.open();
});

orders.before.each(() => site.configure());

orders.after(() => site.close());

orders('are priced before they are made, in the form that clients have always read', async () => {
  const buyer = await site.harness.addUser({ group: 'vip' });
  await site.set({ TopupGroupRatio: '{"vip":0.5}' });
  const answer = await site.harness.request('/api/user/amount', {
    method: 'POST',
    as: buyer,
    body: JSON.stringify({ amount: 10, top_up_code: '' }),
  });
  assert.equal(await answer.json(), { success: true, message: 'success', data: '36.50' });
  const refused = await site.harness.request('/api/user/amount?lang=en', {
    method: 'POST',
    as: buyer,
    body: JSON.stringify({ amount: 0 }),
  });
  assert.equal(await refused.json(), {
    success: false,
    message: 'error',
    data: 'Amount must be at least 1',
    code: 'pay_min',
    field: 'amount',
  });
  await site.set({ TopupGroupRatio: '' });
  const client = site.harness.client(buyer);
  for (const amount of [1.5, Number.NaN, '1e400', 2 ** 60]) {
    await assertRefused(client.wallet.price({ amount }), 'invalid_params');
  }
  await assertRefused(client.wallet.pay({ amount: 0, payment_method: 'wx' }), 'pay_min');
});

orders('are stored before the form is answered, which is signed for the configured merchant', async () => {
  const buyer = await site.harness.addUser();
  const { tradeNo, fields, url } = await site.order(buyer);
  const { sign, sign_type, ...params } = fields;
  assert.is(url, `${site.provider.url}/submit.php`);
  assert.match(tradeNo, new RegExp(`^USR${buyer.user.id}NO[0-9A-Za-z]{16}\\d{10}$`));
  assert.equal([sign, sign_type], [signEpay(params, merchantKey), 'MD5']);
  assert.equal(
    [params.notify_url, params.return_url, params.name, params.money, params.type],
    ['https://gateway.example/api/user/epay/notify', 'https://gateway.example/log', 'TUC10', '73.00', 'alipay'],
  );
  await site.set({ CustomCallbackAddress: 'https://callback.example' });
  assert.is((await site.order(buyer)).fields.notify_url, 'https://callback.example/api/user/epay/notify');
  await site.set({ CustomCallbackAddress: '' });
  const own = await site.harness.client(buyer).wallet.orders();
  assert.equal(
    own.items.map(({ status, quota, money, currency }) => [status, quota, money, currency]),
    [
      ['pending', 5_000_000, '73.00', 'CNY'],
      ['pending', 5_000_000, '73.00', 'CNY'],
    ],
  );
  assert.is((await site.harness.client(await site.harness.addUser()).wallet.orders()).total, 0);
});

orders('are completed by an administrator once, with an audit row, and never for a peer', async () => {
  const admin = await site.harness.addUser({ role: 10 });
  const buyer = await site.harness.addUser();
  const client = site.harness.client(admin);
  const { tradeNo } = await site.order(buyer);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, () => client.orders.complete({ trade_no: tradeNo, reason: ' paid by bank ' })),
  );
  const done = outcomes.flatMap((outcome): AdminOrderView[] => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  assert.equal([done.length, done[0]?.status, done[0]?.username], [1, 'success', buyer.user.username]);
  assert.is(await site.balanceOf(buyer), 5_000_000);
  await assertRefused(client.orders.complete({ trade_no: tradeNo }), 'order_completed');
  assert.is((await site.notify(signed(paidNotice(tradeNo)))).text, 'success');
  assert.is(await site.balanceOf(buyer), 5_000_000);
  const { items } = await site.harness.world.database.stores.audits.list(
    { action: 'order.complete', target: `order:${tradeNo}` },
    { offset: 0, limit: 10 },
  );
  assert.equal(
    items.map(({ actorId, detail }) => [actorId, JSON.parse(detail).reason]),
    [[admin.user.id, 'paid by bank']],
  );
  const own = await site.order(admin);
  await assertRefused(client.orders.complete({ trade_no: own.tradeNo }), 'user_same_level');
  assert.is((await site.harness.client(site.root).orders.complete({ trade_no: own.tradeNo })).status, 'success');
  await assertRefused(client.orders.complete({ trade_no: 'NOWHERE' }), 'order_not_found');
});

orders('are listed by number, state, buyer and time, each with its notifications', async () => {
  const buyer = await site.harness.addUser();
  const first = await site.order(buyer);
  site.harness.world.clock.seconds += 10;
  const second = await site.order(buyer);
  await site.notify(signed(paidNotice(second.tradeNo)));
  const client = site.harness.client(site.root);
  const found = async (filter: Parameters<typeof client.orders.list>[0]) =>
    (await client.orders.list(filter)).items.map(({ trade_no }) => trade_no);
  const ofBuyer = { user_id: buyer.user.id };
  assert.equal(await found(ofBuyer), [second.tradeNo, first.tradeNo]);
  assert.equal(await found({ ...ofBuyer, status: 'success' }), [second.tradeNo]);
  assert.equal(await found({ ...ofBuyer, end_timestamp: site.harness.world.clock.seconds - 1 }), [first.tradeNo]);
  assert.equal(await found({ ...ofBuyer, start_timestamp: site.harness.world.clock.seconds }), [second.tradeNo]);
  assert.equal(await found({ keyword: first.tradeNo.slice(4) }), [first.tradeNo]);
  assert.equal(await found({ keyword: '%' }), []);
  const { items } = await client.orders.list({ keyword: second.tradeNo });
  assert.equal(items[0]?.callbacks[0]?.fields.trade_no, '2026112107');
  assert.is(items[0]?.callbacks[0]?.fields.sign, undefined);
});

orders('are summed over the whole filter, each currency for itself, whatever page is shown', async () => {
  const buyer = await site.harness.addUser();
  for (let order = 0; order < 2; order += 1) await site.order(buyer);
  const { tradeNo } = await site.order(buyer);
  await site.notify(signed(paidNotice(tradeNo)));
  const client = site.harness.client(site.root);
  const own = { user_id: buyer.user.id };
  const { items, total, totals } = await client.orders.list({ ...own, page_size: 1 });
  assert.equal([items.length, total], [1, 3]);
  const figures = { currency: 'CNY', count: 3, amount: 30, quota: 15_000_000, money: '219.00' };
  assert.equal(totals, [{ ...figures, paid_count: 1, paid_quota: 5_000_000, paid_money: '73.00' }]);
  const paid = await client.orders.list({ ...own, status: 'success' });
  assert.equal(
    paid.totals.map(({ count, money, paid_money }) => [count, money, paid_money]),
    [[1, '73.00', '73.00']],
  );
  assert.equal((await client.orders.list({ ...own, status: 'failed' })).totals, []);
});

orders('are exported as a file, every row of the filter, for administrators alone', async () => {
  const buyer = await site.harness.addUser({ username: '=cmd' });
  const first = await site.order(buyer);
  const second = await site.order(buyer);
  await site.notify(signed(paidNotice(second.tradeNo)));
  const fileOf = async (query: string) => {
    const path = `/api/user/topup/export?user_id=${buyer.user.id}${query}`;
    return (await site.harness.request(path, { as: site.root })).text();
  };
  const [head, ...rows] = (await fileOf('')).trim().split('\n');
  assert.match(head ?? '', /^id,trade_no,user_id,username,.*,complete_time,callbacks$/);
  assert.equal(
    rows.map((row) => row.split(',')).map((cells) => [cells[1], cells[3], cells[6], cells[10], cells.at(-1)]),
    [
      [second.tradeNo, "'=cmd", '73.00', 'success', '1'],
      [first.tradeNo, "'=cmd", '73.00', 'pending', '0'],
    ],
  );
  const [line] = (await fileOf('&status=success&format=ndjson')).trim().split('\n');
  const { trade_no, callbacks } = JSON.parse(line ?? '');
  assert.equal([trade_no, callbacks[0].fields.sign], [second.tradeNo, undefined]);
  assert.is((await site.harness.request('/api/user/topup/export', { as: buyer })).status, 403);
});

orders('are asked for at the provider, which changes nothing', async () => {
  const buyer = await site.harness.addUser();
  const { tradeNo } = await site.order(buyer);
  const client = site.harness.client(site.root);
  site.providerAnswer = { code: 1, out_trade_no: tradeNo, trade_no: '77', money: '73.00', status: 1 };
  assert.equal(await client.orders.query({ trade_no: tradeNo }), {
    trade_no: tradeNo,
    found: true,
    paid: true,
    provider_trade_no: '77',
    money: '73.00',
    money_matches: true,
  });
  assert.is(await site.balanceOf(buyer), 0);
  site.providerAnswer = 'nonsense';
  await assertRefused(client.orders.query({ trade_no: tradeNo }), 'order_query_failed', 200);
  await assertRefused(client.orders.query({ trade_no: 'NOWHERE' }), 'order_not_found');
});

orders('have a way back that can be tested', async () => {
  const client = site.harness.client(site.root);
  await site.set({ ServerAddress: site.harness.url });
  const { time, ...here } = await client.orders.selfTest();
  assert.type(time, 'number');
  assert.equal(here, {
    callback_url: `${site.harness.url}/api/user/epay/notify`,
    configured: true,
    missing: [],
    reachable: true,
    reason: '',
    status: 200,
  });
  site.providerAnswer = {};
  const reasonAt = async (address: string) => {
    await site.set({ CustomCallbackAddress: address });
    return (await client.orders.selfTest()).reason;
  };
  assert.is(await reasonAt(site.provider.url), 'elsewhere');
  assert.is(await reasonAt('http://10.0.0.1'), 'refused');
  assert.is(await reasonAt('http://127.0.0.1:9'), 'unreached');
  await site.set({ CustomCallbackAddress: '', EpayId: '' });
  const unset = await client.orders.selfTest();
  assert.equal([unset.configured, unset.missing, unset.reason], [false, ['EpayId'], 'not_configured']);
});

orders.run();

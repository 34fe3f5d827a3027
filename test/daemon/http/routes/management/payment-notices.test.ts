/** What a payment provider says, forged in every way the contract names (management-api.md 5.6, REQ-34, S3). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { expireOrders } from '../../../../../daemon/domain/order-expiry.ts';
import { merchantKey, PaymentSite, paidNotice, signed } from '../../../../support/payment-site.ts';
import { assertRefused } from '../../../../support/refusals.ts';

const notices = suite('notifications of payments');

let site: PaymentSite;

notices.before(async () => {
  site = await PaymentSite.open();
});

notices.before.each(() => site.configure());

notices.after(() => site.close());

for (const method of ['GET', 'POST'] as const) {
  notices(`credit an order once by a paid notification (${method}), however often and at once it comes`, async () => {
    const buyer = await site.harness.addUser();
    const { tradeNo } = await site.order(buyer);
    const notice = signed(paidNotice(tradeNo));
    const answers = await Promise.all(Array.from({ length: 30 }, () => site.notify(notice, method)));
    for (const { status, text, type } of answers) {
      assert.equal([status, text], [200, 'success']);
      assert.match(type, 'text/plain');
    }
    assert.is(await site.balanceOf(buyer), 5_000_000);
    const rows = await site.rowsOf(buyer);
    assert.equal(
      rows.map((row) => [row.type, row.quota]),
      [[1, 5_000_000]],
    );
    assert.match(rows[0]?.content ?? '', '$10.000000');
    const reasons = await site.trail(tradeNo);
    assert.is(reasons.filter((reason) => reason === 'verified').length, 1);
    assert.is(reasons.filter((reason) => reason === 'verified repeated').length, 29);
  });
}

type Forgery = (paid: Record<string, string>) => Record<string, string>;

const forgeries: readonly (readonly [string, Forgery, string])[] = [
  ['without a signature', (paid) => paid, 'unverified signature'],
  ['with an empty signature', (paid) => ({ ...paid, sign: '', sign_type: 'MD5' }), 'unverified signature'],
  ['signed with another key', (paid) => signed(paid, 'guessed'), 'unverified signature'],
  ['signed with no key', (paid) => signed(paid, ''), 'unverified signature'],
  [
    'changed after signing',
    (paid) => ({ ...signed({ ...paid, money: '0.01' }), money: '73.00' }),
    'unverified signature',
  ],
  ['with a parameter added', (paid) => ({ ...signed(paid), param: 'x' }), 'unverified signature'],
  ['signed in another way', (paid) => ({ ...signed(paid), sign_type: 'RSA' }), 'unverified signature'],
  ['for another merchant', (paid) => signed({ ...paid, pid: '1002' }), 'verified merchant'],
  ['for no merchant', (paid) => signed({ ...paid, pid: '' }), 'verified merchant'],
  ['of a smaller amount', (paid) => signed({ ...paid, money: '0.01' }), 'verified amount'],
  ['of a larger amount', (paid) => signed({ ...paid, money: '730.00' }), 'verified amount'],
  ['of no amount', (paid) => signed({ ...paid, money: '' }), 'verified amount'],
  ['of an amount that is no plain decimal', (paid) => signed({ ...paid, money: '7.3e1' }), 'verified amount'],
];

for (const [name, forge, reason] of forgeries) {
  notices(`${name} change nothing`, async () => {
    const buyer = await site.harness.addUser();
    const { tradeNo } = await site.order(buyer);
    for (const method of ['GET', 'POST'] as const) {
      assert.equal((await site.notify(forge(paidNotice(tradeNo)), method)).text, 'fail');
    }
    assert.equal(await site.trail(tradeNo), [reason, reason]);
    assert.is(await site.balanceOf(buyer), 0);
    assert.is((await site.notify(signed(paidNotice(tradeNo)))).text, 'success');
    assert.is(await site.balanceOf(buyer), 5_000_000);
  });
}

notices('of an order of another provider, a closed one, or none at all change nothing', async () => {
  const { topUps } = site.harness.world.database.stores;
  const buyer = await site.harness.addUser();
  const made = {
    userId: buyer.user.id,
    amount: 10,
    quota: 5_000_000,
    money: '73.00',
    currency: 'CNY',
    paymentMethod: 'zfb',
    createTime: site.harness.world.nowSeconds(),
    completeTime: 0,
  };
  await topUps.insert({ ...made, tradeNo: 'OTHER', provider: 'another', status: 'pending' });
  await topUps.insert({ ...made, tradeNo: 'CLOSED', provider: 'epay', status: 'failed' });
  for (const tradeNo of ['OTHER', 'CLOSED', 'NOWHERE', '']) {
    assert.is((await site.notify(signed(paidNotice(tradeNo)))).text, 'fail', tradeNo);
  }
  assert.equal([await site.trail('OTHER'), await site.trail('CLOSED')], [['verified provider'], ['verified closed']]);
  assert.is(await site.balanceOf(buyer), 0);
  assert.match(String(site.reports.at(-1)), 'unknown order');
  await assertRefused(site.harness.client(site.root).orders.complete({ trade_no: 'CLOSED' }), 'order_closed');
});

notices('of a payment that reaches nobody are told to operators, forged ones are not', async () => {
  const { database } = site.harness.world;
  const buyer = await site.harness.addUser();
  const { tradeNo } = await site.order(buyer);
  const before = site.reports.length;
  await site.notify(signed(paidNotice(tradeNo), 'another key'));
  assert.is(site.reports.length, before);
  await site.notify(signed(paidNotice(tradeNo, { money: '0.01' })));
  await database.stores.users.softDelete(buyer.user.id, new Date());
  await site.harness.client(site.root).users.delete({ id: buyer.user.id, purge: true });
  assert.is((await site.notify(signed(paidNotice(tradeNo)))).text, 'fail');
  assert.equal(
    site.reports.slice(before).map((cause) => /\((\w+)\): (.+)/.exec(String(cause))?.slice(1)),
    [
      ['amount', tradeNo],
      ['user_gone', tradeNo],
    ],
  );
});

notices('change nothing while they say that nobody has paid', async () => {
  const buyer = await site.harness.addUser();
  const { tradeNo } = await site.order(buyer);
  for (const trade_status of ['WAIT_BUYER_PAY', 'TRADE_CLOSED', '', 'trade_success']) {
    assert.is((await site.notify(signed(paidNotice(tradeNo, { trade_status })))).text, 'success');
  }
  assert.is(await site.balanceOf(buyer), 0);
  assert.is((await site.harness.client(site.root).orders.get({ trade_no: tradeNo })).status, 'pending');
});

notices('that say nobody has paid are acknowledged whatever amount they name', async () => {
  const buyer = await site.harness.addUser();
  const { tradeNo } = await site.order(buyer);
  for (const money of ['', '0.00', '72.99']) {
    const closed = signed(paidNotice(tradeNo, { trade_status: 'TRADE_CLOSED', money }));
    assert.is((await site.notify(closed)).text, 'success', money);
  }
  assert.equal(await site.trail(tradeNo), ['verified unpaid', 'verified unpaid', 'verified unpaid']);
  await site.notify(signed(paidNotice('NOBODYS', { trade_status: 'WAIT_BUYER_PAY' })));
  assert.match(String(site.reports.at(-1)), /\(unpaid\) of an unknown order: NOBODYS/);
  assert.is(await site.balanceOf(buyer), 0);
  assert.is((await site.notify(signed(paidNotice(tradeNo)))).text, 'success');
});

notices('count once although the order expired after a day', async () => {
  const buyer = await site.harness.addUser();
  const { tradeNo } = await site.order(buyer);
  const { clock, database, nowSeconds } = site.harness.world;
  clock.seconds += 86_400;
  await expireOrders({ stores: database.stores, nowSeconds });
  const statusOf = async () => (await site.harness.client(site.root).orders.get({ trade_no: tradeNo })).status;
  assert.is(await statusOf(), 'pending');
  clock.seconds += 1;
  await expireOrders({ stores: database.stores, nowSeconds });
  assert.is(await statusOf(), 'expired');
  assert.is((await site.notify(signed(paidNotice(tradeNo)))).text, 'success');
  assert.is((await site.notify(signed(paidNotice(tradeNo)))).text, 'success');
  assert.equal([await statusOf(), await site.balanceOf(buyer)], ['success', 5_000_000]);
});

notices('pay the inviter a rebate once, in the transaction of the credit', async () => {
  await site.set({ RebateEnabled: 'true', RebatePercentage: '12.5' });
  const inviter = await site.harness.addUser();
  const buyer = await site.harness.addUser({ inviterId: inviter.user.id });
  const { tradeNo } = await site.order(buyer);
  await Promise.all(Array.from({ length: 10 }, () => site.notify(signed(paidNotice(tradeNo)))));
  assert.equal([await site.balanceOf(buyer), await site.balanceOf(inviter)], [5_000_000, 625_000]);
  assert.equal(
    (await site.rowsOf(inviter)).map(({ type, quota }) => [type, quota]),
    [[4, 625_000]],
  );
  await site.set({ RebateEnabled: '' });
});

notices('find nothing, and nobody can pay, until every setting is filled in', async () => {
  const buyer = await site.harness.addUser();
  const { tradeNo } = await site.order(buyer);
  for (const key of ['PayAddress', 'EpayId', 'EpayKey', 'ServerAddress']) {
    await site.set({ [key]: '' });
    await assertRefused(site.harness.client(buyer).wallet.pay({ amount: 10, payment_method: 'zfb' }), 'pay_off', 200);
    const { status, text } = await site.notify(signed(paidNotice(tradeNo), key === 'EpayKey' ? '' : merchantKey));
    assert.is(status, 404, key);
    assert.match(text, '"Invalid URL (GET /api/user/epay/notify)"');
    assert.not.match(text, /success/);
    await site.configure();
  }
  assert.is(await site.balanceOf(buyer), 0);
});

notices('are taken 60 times a minute from one address, and a refusal never reads like an acceptance', async () => {
  const texts: string[] = [];
  for (let count = 0; count < 61; count += 1) {
    const { status, text } = await site.notify({ out_trade_no: 'NOWHERE' }, 'GET', '198.51.100.7');
    texts.push(`${status} ${text}`);
  }
  assert.equal([texts.at(-2), texts.at(-1)], ['200 fail', '429 fail']);
  const large = await fetch(`${site.harness.url}/api/user/epay/notify`, {
    method: 'POST',
    body: 'x'.repeat(600_000),
  });
  assert.equal([large.status, await large.text()], [413, 'fail']);
});

notices('show the provider saying another amount, however many forgeries came before', async () => {
  const buyer = await site.harness.addUser();
  const { tradeNo } = await site.order(buyer);
  for (let count = 0; count < 101; count += 1) await site.notify(paidNotice(tradeNo));
  assert.is((await site.notify(signed(paidNotice(tradeNo, { money: '72.00' })))).text, 'fail');
  assert.is((await site.trail(tradeNo)).at(-1), 'verified amount');
});

notices('are kept, a hundred refused ones at most and the paid one after them', async () => {
  const buyer = await site.harness.addUser();
  const { tradeNo } = await site.order(buyer);
  for (let count = 0; count < 103; count += 1) await site.notify(paidNotice(tradeNo));
  assert.is((await site.trail(tradeNo)).length, 100);
  await site.notify(signed(paidNotice(tradeNo)));
  assert.is((await site.trail(tradeNo)).at(-1), 'verified');
});

notices('show the one that was paid, however often the provider said before that nobody had', async () => {
  const buyer = await site.harness.addUser();
  const { tradeNo } = await site.order(buyer);
  const unpaid = signed(paidNotice(tradeNo, { trade_status: 'WAIT_BUYER_PAY' }));
  for (let count = 0; count < 101; count += 1) await site.notify(unpaid);
  await site.notify(signed(paidNotice(tradeNo)));
  const trail = await site.trail(tradeNo);
  assert.equal([trail.length, trail.at(-1)], [101, 'verified']);
});

notices.run();

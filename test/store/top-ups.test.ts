import * as assert from 'uvu/assert';
import type { TopUpRecord } from '../../daemon/store/top-ups.ts';
import { onBothEngines } from './engine-suites.ts';

let made = 0;

function newOrder(over: Partial<TopUpRecord>): Omit<TopUpRecord, 'id'> {
  made += 1;
  return {
    userId: 1,
    amount: 10,
    quota: 5_000_000,
    money: '73.00',
    tradeNo: `USR1NO${made}`,
    provider: 'epay',
    currency: 'CNY',
    paymentMethod: 'zfb',
    createTime: 100,
    completeTime: 0,
    status: 'pending',
    ...over,
  };
}

onBothEngines('store/top-ups', (test, database) => {
  const topUps = () => database().stores.topUps;
  const insert = async (...orders: readonly Partial<TopUpRecord>[]) => {
    for (const order of orders) assert.ok(await topUps().insert(newOrder(order)));
  };

  test('sums orders exactly, by currency and state', async () => {
    await insert(
      { userId: 7, money: '0.10', status: 'success' },
      { userId: 7, money: '0.20', status: 'success' },
      { userId: 7, money: '999999999999.99', status: 'success' },
      { userId: 7, money: '0.000001' },
      { userId: 7, money: '5' },
      { userId: 7, money: '12.34', currency: 'USD', amount: 3, quota: 1, createTime: 200 },
    );
    const cny = { currency: 'CNY', amount: 20, quota: 10_000_000, count: 2 };
    const usd = { currency: 'USD', amount: 3, quota: 1, count: 1 };
    assert.equal(await topUps().sums({ userId: 7 }), [
      { ...cny, status: 'pending', millionths: 5_000_001n },
      { ...cny, status: 'success', amount: 30, quota: 15_000_000, count: 3, millionths: 1_000_000_000_000_290_000n },
      { ...usd, status: 'pending', millionths: 12_340_000n },
    ]);
    assert.equal(
      (await topUps().sums({ userId: 7, from: 150 })).map(({ currency, count }) => [currency, count]),
      [['USD', 1]],
    );
    assert.equal(await topUps().sums({ userId: 7, status: 'failed' }), []);
  });

  test('sums more of the largest orders than the whole numbers of an engine hold', async () => {
    const largest = { userId: 10, amount: Number.MAX_SAFE_INTEGER, quota: Number.MAX_SAFE_INTEGER, money: '1.00' };
    await insert(...Array.from({ length: 1100 }, () => largest));
    const [sum] = await topUps().sums({ userId: 10 });
    assert.equal([sum?.count, sum?.millionths], [1100, 1_100_000_000n]);
    for (const total of [sum?.amount, sum?.quota]) assert.is(total, 1100 * Number.MAX_SAFE_INTEGER);
  });

  test('reads the orders of a filter from the newest on, each once', async () => {
    await insert({ userId: 8 }, { userId: 9 }, { userId: 8 }, { userId: 8 });
    const first = await topUps().listBefore({ userId: 8 }, { limit: 2 });
    const rest = await topUps().listBefore({ userId: 8 }, { beforeId: first.at(-1)?.id, limit: 2 });
    const ids = [...first, ...rest].map(({ id }) => id);
    assert.equal([first.length, rest.length], [2, 1]);
    assert.equal(
      ids,
      [...new Set(ids)].sort((a, b) => b - a),
    );
  });
});

import * as assert from 'uvu/assert';
import type { NewRedemption } from '../../daemon/store/redemptions.ts';
import { onBothEngines } from './engine-suites.ts';

let made = 0;

function newCode(over: Partial<NewRedemption> = {}): NewRedemption {
  made += 1;
  return {
    userId: 1,
    key: `code-${made}`,
    name: 'batch',
    quota: 100,
    createdTime: 1,
    isGift: false,
    maxUses: -1,
    validFrom: 0,
    validUntil: 0,
    ...over,
  };
}

onBothEngines('store/credits', (test, database) => {
  const redemptions = () => database().stores.redemptions;
  const insertCode = async (over: Partial<NewRedemption> = {}) => {
    const [code] = await redemptions().insert([newCode(over)]);
    assert.ok(code);
    return code;
  };

  test('gives a single-use code to one of a hundred', async () => {
    const code = await insertCode();
    const claims = await Promise.all(
      Array.from({ length: 100 }, (_, user) =>
        database().transaction((stores) => stores.redemptions.claim(code.id, user + 1, 50)),
      ),
    );
    const won = claims.filter((claim) => claim !== undefined);
    assert.is(won.length, 1);
    assert.equal([won[0]?.status, won[0]?.redeemedTime, won[0]?.usedCount], [3, 50, 1]);
  });

  test('gives a gift code to as many as it allows, once each', async () => {
    const code = await insertCode({ isGift: true, maxUses: 5 });
    const claim = (userId: number) =>
      database()
        .transaction(async ({ redemptions: store }) => {
          const use = { redemptionId: code.id, userId, usedTime: 5, quota: 100 };
          if (!(await store.insertUse(use))) throw new Error('repeat');
          if (!(await store.claimGift(code.id, 5))) throw new Error('exhausted');
          return 'credited';
        })
        .catch((error: unknown) => (error instanceof Error ? error.message : 'failed'));
    const results = await Promise.all(Array.from({ length: 40 }, (_, index) => claim(index % 20)));
    assert.is(results.filter((result) => result === 'credited').length, 5);
    const stored = await redemptions().find(code.id);
    assert.equal([stored?.usedCount, stored?.status, stored?.usedUserId], [5, 3, 0]);
  });

  test('never uses up a gift code without a limit', async () => {
    const code = await insertCode({ isGift: true });
    for (let use = 0; use < 3; use++) await redemptions().claimGift(code.id, 5);
    const stored = await redemptions().find(code.id);
    assert.equal([stored?.usedCount, stored?.status], [3, 1]);
    assert.is(await redemptions().claim(code.id, 1, 5), undefined);
  });

  test('does not give out disabled or deleted codes', async () => {
    const [disabled, deleted] = [await insertCode(), await insertCode({ isGift: true })];
    await redemptions().setStatus(disabled.id, 2);
    await redemptions().softDelete(deleted.id, new Date());
    assert.is(await redemptions().claim(disabled.id, 1, 5), undefined);
    assert.is(await redemptions().claimGift(deleted.id, 5), undefined);
    assert.is(await redemptions().findByKey(deleted.key), undefined);
    assert.equal(await redemptions().insert([newCode({ key: deleted.key })]), []);
  });

  test('makes ten thousand codes in one transaction, or none', async () => {
    const batch = Array.from({ length: 10_000 }, () => newCode({ name: 'many' }));
    const inserted = await database().transaction((stores) => stores.redemptions.insert(batch));
    assert.is(inserted.length, 10_000);
    assert.is(await redemptions().countByName('many'), 10_000);
    assert.is(await redemptions().softDeleteByName('many', new Date()), 10_000);
  });

  test('changes only what is unused', async () => {
    await redemptions().softDeleteDisabled(new Date());
    const [fresh, used] = [await insertCode({ isGift: true, maxUses: 5 }), await insertCode()];
    await redemptions().claim(used.id, 1, 5);
    await redemptions().claimGift(fresh.id, 5);
    await redemptions().claimGift(fresh.id, 5);
    assert.is((await redemptions().updateUnused(fresh.id, { name: 'new', maxUses: 2 }))?.name, 'new');
    assert.is(await redemptions().updateUnused(fresh.id, { maxUses: 1 }), undefined);
    assert.is(await redemptions().updateUnused(used.id, { name: 'new' }), undefined);
    assert.is(await redemptions().setStatus(used.id, 1), undefined);
    assert.equal(await redemptions().disable([used.id, fresh.id]), [fresh.id]);
    assert.is(await redemptions().softDeleteDisabled(new Date()), 1);
  });

  test('finds codes by id, start of the name and whole text', async () => {
    const code = await insertCode({ name: 'spring_sale' });
    const found = async (keyword: string) =>
      (await redemptions().list({ keyword: keyword }, { offset: 0, limit: 10 })).items.map((row) => row.id);
    assert.equal(await found('Spring_'), [code.id]);
    assert.equal(await found('springx'), []);
    assert.equal(await found('sale'), []);
    assert.equal(await found(code.key), [code.id]);
    assert.equal(await found(String(code.id)), [code.id]);
  });

  test('completes an order once, also one that has expired', async () => {
    const topUps = database().stores.topUps;
    const order = {
      userId: 3,
      amount: 10,
      quota: 5_000_000,
      money: '73.10',
      tradeNo: 'USR3NOabc',
      provider: 'epay',
      currency: 'CNY',
      paymentMethod: 'zfb',
      createTime: 100,
      completeTime: 0,
      status: 'pending' as const,
    };
    const inserted = await topUps.insert(order);
    assert.equal(inserted, { ...order, id: inserted?.id ?? 0 });
    assert.is(await topUps.insert(order), undefined);
    assert.is(await topUps.expire(101), 1);
    const completed = await Promise.all(Array.from({ length: 20 }, () => topUps.complete(order.tradeNo, 200)));
    assert.is(completed.filter((row) => row !== undefined).length, 1);
    assert.equal((await topUps.findByTradeNo(order.tradeNo))?.status, 'success');
    assert.is((await topUps.list({ userId: 3, keyword: 'NOab' }, { offset: 0, limit: 10 })).total, 1);
    assert.is((await topUps.list({ keyword: '3' }, { offset: 0, limit: 10 })).items[0]?.money, '73.10');
    assert.is((await topUps.list({ userId: 4 }, { offset: 0, limit: 10 })).total, 0);
  });

  test('keeps every callback of the payment provider', async () => {
    const topUps = database().stores.topUps;
    const callback = {
      tradeNo: 't1',
      receivedAt: 5,
      remoteIp: '1.2.3.4',
      verified: false,
      reason: 'sign',
      fields: '{}',
    };
    await topUps.insertCallback(callback);
    await topUps.insertCallback({ ...callback, verified: true, reason: '' });
    const stored = await topUps.callbacksOf(['t1', 't2']);
    assert.equal(
      stored.map(({ id, ...row }) => row),
      [callback, { ...callback, verified: true, reason: '' }],
    );
  });

  test('keeps six decimals of an amount of money', async () => {
    const order = {
      userId: 9,
      amount: 1,
      quota: 1,
      provider: 'epay',
      currency: 'CNY',
      paymentMethod: '',
      createTime: 1,
      completeTime: 0,
      status: 'pending' as const,
    };
    for (const [money, read] of [
      ['0.000001', '0.000001'],
      ['12', '12.00'],
      ['12.3', '12.30'],
      ['999999999999.99', '999999999999.99'],
    ] as const) {
      assert.is((await database().stores.topUps.insert({ ...order, money, tradeNo: `m-${money}` }))?.money, read);
    }
  });

  test('lets a user check in once a day', async () => {
    const checkins = database().stores.checkins;
    const checkin = { userId: 1, checkinDate: '2026-02-28', quotaAwarded: 50, createdAt: 1 };
    const tries = await Promise.all(Array.from({ length: 10 }, () => checkins.insert(checkin)));
    assert.is(tries.filter((row) => row !== undefined).length, 1);
    await checkins.insert({ ...checkin, checkinDate: '2026-02-01' });
    await checkins.insert({ ...checkin, checkinDate: '2026-03-01' });
    assert.is((await checkins.find(1, '2026-02-28'))?.quotaAwarded, 50);
    assert.equal(
      (await checkins.listOfMonth(1, '2026-02')).map((row) => row.checkinDate),
      ['2026-02-28', '2026-02-01'],
    );
    assert.equal(await checkins.totals(1), { count: 3, quota: 150 });
    assert.equal(await checkins.totals(2), { count: 0, quota: 0 });
  });
});

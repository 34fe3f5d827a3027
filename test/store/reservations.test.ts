import * as assert from 'uvu/assert';
import type { NewLogRow } from '../../daemon/store/logs.ts';
import { newLogRow } from '../support/log-records.ts';
import { onBothEngines } from './engine-suites.ts';

onBothEngines('store/reservations', (test, database) => {
  const reservations = () => database().stores.reservations;

  const hold = (requestId: string, over: { node?: string; createdAt?: number; userId?: number } = {}) => ({
    requestId,
    userId: 1,
    tokenId: 2,
    group: 'default',
    amount: 10,
    tokenAmount: 4,
    node: 'n1',
    createdAt: 100,
    ...over,
  });

  test.before(async () => {
    await database().transaction(async ({ ledger }) => {
      await ledger.insertHolds([
        hold('a'),
        hold('b', { node: 'n2', createdAt: 90 }),
        hold('c', { createdAt: 500, userId: 2 }),
        hold('d', { createdAt: 50 }),
      ]);
      await ledger.closeHolds([{ requestId: 'd', state: 'settled', charged: 7, reason: 'complete', closedAt: 60 }]);
    });
  });

  test('reads open and closed holds', async () => {
    assert.equal(await reservations().find('a'), {
      ...hold('a'),
      charged: null,
      state: 'open',
      reason: null,
      closedAt: null,
    });
    const closed = await reservations().find('d');
    assert.equal([closed?.state, closed?.charged, closed?.reason, closed?.closedAt], ['settled', 7, 'complete', 60]);
    assert.is(await reservations().find('none'), undefined);
  });

  test('lists the holds that dead nodes left behind, oldest first', async () => {
    const left = async (liveNodes: readonly string[], createdBefore: number) =>
      (await reservations().listAbandoned({ createdBefore, liveNodes, limit: 10 })).map(({ requestId }) => requestId);
    assert.equal(await left([], 400), ['b', 'a']);
    assert.equal(await left(['n1'], 1000), ['b']);
    assert.equal(await left(['n1', 'n2'], 1000), []);
    assert.equal(
      (await reservations().listOpenOfNode('n1', 1000)).map(({ requestId }) => requestId),
      ['a', 'c'],
    );
  });

  test('adds up what is held', async () => {
    assert.equal(await reservations().openTotals(), { count: 3, amount: 30 });
    assert.equal(await reservations().openTotals(2), { count: 1, amount: 10 });
    assert.equal(await reservations().openTotals(3), { count: 0, amount: 0 });
  });

  test('adds up what open holds have taken from keys', async () => {
    assert.equal([...(await reservations().openOfTokens([2, 3]))], [[2, 12]]);
    assert.equal([...(await reservations().openOfTokens([]))], []);
  });

  test('tells which holds have been open for too long', async () => {
    const { count, oldest } = await reservations().openBefore(400);
    assert.equal([count, oldest?.requestId], [2, 'b']);
    assert.equal(await reservations().openBefore(90), { count: 0, oldest: undefined });
  });

  test('holds charges against the rows of their requests, as far as the log goes back', async () => {
    assert.equal(await reservations().endsWithRows({ since: 0, limit: 10 }), [], 'the log was cut');
    const row = (requestId: string, quota: number, more: Partial<NewLogRow> = {}) =>
      newLogRow({ requestId, quota, createdAt: 700, ...more });
    await database().transaction(async ({ ledger, logs }) => {
      const end = { reason: 'complete', closedAt: 900 };
      await ledger.insertHolds(['e', 'f', 'g', 'h'].map((id, at) => hold(id, { createdAt: 800 + at })));
      await ledger.closeHolds([
        { ...end, requestId: 'e', state: 'settled', charged: 5 },
        { ...end, requestId: 'f', state: 'settled', charged: 9 },
        { ...end, requestId: 'g', state: 'settled', charged: 3 },
        { ...end, requestId: 'h', state: 'released', charged: 0 },
      ]);
      await logs.insert([row('e', 2), row('e', 3), row('e', 100, { type: 4 }), row('f', 8)]);
    });
    const found = (await reservations().endsWithRows({ since: 0, limit: 10 })).map(({ requestId, charged, logged }) => [
      requestId,
      charged,
      logged,
    ]);
    const expected = [
      ['g', 3, null],
      ['f', 9, 8],
      ['e', 5, 5],
      ['h', 0, null],
    ];
    assert.equal(found, expected);
    assert.equal(
      (await reservations().endsWithRows({ since: 0, limit: 1 })).map(({ requestId }) => requestId),
      ['g', 'h'],
    );
    assert.equal(
      (await reservations().endsWithRows({ since: 802, limit: 10 })).map(({ requestId }) => requestId),
      ['g', 'h'],
      'from that time on',
    );
  });

  test('clears away closed holds only', async () => {
    assert.is(await reservations().deleteClosed({ since: 0, before: 1000 }, 10), 5);
    assert.is(await reservations().deleteClosed({ since: 0, before: 1000 }, 10), 0);
    assert.is((await reservations().openTotals()).count, 3);
  });
});

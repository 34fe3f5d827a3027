import * as assert from 'uvu/assert';
import type { AccountKind } from '../../daemon/store/account-books.ts';
import type { NewLogRow } from '../../daemon/store/logs.ts';
import { newLogRow } from '../support/log-records.ts';
import { insertToken, onBothEngines } from './engine-suites.ts';

const day = 86_400;

onBothEngines('store/account-books', (test, database) => {
  const listed = (kind: AccountKind, over: { since?: number; rows?: number; accounts?: number } = {}) =>
    database().stores.accountBooks.list(kind, { since: 0, rows: 100, accounts: 100, ...over });
  const ids = async (...asked: Parameters<typeof listed>) => (await listed(...asked)).map(({ id }) => id).sort();

  test.before(async () => {
    const { stores } = database();
    for (const at of [1, 2, 3]) await stores.users.insert({ username: `user-${at}`, createdAt: at * day });
    for (const at of [1, 2, 3]) await insertToken(database(), 1, { createdTime: at * day });
    const row = (at: number, over: Partial<NewLogRow>) =>
      newLogRow({ createdAt: at * day + 60, userId: 1, tokenId: 1, quota: 7, ...over });
    await database().transaction(async ({ logs }) => {
      await logs.insert([
        row(1, { type: 4, tokenId: 0, quota: 100, createdAt: day }),
        row(1, {}),
        row(1, { requestId: 'tool', quota: 2 }),
        row(1, { type: 4, channelId: 9, quota: 2 }),
      ]);
    });
    const { logSums } = stores;
    await logSums.mark(5 * day);
    await database().transaction((inside) => inside.logSums.fold(100));
    await database().transaction(async ({ ledger, logs }) => {
      await logs.insert([
        row(2, { userId: 2, tokenId: 2, quota: 5 }),
        row(3, { quota: 1 }),
        row(3, { type: 3, quota: -4 }),
      ]);
      const hold = { requestId: 'open', userId: 1, tokenId: 1, group: '', node: 'n', createdAt: 3 * day };
      await ledger.insertHolds([{ ...hold, amount: 8, tokenAmount: 6 }]);
      await ledger.applySettlements({
        users: [{ id: 1, refund: 80, used: 8, requests: 0 }],
        tokens: [{ id: 1, refund: 0, used: 14, accessedTime: 0 }],
      });
    });
  });

  test('adds up sums and rows behind them, and what is held', async () => {
    const [user] = (await listed('user')).filter(({ id }) => id === 1);
    assert.equal(user, { id: 1, quota: 80, used: 8, held: 8, credited: 98, consumed: 10, refunded: 2 });
    const [token] = (await listed('token')).filter(({ id }) => id === 1);
    assert.equal(token, { id: 1, quota: 0, used: 14, held: 6, credited: -2, consumed: 10, refunded: 2 });
  });

  test('tells of accounts of which the log has every row, and of those that are asked for', async () => {
    assert.equal(await ids('user'), [1, 2, 3]);
    assert.equal(await ids('user', { since: day + 1 }), [2, 3]);
    assert.equal(await ids('user', { accounts: 1 }), [3]);
    assert.equal(await ids('channel'), []);
    await database().transaction(({ logs }) => logs.deleteBefore(day + 1, 1));
    assert.equal(await ids('user'), [2, 3], 'the credit of the first was deleted');
  });

  test('reads no more rows than it may', async () => {
    assert.equal(await ids('token', { rows: 3 }), [2, 3]);
    assert.equal(await ids('token', { rows: 2 }), [3]);
    assert.equal(await ids('user', { rows: 2 }), [], 'three rows are not in the sums');
  });
});

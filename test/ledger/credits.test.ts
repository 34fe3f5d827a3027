import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  creditUser,
  debitUser,
  eventRow,
  overrideBalance,
  refundTask,
  setTokenQuota,
  transferInviteEarnings,
} from '../../daemon/domain/ledger-credits.ts';
import { HourlyUsage } from '../../daemon/domain/usage-log-hourly.ts';
import { TollgateError } from '../../daemon/errors.ts';
import { type TestDatabase, testDatabaseUrl, testEngine } from '../support/servers.ts';
import { Books, holdOf, NOW_MS, putAway, settlementOf } from './books.ts';

const credits = suite(`changes of balances that no call makes, on ${testEngine()}`);

let home: TestDatabase;
credits.before.each(async () => {
  home = await testDatabaseUrl();
});
credits.after.each(async () => {
  await putAway();
  await home.drop();
});

const rowOf = (userId: number, quota: number, type: 1 | 3 | 4 | 5 = 3) =>
  eventRow({ userId, username: 'user', type, content: 'change', quota, nowSeconds: NOW_MS / 1000, requestId: 'x' });

credits('add and subtract beside running calls, with their rows', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(100);
  const { userId } = purse;
  await books.watch();
  await books.ledger.hold(holdOf(purse, 'a', 60));
  const { database } = books;
  assert.is(await database.transaction((s) => creditUser(s, { userId, amount: 50, row: rowOf(userId, 50, 1) })), 90);
  const short = await database.transaction((s) => debitUser(s, { userId, amount: 91, row: rowOf(userId, -91) }));
  assert.equal(short, { taken: false, balance: 90 });
  const taken = await database.transaction((s) => debitUser(s, { userId, amount: 90, row: rowOf(userId, -90) }));
  assert.equal(taken, { taken: true, balance: 0 });
  const set = await database.transaction((s) =>
    overrideBalance(s, { userId, balance: 500, rowOf: (before) => rowOf(userId, 500 - before) }),
  );
  assert.equal(set, { before: 0, after: 500 });
  await books.ledger.settle(settlementOf(purse, { requestId: 'a', held: 60, charge: 10 }));
  assert.is(await books.balance(purse), 550);
  await books.close();
});

credits('do nothing for a user that does not exist', async () => {
  const books = await Books.open(home.url);
  const { database } = books;
  const gone = { userId: 4711, row: rowOf(4711, 5) };
  assert.is(await database.transaction((s) => creditUser(s, { ...gone, amount: 5 })), undefined);
  assert.equal(await database.transaction((s) => debitUser(s, { ...gone, amount: 5 })), {
    taken: false,
    balance: undefined,
  });
  const override = { userId: 4711, balance: 5, rowOf: () => rowOf(4711, 5) };
  assert.is(await database.transaction((s) => overrideBalance(s, override)), undefined);
  await books.close();
});

credits('refuse what would make a balance larger than whole numbers are exact, and change nothing', async () => {
  const books = await Books.open(home.url);
  const { database } = books;
  const { userId } = await books.purse(Number.MAX_SAFE_INTEGER - 10);
  const credit = (amount: number) =>
    database.transaction((s) => creditUser(s, { userId, amount, row: rowOf(userId, amount, 1) }));
  assert.is(await credit(11).catch((error: unknown) => error instanceof TollgateError && error.code), 'invalid_params');
  assert.is(await credit(10), Number.MAX_SAFE_INTEGER);
  await books.close();
});

credits('throw on amounts that are none', async () => {
  const books = await Books.open(home.url);
  const { userId } = await books.purse(100);
  await books.watch();
  for (const amount of [-1, 0.5, 2 ** 53, Number.NaN]) {
    let failed = false;
    await books.database
      .transaction((stores) => creditUser(stores, { userId, amount, row: rowOf(userId, 0) }))
      .catch(() => {
        failed = true;
      });
    assert.ok(failed, String(amount));
  }
  await books.close();
});

credits('move invite earnings once, however many ask at once', async () => {
  const books = await Books.open(home.url);
  const { userId } = await books.purse(0);
  await books.watch();
  await books.database.stores.users.creditInvite(userId, 1000);
  const change = { userId, amount: 700, row: rowOf(userId, 700, 4) };
  const results = await Promise.all(
    [1, 2, 3].map(() => books.database.transaction((stores) => transferInviteEarnings(stores, change))),
  );
  assert.equal(
    results.filter((balance) => balance !== undefined),
    [700],
  );
  assert.is((await books.database.stores.users.find(userId))?.affQuota, 300);
  await books.close();
});

credits('give the charge of a failed task back to user, token and channel', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(100_000, 100_000);
  const channelId = await books.channel();
  await books.watch();
  await books.ledger.hold(holdOf(purse, 'task', 45_000));
  await books.ledger.settle(settlementOf(purse, { requestId: 'task', held: 45_000, charge: 45_000, channelId }));
  const row = { ...rowOf(purse.userId, 45_000, 4), tokenId: purse.tokenId, channelId };
  await books.database.transaction((stores) => refundTask(stores, { ...purse, channelId, amount: 45_000, row }));
  assert.is(await books.balance(purse), 100_000);
  const token = await books.database.stores.tokens.find(purse.tokenId);
  assert.is(token?.remainQuota, 100_000);
  assert.is(token?.usedQuota, 0);
  await books.close();
});

credits('set what a token may use only for its owner', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(100, 100);
  const set = (userId: number, remain: number) =>
    books.database.transaction((stores) => setTokenQuota(stores, { id: purse.tokenId, userId, remain }));
  assert.is(await set(purse.userId + 1, 5), false);
  assert.is(await set(purse.userId, 5), true);
  assert.is((await books.database.stores.tokens.find(purse.tokenId))?.remainQuota, 5);
  await books.watch();
  await books.close();
});

credits('count hourly figures of booked calls and keep them through an outage', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(1000);
  await books.watch();
  const hourly = new HourlyUsage({ database: books.database });
  const figures = { username: 'user', modelName: 'gpt-4o', tokens: 15 };
  const settlement = settlementOf(purse, { requestId: 'a', held: 0, charge: 40 }, { hourly: figures });
  hourly.count(settlement);
  books.database.weather = 'away';
  let failed = false;
  await hourly.flush().catch(() => {
    failed = true;
  });
  assert.ok(failed);
  books.database.weather = 'fair';
  hourly.count(settlement);
  await hourly.flush();
  await hourly.flush();
  const span = { from: NOW_MS / 1000 - 86_400, until: NOW_MS / 1000 + 86_400 };
  const [row] = await books.database.stores.quotaData.list({ userId: purse.userId }, span);
  assert.is(row?.count, 2);
  assert.is(row?.quota, 80);
  assert.is(row?.tokenUsed, 30);
  assert.is((row?.createdAt ?? 1) % 3600, 0);
  await books.close();
});

credits.run();

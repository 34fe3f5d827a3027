import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { foldLogSums } from '../../daemon/domain/log-folding.ts';
import type { Settlement } from '../../daemon/domain/settlement.ts';
import { type TestDatabase, testDatabaseUrl, testEngine } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { Books, consumeRow, holdOf, NOW_MS, type Purse, putAway, settlementOf } from './books.ts';

const turns = suite(`sessions charged while they run on ${testEngine()}`);

let home: TestDatabase;
turns.before.each(async () => {
  home = await testDatabaseUrl();
});
turns.after.each(async () => {
  await putAway();
  await home.drop();
});

/** What a session has come to, as the gateway tells it. */
function sumsOf(
  purse: Purse,
  facts: { requestId: string; charge: number; channelId?: number; tokens?: number },
  session: Settlement['session'] = 'goes-on',
): Settlement {
  const { requestId, charge, channelId = 0, tokens = charge } = facts;
  const row = { ...consumeRow(purse, { requestId, quota: charge, channelId }), promptTokens: tokens, cost: charge + 7 };
  return settlementOf(
    purse,
    { requestId, held: 100, charge, channelId },
    {
      rows: [{ ...row, other: JSON.stringify({ cache_tokens: tokens }) }],
      ...(session === undefined ? {} : { session }),
    },
  );
}

/** Brings the sums of the log up to date. */
async function fold(books: Books): Promise<void> {
  for (const seconds of [0, 61, 122]) {
    const now = { database: books.database, nowSeconds: () => NOW_MS / 1000 + seconds };
    await foldLogSums(now, new AbortController().signal);
  }
}

for (const [kind, tokenQuota] of [
  ['a limited key', 5000],
  ['an unlimited key', undefined],
] as const) {
  turns(`charge every turn of ${kind} at once, in one row, and give the rest back at the end`, async () => {
    const books = await Books.open(home.url);
    const purse = await books.purse(10_000, tokenQuota);
    const channelId = await books.channel();
    await books.watch();
    await books.ledger.hold(holdOf(purse, 's', 100));
    await books.ledger.settle(sumsOf(purse, { requestId: 's', charge: 30, channelId }));
    await books.check({ holds: 'open' });
    assert.is(await books.balance(purse), 9900);
    assert.is((await books.rowsOf('s'))[0]?.cost, 37);
    await fold(books);
    await books.check({ holds: 'open' });
    // More than is held: the rest comes from the balance, as at a settlement.
    await books.ledger.settle(sumsOf(purse, { requestId: 's', charge: 190, channelId }));
    await books.check({ holds: 'open' });
    assert.is(await books.balance(purse), 9810);
    await books.ledger.extend({ ...holdOf(purse, 's', 100) });
    await books.ledger.settle(sumsOf(purse, { requestId: 's', charge: 190, channelId, tokens: 195 }, 'ends'));
    assert.is(await books.balance(purse), 9810);
    const [row, ...more] = await books.rowsOf('s');
    assert.equal([row?.quota, row?.promptTokens, row?.cost, more.length], [190, 195, 197, 0]);
    // The sums have grown with the row.
    const range = { from: 0, until: 2 * (NOW_MS / 1000) };
    assert.is((await books.database.stores.logReports.totals({ filter: {}, range })).cost, 197);
    const user = await books.database.stores.users.find(purse.userId);
    assert.equal([user?.usedQuota, user?.requestCount], [190, 1]);
    const hold = await books.database.stores.reservations.find('s');
    assert.equal([hold?.state, hold?.charged], ['settled', 190]);
    await books.close();
  });
}

turns('change nothing when they are told twice, late, or after the end', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(10_000, 5000);
  await books.watch();
  const tell = (charge: number, session: Settlement['session'] = 'goes-on') =>
    books.ledger.settle(sumsOf(purse, { requestId: 's', charge }, session));
  await books.ledger.hold(holdOf(purse, 's', 100));
  await Promise.all([tell(10), tell(40), tell(40)]);
  await tell(10);
  assert.is((await books.rowsOf('s'))[0]?.quota, 40);
  await Promise.all([tell(60, 'ends'), tell(50)]);
  await tell(70);
  await tell(80, 'ends');
  assert.is(await books.balance(purse), 9940);
  assert.is((await books.rowsOf('s'))[0]?.quota, 60);
  assert.is((await books.database.stores.users.find(purse.userId))?.requestCount, 1);
  await books.close();
});

turns('wait in the journal while the database is away', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(10_000, 5000);
  await books.watch();
  await books.ledger.hold(holdOf(purse, 's', 100));
  books.database.weather = 'away';
  await books.ledger.settle(sumsOf(purse, { requestId: 's', charge: 30 }));
  await books.ledger.settle(sumsOf(purse, { requestId: 's', charge: 70 }));
  books.database.weather = 'fair';
  await until(async () => (await books.rowsOf('s'))[0]?.quota === 70);
  await books.check({ holds: 'open' });
  await books.ledger.settle(sumsOf(purse, { requestId: 's', charge: 75 }, 'ends'));
  await books.close();
});

turns('are kept when the session is swept, and only the rest of its hold goes back', async () => {
  const first = await Books.open(home.url);
  const purse = await first.purse(10_000, 5000);
  await first.watch();
  await first.ledger.hold(holdOf(purse, 's', 100));
  await first.ledger.settle(sumsOf(purse, { requestId: 's', charge: 30 }));
  // An open session is no orphan, however long its last turn is ago.
  first.nowMs += 3_600_000;
  assert.is(await first.ledger.sweep(), 0);
  const second = await Books.open(home.url, { invariants: await first.abandon() });
  second.nowMs += 3_700_000;
  assert.is(await second.ledger.sweep(), 1);
  assert.is(await second.balance(purse), 9970);
  const [row, ...more] = await second.rowsOf('s');
  assert.equal([row?.quota, row?.failed, more.length], [30, false, 0]);
  const hold = await second.database.stores.reservations.find('s');
  assert.equal([hold?.state, hold?.charged, hold?.reason], ['settled', 30, 'shutdown']);
  await second.close();
});

turns('are charged without a row where rows are switched off', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(10_000);
  await books.ledger.hold(holdOf(purse, 's', 100));
  await books.ledger.settle({ ...sumsOf(purse, { requestId: 's', charge: 30 }), rows: [] });
  await books.ledger.settle({ ...sumsOf(purse, { requestId: 's', charge: 70 }, 'ends'), rows: [] });
  assert.is(await books.balance(purse), 9930);
  assert.is((await books.database.stores.reservations.find('s'))?.charged, 70);
  await (await books.abandon()).end();
});

turns('leave the row of an attempt that failed at a cost as it is', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(10_000, 5000);
  await books.watch();
  await books.ledger.hold(holdOf(purse, 's', 100));
  const row = consumeRow(purse, { requestId: 's', quota: 0, channelId: 0 });
  await books.ledger.settle(sumsOf(purse, { requestId: 's', charge: 30 }));
  await books.database.stores.logs.insert([{ ...row, userId: 0, tokenId: 0, failed: true, cost: 5 }]);
  await books.ledger.settle(sumsOf(purse, { requestId: 's', charge: 40 }, 'ends'));
  const costs = (await books.rowsOf('s')).map(({ userId, quota, cost }) => [userId, quota, cost]);
  assert.equal(
    costs.sort(),
    [
      [0, 0, 5],
      [purse.userId, 40, 47],
    ].sort(),
  );
  await books.close();
});

turns.run();

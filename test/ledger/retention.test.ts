import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { removeClosedHolds } from '../../daemon/domain/ledger-retention.ts';
import { optionsView } from '../support/options-view.ts';
import { type TestDatabase, testDatabaseUrl, testEngine } from '../support/servers.ts';
import { createWorkspace } from '../support/workspace.ts';
import { Books, holdOf, NOW_MS, putAway, settlementOf } from './books.ts';

const retention = suite(`closed holds growing old on ${testEngine()}`);

let home: TestDatabase;
retention.before.each(async () => {
  home = await testDatabaseUrl();
});
retention.after.each(async () => {
  await putAway();
  await home.drop();
});

const DAY_SECONDS = 86_400;

async function removedAfter(books: Books, days: number, options = optionsView()): Promise<number> {
  const nowSeconds = () => NOW_MS / 1000 + days * DAY_SECONDS;
  return removeClosedHolds(
    { database: books.database, options: () => options, nowSeconds },
    new AbortController().signal,
  );
}

retention('leave after a week while log rows are written, open ones never', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(1000);
  await books.watch();
  for (const id of ['closed', 'open']) await books.ledger.hold(holdOf(purse, id, 10));
  await books.ledger.settle(settlementOf(purse, { requestId: 'closed', held: 10, charge: 10 }));
  assert.is(await removedAfter(books, 6), 0);
  assert.is(await removedAfter(books, 8), 1);
  assert.is(await books.database.stores.reservations.find('closed'), undefined);
  assert.ok(await books.database.stores.reservations.find('open'));
});

retention('stay as long as log rows would when they are the only record', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(1000);
  await books.ledger.settle(settlementOf(purse, { requestId: 'a', held: 0, charge: 10 }, { rows: [] }));
  const silent = (days: number) => optionsView({ LogConsumeEnabled: false, LogRetentionDays: days });
  assert.is(await removedAfter(books, 10_000, silent(0)), 0);
  assert.is(await removedAfter(books, 29, silent(30)), 0);
  assert.is(await removedAfter(books, 31, silent(30)), 1);
});

retention('stay as long once rows are written again, when they ended before that', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(1000);
  await books.ledger.settle(settlementOf(purse, { requestId: 'a', held: 0, charge: 10 }, { rows: [] }));
  const change = { key: 'LogConsumeEnabled', updatedAt: NOW_MS / 1000 + DAY_SECONDS, actorId: 1, actorName: 'root' };
  await books.database.stores.optionChanges.set(change);
  assert.is(await removedAfter(books, 10_000), 0);
  const until = (days: number) => optionsView({ LogRetentionDays: days });
  assert.is(await removedAfter(books, 29, until(30)), 0);
  assert.is(await removedAfter(books, 31, until(30)), 1);
});

retention('let nothing be booked twice from a journal that waited until they were gone', async () => {
  const workspace = createWorkspace();
  const first = await Books.open(home.url, { workspace });
  const purse = await first.purse(1000);
  await first.watch();
  first.database.weather = 'lost-answer';
  await first.ledger.settle(settlementOf(purse, { requestId: 'booked', held: 0, charge: 20 }));
  first.database.weather = 'away';
  await first.ledger.settle(settlementOf(purse, { requestId: 'unbooked', held: 0, charge: 5 }));
  const invariants = await first.abandon();

  const second = await Books.open(home.url, { workspace, invariants });
  assert.is(await removedAfter(second, 8), 1);
  second.nowMs += 8 * DAY_SECONDS * 1000;
  await second.ledger.start();
  assert.is(await second.balance(purse), 1000 - 20 - 5);
  for (const id of ['booked', 'unbooked']) assert.is((await second.rowsOf(id)).length, 1, id);
});

retention.run();

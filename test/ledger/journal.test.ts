import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../daemon/errors.ts';
import { type TestDatabase, testDatabaseUrl, testEngine } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { createWorkspace } from '../support/workspace.ts';
import { Books, holdOf, putAway, settlementOf } from './books.ts';

const journal = suite(`the ledger without its database, on ${testEngine()}`);

let home: TestDatabase;
journal.before.each(async () => {
  home = await testDatabaseUrl();
});
journal.after.each(async () => {
  await putAway();
  await home.drop();
});

const filesIn = (books: Books) => readdirSync(books.workspace.folder).filter((name) => name.endsWith('.ndjson'));

journal('refuses holds with a time to come back, and never with a refusal of the balance', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(1000);
  await books.watch();
  books.database.weather = 'away';
  try {
    await books.ledger.hold(holdOf(purse, 'a', 10));
    assert.unreachable();
  } catch (error) {
    assert.instance(error, TollgateError);
    if (error instanceof TollgateError) {
      assert.is(error.code, 'accounting_unavailable');
      assert.is(error.retryAfterSeconds, 5);
    }
  }
  books.database.weather = 'fair';
  await books.close();
});

journal('lets nobody wait long in turn for a database that answers nothing, until it has answered again', async () => {
  const books = await Books.open(home.url, { limits: { holdDeadlineMs: 300, stalledDeadlineMs: 10 } });
  const purse = await books.purse(1000);
  await books.watch();
  const refused = (id: string) =>
    books.ledger.hold(holdOf(purse, id, 10)).then(
      () => assert.unreachable(),
      (error: TollgateError) => error.code,
    );
  const soon = () => new Promise<string>((resolve) => setTimeout(resolve, 150, 'still waiting'));
  books.database.weather = 'frozen';
  const first = refused('a');
  assert.is(await Promise.race([first, soon()]), 'still waiting');
  assert.is(await first, 'accounting_unavailable');
  for (const id of ['b', 'c']) assert.is(await Promise.race([refused(id), soon()]), 'accounting_unavailable');

  books.database.thaw();
  await until(async () => (await books.balance(purse)) === 970);
  await books.ledger.hold(holdOf(purse, 'd', 10));
  books.database.weather = 'away';
  assert.is(await refused('e'), 'accounting_unavailable');
  books.database.weather = 'fair';
  books.nowMs += 31_000;
  await books.ledger.sweep();
  assert.is(await books.balance(purse), 990, 'what nobody was told of is given back');
  await books.ledger.settle(settlementOf(purse, { requestId: 'd', held: 10, charge: 10 }));
  await books.close();
});

journal('keeps settlements on disk and books them when the database is back', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(100_000);
  await books.watch();
  const ids = Array.from({ length: 30 }, (_, index) => `r${index}`);
  await Promise.all(ids.map((id) => books.ledger.hold(holdOf(purse, id, 10))));
  books.database.weather = 'away';
  await Promise.all(
    ids.slice(0, 20).map((id) => books.ledger.settle(settlementOf(purse, { requestId: id, held: 10, charge: 9 }))),
  );
  await Promise.all(
    ids.slice(20).map((id) => books.ledger.settle(settlementOf(purse, { requestId: id, held: 10, charge: 9 }))),
  );
  assert.ok(filesIn(books).length > 0);
  assert.is(books.ledger.openHolds, 30, 'their holds are not swept meanwhile');
  books.database.weather = 'fair';
  await until(() => filesIn(books).length === 0);
  assert.is(await books.balance(purse), 100_000 - 30 * 9);
  assert.is(books.ledger.openHolds, 0);
  // And after that the usual way is open again.
  await books.ledger.hold(holdOf(purse, 'after', 10));
  await books.ledger.settle(settlementOf(purse, { requestId: 'after', held: 10, charge: 10 }));
  assert.is(filesIn(books).length, 0);
  await books.close();
});

journal('books at the next start what an earlier process could only journal, once', async () => {
  const workspace = createWorkspace();
  const first = await Books.open(home.url, { workspace });
  const purse = await first.purse(1000);
  await first.watch();
  for (const id of ['a', 'b']) await first.ledger.hold(holdOf(purse, id, 100));
  first.database.weather = 'lost-answer';
  await first.ledger.settle(settlementOf(purse, { requestId: 'a', held: 100, charge: 40 }));
  first.database.weather = 'away';
  await first.ledger.settle(settlementOf(purse, { requestId: 'b', held: 100, charge: 50 }));
  const invariants = await first.abandon();

  const second = await Books.open(home.url, { workspace, invariants });
  await second.ledger.start();
  assert.is(await second.balance(purse), 1000 - 40 - 50);
  assert.equal(filesIn(second), []);
  await second.ledger.start();
  await second.close();
});

if (testEngine() === 'postgres')
  journal('keeps settlements for the time in which a backup is put back, and its tables are not there', async () => {
    const books = await Books.open(home.url);
    const purse = await books.purse(1000);
    await books.watch();
    await books.ledger.hold(holdOf(purse, 'a', 100));
    const operator = new pg.Client(home.url);
    await operator.connect();
    try {
      await operator.query('alter table logs rename to logs_away');
      await books.ledger.settle(settlementOf(purse, { requestId: 'a', held: 100, charge: 40 }));
      const kinds = new Set(books.events.map(({ kind }) => kind));
      assert.equal([...kinds].sort(), ['database-away', 'journalled']);
      await operator.query('alter table logs_away rename to logs');
    } finally {
      await operator.end();
    }
    await until(async () => (await books.balance(purse)) === 960);
    await books.close();
  });

journal('passes over a line that was torn by a crash, and keeps it for a person to look at', async () => {
  const workspace = createWorkspace();
  const first = await Books.open(home.url, { workspace });
  const purse = await first.purse(1000);
  await first.watch();
  for (const id of ['a', 'b']) await first.ledger.hold(holdOf(purse, id, 100));
  const invariants = await first.abandon();
  const whole = JSON.stringify(settlementOf(purse, { requestId: 'a', held: 100, charge: 40 }));
  const next = JSON.stringify(settlementOf(purse, { requestId: 'b', held: 100, charge: 50 }));
  writeFileSync(workspace.path('ledger-journal.ndjson'), `${whole}\n${next.slice(0, 50)}`);

  const second = await Books.open(home.url, { workspace, invariants });
  second.database.weather = 'away';
  await second.ledger.settle(settlementOf(purse, { requestId: 'b', held: 100, charge: 50 }));
  const text = readFileSync(workspace.path('ledger-journal.ndjson'), 'utf8');
  assert.is(text.split('\n').filter((line) => line === next).length, 1, 'the new line stands alone');
  second.database.weather = 'fair';
  await second.ledger.start();
  assert.is(await second.balance(purse), 1000 - 40 - 50);
  assert.equal(
    second.events.filter((event) => event.kind === 'journal-damaged').map((event) => event.lines),
    [1],
  );
  const kept = readFileSync(workspace.path('ledger-rejected.ndjson'), 'utf8');
  assert.equal(JSON.parse(kept), { cause: 'no settlement', line: next.slice(0, 50) });
  await second.close();
});

journal('gives back a hold whose commit went through although the caller was refused', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(1000);
  await books.watch();
  books.database.weather = 'lost-answer';
  try {
    await books.ledger.hold(holdOf(purse, 'a', 100));
    assert.unreachable();
  } catch (error) {
    assert.instance(error, TollgateError);
  }
  books.database.weather = 'fair';
  assert.is(await books.balance(purse), 900);
  assert.is(await books.ledger.sweep(), 0, 'not while the commit may still be under way');
  books.nowMs += 31_000;
  assert.is(await books.ledger.sweep(), 1);
  assert.is(await books.balance(purse), 1000);
  await books.close();
});

journal('holds on to settlements in memory while neither database nor disk can be written', async () => {
  const workspace = createWorkspace();
  const file = workspace.path('not-a-folder');
  appendFileSync(file, '');
  const books = await Books.open(home.url, { workspace, dataDir: file });
  const purse = await books.purse(1000);
  await books.watch();
  await books.ledger.hold(holdOf(purse, 'a', 100));
  books.database.weather = 'away';
  const settled = books.ledger.settle(settlementOf(purse, { requestId: 'a', held: 100, charge: 70 }));
  await until(() => books.events.some((event) => event.kind === 'journal-failed'));
  books.database.weather = 'fair';
  await settled;
  assert.is(await books.balance(purse), 930);
  await books.close();
});

journal('refuses new calls while too many settlements wait', async () => {
  const workspace = createWorkspace();
  const file = workspace.path('not-a-folder');
  appendFileSync(file, '');
  const limits = { retryDelaysMs: [], maxWaiting: 3, maxSettlements: 1 };
  const books = await Books.open(home.url, { workspace, dataDir: file, limits });
  const purse = await books.purse(1000);
  await books.watch();
  const ids = ['a', 'b', 'c', 'd', 'e'];
  for (const id of ids) await books.ledger.hold(holdOf(purse, id, 10));
  books.database.weather = 'away';
  const settled = ids.map((id) => books.ledger.settle(settlementOf(purse, { requestId: id, held: 10, charge: 10 })));
  await until(() => books.events.some((event) => event.kind === 'journal-failed'));
  for (const amount of [10, 0]) {
    try {
      await books.ledger.hold(holdOf(purse, 'more', amount));
      assert.unreachable();
    } catch (error) {
      assert.is(error instanceof TollgateError && error.code, 'over_capacity');
    }
  }
  books.database.weather = 'fair';
  await Promise.all(settled);
  await books.close();
});

journal.run();

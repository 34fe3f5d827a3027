import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../daemon/errors.ts';
import { type TestDatabase, testDatabaseUrl, testEngine } from '../support/servers.ts';
import { Books, holdOf, NOW_MS, putAway, settlementOf } from './books.ts';

const sweep = suite(`the sweep of abandoned holds on ${testEngine()}`);

let home: TestDatabase;
sweep.before.each(async () => {
  home = await testDatabaseUrl();
});
sweep.after.each(async () => {
  await putAway();
  await home.drop();
});

const MINUTE_MS = 60_000;

sweep('releases once, with a row, what a process of this node left when it was killed', async () => {
  const first = await Books.open(home.url);
  const purse = await first.purse(1000, 1000);
  await first.watch();
  await first.ledger.hold(holdOf(purse, 'a', 400));
  const invariants = await first.abandon();

  const second = await Books.open(home.url, { invariants });
  second.nowMs += 31_000;
  await second.ledger.hold(holdOf(purse, 'mine', 100));
  assert.is(await second.ledger.sweep(), 1);
  assert.is(await second.ledger.sweep(), 0);
  assert.is(await second.balance(purse), 900);
  // A settlement that turns up afterwards finds the request closed.
  await second.ledger.settle(settlementOf(purse, { requestId: 'a', held: 400, charge: 300 }));
  assert.is(await second.balance(purse), 900);
  await second.ledger.settle(settlementOf(purse, { requestId: 'mine', held: 100, charge: 50 }));
  assert.equal(second.events, [{ kind: 'swept', count: 1 }]);
  await second.close();
});

for (const [language, says] of [
  ['en', 'The gateway stopped before this request ended; nothing is charged'],
  ['zh', '网关在该请求结束前停止，未扣费'],
] as const) {
  sweep(`says why in the language of the site: ${language}`, async () => {
    const first = await Books.open(home.url);
    const purse = await first.purse(1000);
    await first.watch();
    await first.ledger.hold(holdOf(purse, 'a', 400));
    const invariants = await first.abandon();

    const second = await Books.open(home.url, { invariants, language });
    second.nowMs += 31_000;
    await second.ledger.sweep();
    assert.equal(
      (await second.rowsOf('a')).map((row) => row.content),
      [says],
    );
    await second.close();
  });
}

for (const [language, says] of [
  ['en', 'Accounting did not answer in time, so this request was refused; nothing is charged'],
  ['zh', '计费系统未及时响应，该请求已被拒绝，未扣费'],
] as const) {
  sweep(`says that a call was refused whose hold was written too late: ${language}`, async () => {
    const books = await Books.open(home.url, { language });
    const purse = await books.purse(1000);
    await books.watch();
    books.nowMs += 5000;
    books.database.weather = 'lost-answer';
    const refused = await books.ledger.hold(holdOf(purse, 'a', 400)).catch((error: unknown) => error);
    assert.ok(refused instanceof TollgateError && refused.code === 'accounting_unavailable');
    books.database.weather = 'fair';
    books.nowMs += 31_000;
    assert.is(await books.ledger.sweep(), 1);
    const [row] = await books.rowsOf('a');
    assert.is(row?.content, says);
    const { settle_reason, error } = JSON.parse(row?.other ?? '{}');
    assert.equal([settle_reason, error.code, error.status], ['timeout', 'accounting_unavailable', 503]);
    assert.is(await books.balance(purse), 1000);
    await books.close();
  });
}

sweep('leaves the holds of running requests alone, however old', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(1000);
  await books.watch();
  await books.ledger.hold(holdOf(purse, 'a', 400));
  books.nowMs += 24 * 60 * MINUTE_MS;
  assert.is(await books.ledger.sweep(), 0);
  await books.ledger.settle(settlementOf(purse, { requestId: 'a', held: 400, charge: 300 }));
  await books.close();
});

sweep('releases holds of another node only when that node is dead and they are old', async () => {
  const dead = await Books.open(home.url, { node: 'node-dead' });
  const purse = await dead.purse(1000);
  await dead.watch();
  await dead.ledger.hold(holdOf(purse, 'a', 400));
  const invariants = await dead.abandon();

  const books = await Books.open(home.url, { node: 'node-2', invariants });
  const heartbeat = (atMs: number) =>
    books.database.stores.nodes.beat({
      id: 'node-dead',
      address: '',
      version: '',
      startedAt: NOW_MS / 1000,
      heartbeatAt: Math.floor(atMs / 1000),
    });
  await heartbeat(books.nowMs);
  books.nowMs += 9 * MINUTE_MS;
  assert.is(await books.ledger.sweep(), 0, 'dead, but not old');
  books.nowMs += 2 * MINUTE_MS;
  await heartbeat(books.nowMs - 4 * MINUTE_MS);
  assert.is(await books.ledger.sweep(), 0, 'old, but alive');
  // Its clock is behind, or nobody could say anything for a while: what moves is alive.
  for (const behind of [20, 19, 18]) {
    await heartbeat(books.nowMs - behind * MINUTE_MS);
    assert.is(await books.ledger.sweep(), 0, 'silent for long by its own clock, but heard of since the last sweep');
  }
  assert.is(await books.ledger.sweep(), 1);
  assert.is(await books.balance(purse), 1000);
  await books.close();
});

sweep('leaves holds under its own name alone while another process may have that name', async () => {
  const namesake = await Books.open(home.url);
  const purse = await namesake.purse(1000);
  await namesake.watch();
  await namesake.ledger.hold(holdOf(purse, 'a', 400));

  let ownsName = false;
  const books = await Books.open(home.url, { ownsName: () => ownsName });
  books.nowMs += 11 * MINUTE_MS;
  assert.is(await books.ledger.sweep(), 0);
  await namesake.ledger.settle(settlementOf(purse, { requestId: 'a', held: 400, charge: 300 }));
  assert.is(await books.balance(purse), 700);

  await namesake.ledger.hold(holdOf(purse, 'b', 100));
  const invariants = await namesake.abandon();
  books.nowMs += MINUTE_MS;
  ownsName = true;
  assert.is(await books.ledger.sweep(), 1);
  await invariants.check();
  await invariants.end();
  await books.close();
});

sweep('gives back once when two nodes sweep at the same time', async () => {
  const dead = await Books.open(home.url, { node: 'node-dead' });
  const purse = await dead.purse(100_000, 100_000);
  await dead.watch();
  const ids = Array.from({ length: 40 }, (_, index) => `r${index}`);
  await Promise.all(ids.map((id) => dead.ledger.hold(holdOf(purse, id, 100))));
  const invariants = await dead.abandon();

  const sweepers = await Promise.all(['node-2', 'node-3'].map((node) => Books.open(home.url, { node })));
  for (const books of sweepers) books.nowMs += 11 * MINUTE_MS;
  await Promise.all(sweepers.map((books) => books.ledger.sweep()));
  for (const books of sweepers) assert.is(await books.balance(purse), 100_000);
  await invariants.check();
  await invariants.end();
  for (const books of sweepers) await books.close();
});

sweep.run();

/**
 * Money coming in on two daemons with one PostgreSQL and no Redis: orders, codes, gifts, check-ins and repeated calls,
 * each on both nodes at once. Afterwards every balance is the sum of its log rows (REQ-2, REQ-34, REQ-35).
 * Runs once: it brings PostgreSQL with it, and Redis where it wants one.
 */
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Client } from '../../daemon/contract/client.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type TestDatabase, testEngines } from '../support/engines.ts';
import { LedgerInvariants } from '../support/ledger-invariants.ts';
import { merchantKey, paidNotice, signed } from '../support/payment-site.ts';
import { untilPasses } from '../support/until.ts';

const paying = suite('money coming in on two daemons');

let place: TestDatabase;
let nodes: readonly [TestDaemon, TestDaemon];
let books: LedgerInvariants;

paying.before(async () => {
  place = await testEngines.postgres.migrated();
  const wish = { databaseUrl: place.url, config: { 'redis.url': '' } };
  const first = await startTestDaemon({
    ...wish,
    options: {
      ServerAddress: 'https://gateway.example',
      PayAddress: 'https://pay.example',
      EpayId: '1001',
      EpayKey: merchantKey,
      CheckInEnabled: 'true',
      RebateEnabled: 'true',
      RebatePercentage: '10',
    },
  });
  nodes = [first, await startTestDaemon(wish)];
  books = await LedgerInvariants.begin(place.url);
});

paying.after(async () => {
  await books?.end();
  for (const node of nodes ?? []) await node.stop();
  await place?.drop();
});

interface Person {
  readonly id: number;
  readonly token: string;
  /** A client of either node. */
  at(node: number): Client;
}

let made = 0;

async function person(inviter?: Person): Promise<Person> {
  made += 1;
  const { database, keyring, nowSeconds } = nodes[0].daemon.foundation;
  const inserted = await database.stores.users.insert({
    username: `person${made}`,
    createdAt: nowSeconds(),
    role: 1,
    status: 1,
    group: 'default',
    ...(inviter ? { inviterId: inviter.id } : {}),
  });
  if (!inserted.inserted) throw new Error('the name is taken');
  const token = `person${made}`.padEnd(32, 'x');
  await database.stores.users.setAccessToken(inserted.user.id, keyring.accessTokenHash(token), nowSeconds() + 10_000);
  return { id: inserted.user.id, token, at: (node) => nodeOf(node).client(token) };
}

const nodeOf = (index: number): TestDaemon => nodes[index % 2 === 0 ? 0 : 1];
const root = (index: number): Client => nodeOf(index).client(nodes[1].accessToken);
const balanceOf = async ({ id }: Person) =>
  (await nodes[0].daemon.foundation.database.stores.users.find(id))?.quota ?? 0;

/** An order of ten units, and what tells that it is paid. */
async function orderOf(buyer: Person): Promise<{ readonly tradeNo: string; readonly form: URLSearchParams }> {
  const { data } = await buyer.at(0).wallet.pay({ amount: 10, payment_method: 'wx' });
  const tradeNo = data.out_trade_no ?? '';
  return { tradeNo, form: new URLSearchParams(signed(paidNotice(tradeNo))) };
}

/** Does the same on both nodes in turn, all at once; how many succeeded. */
async function successes(times: number, call: (index: number) => Promise<unknown>): Promise<number> {
  const outcomes = await Promise.allSettled(Array.from({ length: times }, (_, index) => call(index)));
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
}

paying('credits an order once, whoever completes it, and the inviter with it', async () => {
  const inviter = await person();
  const buyer = await person(inviter);
  const { tradeNo, form } = await orderOf(buyer);
  await successes(40, async (index) => {
    if (index % 8 === 7) return root(index).orders.complete({ trade_no: tradeNo });
    return fetch(`${nodeOf(index).url}/api/user/epay/notify?${form}`);
  });
  assert.equal([await balanceOf(buyer), await balanceOf(inviter)], [5_000_000, 500_000]);
  await books.check();
});

/** Purges somebody while a call that has read them already waits for their row; what that call answers. */
async function whilePurged<T>({ id }: Person, call: () => Promise<T>): Promise<T> {
  const purge = new pg.Client({ connectionString: place.url });
  await purge.connect();
  try {
    await purge.query('BEGIN');
    await purge.query('DELETE FROM users WHERE id = $1', [id]);
    const answer = call();
    await untilPasses(async () => {
      const waiting = await purge.query(
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      );
      assert.is(waiting.rowCount, 1);
    });
    await purge.query('COMMIT');
    return await answer;
  } finally {
    await purge.end();
  }
}

paying('completes no order, and rewards no inviter, for a buyer who is purged at the same moment', async () => {
  const inviter = await person();
  const buyer = await person(inviter);
  const { tradeNo, form } = await orderOf(buyer);
  const answer = await whilePurged(buyer, () => fetch(`${nodeOf(1).url}/api/user/epay/notify?${form}`));
  assert.is(await answer.text(), 'fail');
  assert.is((await root(0).orders.get({ trade_no: tradeNo })).status, 'pending');
  assert.is(await balanceOf(inviter), 0);
});

paying('uses up no code, and rewards no inviter, for somebody who is purged at the same moment', async () => {
  const inviter = await person();
  const holder = await person(inviter);
  const heir = await person();
  const [code = ''] = await root(0).redemptions.create({ name: 'left', quota: 700 });
  const redeem = (who: Person) => who.at(1).redemptions.redeem({ key: code });
  const outcome = await whilePurged(holder, () =>
    redeem(holder).then(
      () => 'redeemed',
      ({ code: reason }) => reason,
    ),
  );
  assert.is(outcome, 'user_gone');
  assert.is(await balanceOf(inviter), 0);
  await redeem(heir);
  assert.is(await balanceOf(heir), 700);
});

paying('tells nobody of a rebate to an inviter who is purged at the same moment', async () => {
  const inviter = await person();
  const buyer = await person(inviter);
  const [code = ''] = await root(0).redemptions.create({ name: 'alone', quota: 700 });
  await whilePurged(inviter, () => buyer.at(1).redemptions.redeem({ key: code }));
  const { items } = await buyer.at(0).logs.listOwn({});
  assert.equal(
    items.map(({ type, quota }) => [type, quota]),
    [[1, 700]],
  );
});

paying('gives a code to one of a hundred, a gift to as many as it allows, a check-in once', async () => {
  const people: Person[] = [];
  for (let count = 0; count < 20; count += 1) people.push(await person());
  const one = (index: number): Person => {
    const found = people[index % people.length];
    if (!found) throw new Error('nobody was made');
    return found;
  };
  const [code = ''] = await root(0).redemptions.create({ name: 'code', quota: 700 });
  const [gift = ''] = await root(1).redemptions.create({ name: 'gift', quota: 30, is_gift: true, max_uses: 7 });
  assert.is(await successes(100, (index) => one(index).at(index).redemptions.redeem({ key: code })), 1);
  assert.is(await successes(60, (index) => one(index).at(index).redemptions.redeem({ key: gift })), 7);
  assert.is(await successes(30, (index) => one(0).at(index).rewards.checkIn()), 1);
  const balances = await Promise.all(people.map(balanceOf));
  assert.is(
    balances.reduce((sum, balance) => sum + balance, 0),
    700 + 7 * 30 + 1000,
  );
  await books.check();
});

paying('makes one batch of codes for one key, whichever node is asked', async () => {
  const input = { name: 'batch', quota: 5, count: 200 };
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => root(index).redemptions.create(input, { idempotencyKey: 'one batch' })),
  );
  for (const codes of answers) assert.equal(codes, answers[0]);
  assert.is(await root(0).redemptions.countByName({ name: 'batch' }), 200);
});

paying('tells in the test of the way back that the other node took the notification', async () => {
  await root(0).options.set({ key: 'CustomCallbackAddress', value: nodes[1].url });
  const { callback_url, reachable, reason } = await root(0).orders.selfTest();
  const found = { callback_url: `${nodes[1].url}/api/user/epay/notify`, reachable: true, reason: '' };
  assert.equal({ callback_url, reachable, reason }, found);
});

paying.run();

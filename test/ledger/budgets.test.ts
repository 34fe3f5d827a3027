/** What settlements take from budgets: in their transaction, once, from the period in which the call began. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BudgetPeriods } from '../../daemon/domain/budget-periods.ts';
import { budgetRefunds } from '../../daemon/domain/budget-refunds.ts';
import { eventRow, refundTask } from '../../daemon/domain/ledger-credits.ts';
import type { BudgetUse } from '../../daemon/store/ledger-rows.ts';
import { type TestDatabase, testDatabaseUrl, testEngine } from '../support/servers.ts';
import { Books, holdOf, NOW_MS, putAway, settlementOf } from './books.ts';

const test = suite(`budgets in the books on ${testEngine()}`);

let home: TestDatabase;
test.before.each(async () => {
  home = await testDatabaseUrl();
});
test.after.each(async () => {
  await putAway();
  await home.drop();
});

const today = NOW_MS / 1000;
const use = (over: Partial<BudgetUse>): BudgetUse => ({
  subject: 'user',
  subjectId: 1,
  kind: 'quota',
  per: 'day',
  startsAt: today,
  node: 'node-1',
  amount: 10,
  ...over,
});

/** `kind startsAt own others`, as node-1 reads them. */
async function sums(books: Books, startsAt = [today, today - 86_400]): Promise<string[]> {
  const owner = { subject: 'user', subjectId: 1 } as const;
  const found = await books.database.stores.budgets.sums([owner], startsAt, 'node-1');
  return found.map((sum) => `${sum.kind} ${sum.startsAt - today} ${sum.own} ${sum.others}`).sort();
}

test('adds what a group takes, and what other nodes have taken stands apart', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(10_000);
  await books.watch();
  const settle = (requestId: string, budgets: BudgetUse[]) =>
    books.ledger.settle(settlementOf(purse, { requestId, held: 0, charge: 10 }, { budgets }));
  await Promise.all([
    settle('a', [use({}), use({ kind: 'tokens', amount: 70 })]),
    settle('b', [use({ amount: 5 }), use({ subject: 'token', amount: 99 })]),
    settle('c', [use({ node: 'node-2', amount: 1 })]),
    books.ledger.settle(settlementOf(purse, { requestId: 'd', held: 0, charge: 0 })),
  ]);
  await settle('e', [use({ amount: 100 })]);
  assert.equal(await sums(books), ['quota 0 115 1', 'tokens 0 70 0']);
  await books.close();
});

test('takes once what is told twice, alone, in a group and by a session', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(10_000);
  await books.watch();
  await books.ledger.hold(holdOf(purse, 'a', 50));
  const held = settlementOf(purse, { requestId: 'a', held: 50, charge: 10 }, { budgets: [use({})] });
  await Promise.all([books.ledger.settle(held), books.ledger.settle(held)]);
  await books.ledger.settle(held);
  const free = settlementOf(
    purse,
    { requestId: 'b', held: 0, charge: 0 },
    { budgets: [use({ kind: 'requests', amount: 1 })] },
  );
  await books.ledger.settle(free);
  await books.ledger.settle(free);
  await books.ledger.hold(holdOf(purse, 's', 50));
  const turn = settlementOf(purse, { requestId: 's', held: 50, charge: 20 }, { session: 'goes-on' });
  await books.ledger.settle(turn);
  const end = settlementOf(
    purse,
    { requestId: 's', held: 50, charge: 30 },
    { session: 'ends', budgets: [use({ amount: 30 })] },
  );
  await books.ledger.settle(end);
  await books.ledger.settle(end);
  assert.equal(await sums(books), ['quota 0 40 0', 'requests 0 1 0']);
  await books.close();
});

test('books what ends late to the period in which it began, and gives back there', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(10_000);
  await books.watch();
  const yesterday = today - 86_400;
  const settle = (requestId: string, budgets: BudgetUse[]) =>
    books.ledger.settle(settlementOf(purse, { requestId, held: 0, charge: 10 }, { budgets }));
  await settle('a', [use({ startsAt: yesterday, amount: 30 })]);
  await settle('b', [use({ amount: 4 })]);
  await settle('c', [use({ startsAt: yesterday, amount: -12 })]);
  assert.equal(await sums(books), ['quota -86400 18 0', 'quota 0 4 0']);
  await books.database.stores.budgets.deleteUses(today);
  assert.equal(await sums(books), ['quota 0 4 0']);
  await books.close();
});

test('gives the charge of a task that failed days later back to the day on which it was ordered', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(10_000);
  const channelId = await books.channel();
  await books.watch();
  const { userId, tokenId } = purse;
  const startsAt = new BudgetPeriods('UTC').at('day', today).startsAt;
  const taken = [
    { ...use({ subjectId: userId, startsAt, amount: 80 }) },
    use({ subjectId: userId, startsAt, kind: 'requests', amount: 2 }),
    use({ subjectId: userId, startsAt, kind: 'tokens', amount: 50 }),
  ];
  await books.ledger.hold(holdOf(purse, 'task', 80));
  await books.ledger.settle(
    settlementOf(purse, { requestId: 'task', held: 80, charge: 80, channelId }, { budgets: taken }),
  );
  const charge = { requestId: 'task', userId, tokenId, channelId, amount: 80 };
  const event = eventRow({
    userId,
    username: '',
    type: 4,
    content: 'refund',
    quota: 80,
    nowSeconds: today + 200_000,
    requestId: 'task',
  });
  const row = { ...event, tokenId, channelId };
  await books.database.transaction(async (stores) => {
    const budgets = await budgetRefunds(stores, new BudgetPeriods('UTC'), charge);
    await refundTask(stores, { userId, tokenId, tokenLimited: false, channelId, amount: 80, row, budgets });
  });
  const left = await books.database.stores.budgets.sums([{ subject: 'user', subjectId: userId }], [startsAt], '');
  assert.equal(left.map(({ kind, others }) => `${kind} ${others}`).sort(), ['quota 0', 'requests 1', 'tokens 50']);
  const later = use({ subject: 'channel', subjectId: channelId, startsAt, amount: 30 });
  await books.ledger.settle(settlementOf(purse, { requestId: 'later', held: 0, charge: 0 }, { budgets: [later] }));
  const others = await budgetRefunds(books.database.stores, new BudgetPeriods('UTC'), charge);
  const ofChannel = others.filter(({ subject }) => subject === 'channel').map(({ amount }) => amount);
  assert.equal(ofChannel, [-30], 'no more than a budget has lost that was set after the order');
  const none = await budgetRefunds(books.database.stores, new BudgetPeriods('UTC'), {
    ...charge,
    requestId: 'forgotten',
  });
  assert.equal(none, []);
  await books.close();
});

test('takes from its caller what a session was charged that nobody settled, and nothing for a call', async () => {
  const first = await Books.open(home.url);
  const purse = await first.purse(1000);
  await first.watch();
  const { userId, tokenId } = purse;
  const budgets = [
    { kind: 'quota', per: 'day', limit: 500 },
    { kind: 'tokens', per: 'day', limit: 500 },
    { kind: 'requests', per: 'month', limit: 5 },
  ] as const;
  await first.database.stores.budgets.set({ subject: 'user', subjectId: userId }, budgets);
  await first.database.stores.budgets.set({ subject: 'token', subjectId: tokenId }, budgets.slice(0, 1));
  await first.ledger.hold(holdOf(purse, 'session', 100));
  await first.ledger.settle(
    settlementOf(purse, { requestId: 'session', held: 100, charge: 40 }, { session: 'goes-on' }),
  );
  await first.ledger.hold(holdOf(purse, 'call', 100));
  const invariants = await first.abandon();

  const second = await Books.open(home.url, { invariants });
  // Swept on the day after, which loses nothing.
  second.nowMs += 24 * 3_600_000;
  assert.is(await second.ledger.sweep(), 2);
  const periods = new BudgetPeriods('UTC');
  const startsAt = (['day', 'month'] as const).map((per) => periods.at(per, today).startsAt);
  const owners = [
    { subject: 'user', subjectId: userId },
    { subject: 'token', subjectId: tokenId },
  ] as const;
  const taken = await second.database.stores.budgets.sums(owners, startsAt, 'node-1');
  assert.equal(taken.map(({ subject, kind, own, others }) => `${subject} ${kind} ${own} ${others}`).sort(), [
    'token quota 0 40',
    'user quota 0 40',
    'user requests 0 1',
  ]);
  await second.close();
});

test('comes out of the journal with the settlement when the database was away', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(10_000);
  await books.watch();
  books.database.weather = 'away';
  await books.ledger.settle(settlementOf(purse, { requestId: 'a', held: 0, charge: 10 }, { budgets: [use({})] }));
  books.database.weather = 'fair';
  await books.ledger.start();
  assert.equal(await sums(books), ['quota 0 10 0']);
  await books.close();
});

test('lists budgets by whom they hold for, of all or of one account, without those that are deleted', async () => {
  const books = await Books.open(home.url);
  const [ann, bob] = [await books.purse(0), await books.purse(0)];
  const channelId = await books.channel();
  await books.database.transaction(async ({ budgets, tokens }) => {
    const day = { kind: 'quota', per: 'day', limit: 9_000_000_000_000 } as const;
    await budgets.set({ subject: 'token', subjectId: ann.tokenId }, [day, { kind: 'tokens', per: 'hour', limit: 5 }]);
    await budgets.set({ subject: 'user', subjectId: bob.userId }, [day]);
    await budgets.set({ subject: 'channel', subjectId: channelId }, [day]);
    await budgets.set({ subject: 'token', subjectId: bob.tokenId }, [day]);
    await tokens.softDelete([bob.tokenId], bob.userId, new Date());
    assert.is(await budgets.set({ subject: 'user', subjectId: 999_999 }, [day]), false);
  });
  const { budgets } = books.database.stores;
  const named = async (filter: Parameters<typeof budgets.list>[0], window = { offset: 0, limit: 10 }) => {
    const { items, total } = await budgets.list(filter, window);
    return [total, ...items.map(({ subject, kind, per, limit }) => `${subject} ${kind} ${per} ${limit}`)];
  };
  const [channel, quota, tokens, user] = [
    'channel quota day 9000000000000',
    'token quota day 9000000000000',
    'token tokens hour 5',
    'user quota day 9000000000000',
  ];
  assert.equal(await named({}), [4, channel, quota, tokens, user]);
  assert.equal(await named({}, { offset: 1, limit: 2 }), [4, quota, tokens]);
  assert.equal(await named({ userId: ann.userId }), [2, quota, tokens]);
  assert.equal(await named({ owners: [{ subject: 'token', subjectId: ann.tokenId }], userId: bob.userId }), [0]);
  assert.equal(await named({ owners: [{ subject: 'channel', subjectId: channelId }] }), [1, channel]);
  assert.equal(await named({ owners: [{ subject: 'channel', subjectId: channelId }], userId: ann.userId }), [0]);
  const owners = [
    { subject: 'user', subjectId: bob.userId },
    { subject: 'token', subjectId: ann.tokenId },
    { subject: 'token', subjectId: 999_999 },
  ] as const;
  assert.equal(await named({ owners }), [3, quota, tokens, user]);
  await books.close();
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BudgetPeriods } from '../../daemon/domain/budget-periods.ts';
import { Drawings } from '../../daemon/domain/drawings.ts';
import { TaskBooks } from '../../daemon/domain/task-books.ts';
import { optionsView } from '../support/options-view.ts';
import { type TestDatabase, testDatabaseUrl, testEngine } from '../support/servers.ts';
import { newDrawing } from '../support/work-records.ts';
import { Books, holdOf, NOW_MS, type Purse, putAway, releaseOf, settlementOf } from './books.ts';

const test = suite(`refunds of tasks that failed, on ${testEngine()}`);
const amount = 45_000;
const periods = new BudgetPeriods('UTC');

let home: TestDatabase;
test.before.each(async () => {
  home = await testDatabaseUrl();
});
test.after.each(async () => {
  await putAway();
  await home.drop();
});

/** The drawings of one node. */
function nodeOf(books: Books): Drawings {
  const { database } = books;
  const options = () => optionsView({ DataExportEnabled: true });
  const tasks = new TaskBooks({ database, options, language: 'en', nowSeconds: () => NOW_MS / 1000, periods });
  return new Drawings({ stores: database.stores, books: tasks });
}

/** A charged drawing that goes on; the id of its row. */
async function charged(books: Books, purse: Purse, requestId: string): Promise<number> {
  const channelId = await books.channel();
  await books.ledger.hold(holdOf(purse, requestId, amount));
  await books.ledger.settle(settlementOf(purse, { requestId, held: amount, charge: amount, channelId }));
  const { userId, tokenId, tokenLimited } = purse;
  const paid = { quota: amount, tokenQuota: tokenLimited ? amount : 0, requestId, channelId };
  const state = { status: 'IN_PROGRESS', progress: '10%', mjId: requestId };
  const row = await books.database.stores.midjourneys.insert(newDrawing({ userId, tokenId, ...paid, ...state }));
  return row.id;
}

test('a charge goes back once, to user, token, counters and figures, whoever ends the task first', async () => {
  const books = await Books.open(home.url);
  const other = await Books.open(home.url);
  const purse = await books.purse(100_000, 100_000);
  await books.watch();
  const id = await charged(books, purse, 'task');
  const ends = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      nodeOf(index % 2 === 0 ? books : other).advance(id, { status: 'FAILURE', progress: '100%', failReason: 'no' }),
    ),
  );
  assert.is(ends.filter((end) => end !== undefined).length, 1);
  assert.is(await nodeOf(books).advance(id, { status: 'SUCCESS', progress: '100%' }), undefined);
  assert.is(await books.balance(purse), 100_000);
  const token = await books.database.stores.tokens.find(purse.tokenId);
  assert.equal([token?.remainQuota, token?.usedQuota], [100_000, 0]);
  const row = await books.database.stores.midjourneys.findByMjId('task');
  assert.equal([row?.quota, row?.tokenQuota, row?.failReason], [0, 0, 'no']);
  const [refund, ...more] = (await books.rowsOf('task')).filter(({ type }) => type === 4);
  assert.equal(more, []);
  assert.equal([refund?.quota, refund?.modelName], [amount, 'mj_imagine']);
  const hours = await books.database.stores.quotaData.list({ userId: purse.userId }, { from: 0, until: 1e11 });
  assert.equal(
    hours.map(({ quota, count }) => [quota, count]),
    [[-amount, 0]],
  );
  await other.abandon().then((invariants) => invariants.end());
  await books.close();
});

test('a token that was unlimited when it paid gets nothing that it never gave', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(100_000);
  await books.watch();
  const id = await charged(books, purse, 'task');
  await nodeOf(books).advance(id, { status: 'FAILURE', progress: '100%' });
  assert.is(await books.balance(purse), 100_000);
  const token = await books.database.stores.tokens.find(purse.tokenId);
  assert.equal([token?.remainQuota, token?.usedQuota], [0, 0]);
  await books.close();
});

test('nothing goes back before it was charged, and nothing at all when it never was', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(100_000, 100_000);
  await books.watch();
  const { userId, tokenId } = purse;
  const failure = { status: 'FAILURE', progress: '100%' };
  await books.ledger.hold(holdOf(purse, 'task', amount));
  const state = { status: 'IN_PROGRESS', progress: '10%', mjId: 'task', channelId: 0 };
  const paid = { userId, tokenId, requestId: 'task', quota: amount, tokenQuota: amount };
  const { id } = await books.database.stores.midjourneys.insert(newDrawing({ ...paid, ...state }));
  assert.is(await nodeOf(books).advance(id, failure), undefined);
  assert.is((await books.database.stores.midjourneys.findByMjId('task'))?.status, 'IN_PROGRESS');
  assert.is(await books.balance(purse), 100_000 - amount);
  // As the sweeper does for a node that died.
  await books.ledger.settle(releaseOf(purse, 'task', amount));
  const ended = await nodeOf(books).advance(id, failure);
  assert.is(ended?.status, 'FAILURE');
  assert.is((await books.database.stores.midjourneys.findByMjId('task'))?.quota, 0);
  assert.is(await books.balance(purse), 100_000);
  await books.close();
});

test('a refund that cannot be written leaves the task as it was', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(100_000, 100_000);
  await books.watch();
  const id = await charged(books, purse, 'task');
  const { database } = books;
  const failing = new Drawings({
    stores: database.stores,
    books: new TaskBooks({
      database,
      options: () => {
        throw new Error('no options');
      },
      language: 'en',
      nowSeconds: () => NOW_MS / 1000,
      periods,
    }),
  });
  const failed = await failing.advance(id, { status: 'FAILURE', progress: '100%' }).catch(() => 'failed');
  assert.is(failed, 'failed');
  const row = await database.stores.midjourneys.findByMjId('task');
  assert.equal([row?.status, row?.quota], ['IN_PROGRESS', amount]);
  assert.is(await books.balance(purse), 100_000 - amount);
  await nodeOf(books).advance(id, { status: 'FAILURE', progress: '100%' });
  assert.is(await books.balance(purse), 100_000);
  await books.close();
});

test.run();

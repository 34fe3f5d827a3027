import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ClusterNode, RevisionTable, startNode } from '../support/cluster-world.ts';
import { sharedRedisUrl } from '../support/engines.ts';
import { until } from '../support/until.ts';

type Heard = [topic: string, revision: number, detail?: string];

/** Everything a node is told from now on. */
function listen(node: ClusterNode): Heard[] {
  const heard: Heard[] = [];
  node.bus.onChange((topic, revision, detail) => {
    heard.push(detail === undefined ? [topic, revision] : [topic, revision, detail]);
  });
  return heard;
}

interface World {
  table: RevisionTable;
  one: ClusterNode;
  two: ClusterNode;
  heardByOne: Heard[];
  heardByTwo: Heard[];
}

/** `redis` gives the address, undefined for nodes that only look at the table. */
function busSuite(name: string, redis: () => Promise<string | undefined>): void {
  const test = suite<World>(`bus ${name}`);

  test.before.each(async (context) => {
    context.table = new RevisionTable();
    context.table.bump('options');
    const options = { table: context.table, redisUrl: await redis(), prefix: `test:${Math.random()}:`, pollMs: 30 };
    context.one = await startNode(options);
    context.two = await startNode(options);
    context.heardByOne = listen(context.one);
    context.heardByTwo = listen(context.two);
  });
  test.after.each(async ({ one, two }) => {
    await Promise.all([one.stop(), two.stop()]);
  });

  test('tells this node before the announcement resolves, and every other soon', async ({ table, one, ...heard }) => {
    let done = false;
    one.bus.onChange(async () => {
      await sleep(10);
      done = true;
    });
    await one.bus.announce('options', table.bump('options'), '7');
    assert.is(done, true);
    assert.equal(heard.heardByOne[0], ['options', 2, '7']);
    await until(() => heard.heardByTwo.length > 0);
    assert.equal(heard.heardByTwo[0]?.slice(0, 2), ['options', 2]);
  });

  test('brings a change whose announcement was lost', async ({ table, heardByOne, heardByTwo }) => {
    table.bump('channels');
    await until(() => heardByOne.length > 0 && heardByTwo.length > 0);
    assert.equal(heardByTwo, [['channels', 1]]);
  });

  test('drops the detail when something was missed before it', async ({ table, one, heardByOne }) => {
    table.bump('channels');
    await one.bus.announce('channels', table.bump('channels'), '12');
    assert.equal(heardByOne[0], ['channels', 2]);
  });

  test('keeps the detail of an earlier change that is announced late', async ({ table, one, heardByOne }) => {
    const [earlier, later] = [table.bump('channels'), table.bump('channels')];
    await one.bus.announce('channels', later, '2');
    await one.bus.announce('channels', earlier, '1');
    assert.equal(heardByOne, [
      ['channels', 2],
      ['channels', 1, '1'],
    ]);
  });

  test('repeats a change until the listeners have taken it in', async ({ table, two, heardByTwo }) => {
    let failures = 2;
    two.bus.onChange(() => {
      failures -= 1;
      if (failures >= 0) throw new Error('the database was away for a moment');
    });
    table.bump('channels');
    await until(() => failures < 0);
    await sleep(80);
    assert.is(heardByTwo.length, 3);
    assert.equal(
      two.reports.filter((report) => report.startsWith('bus')),
      ['bus channels'],
      'one report an outage',
    );
  });

  test('stays quiet while nothing changes and after it was stopped', async ({ table, one, heardByOne, heardByTwo }) => {
    await sleep(100);
    assert.equal([heardByOne, heardByTwo], [[], []]);
    await one.bus.stop();
    const reads = table.reads;
    table.bump('options');
    await until(() => heardByTwo.length > 0);
    assert.equal(heardByOne, []);
    assert.ok(table.reads > reads, 'the other node goes on');
  });

  test('goes on by itself after the database was away', async ({ table, one, heardByOne }) => {
    table.failure = new Error('connection refused');
    table.bump('options');
    await until(() => one.reports.includes('bus *'));
    await sleep(80);
    assert.is(one.reports.filter((report) => report === 'bus *').length, 1);
    table.failure = undefined;
    await until(() => heardByOne.length > 0);
    assert.equal(heardByOne, [['options', 2]]);
  });

  test.run();
}

busSuite('without Redis', async () => undefined);
busSuite('with Redis', sharedRedisUrl);

const messages = suite('bus over Redis alone');

messages('brings a change with its detail, long before the next look at the table', async () => {
  const table = new RevisionTable();
  const options = { table, redisUrl: await sharedRedisUrl(), prefix: `test:${Math.random()}:` };
  const [one, two] = await Promise.all([startNode(options), startNode(options)]);
  const heard = listen(two);
  const own = listen(one);
  await until(async () => {
    // A subscription may become active a moment after the connection, and the first message heard shows a gap.
    await one.bus.announce('channels', table.bump('channels'), '4');
    await sleep(5);
    return heard.at(-1)?.[2] === '4';
  });
  assert.is(own.length, new Set(own.map(([, revision]) => revision)).size, 'no node hears its own message again');
  await Promise.all([one.stop(), two.stop()]);
});

messages.run();

/** Messages between nodes without Redis, over a table that several of them share. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Company } from '../../daemon/cluster/company.ts';
import { type NewsMessage, type StoredNews, TableNews, toOthers } from '../../daemon/cluster/table-news.ts';
import { type ClusterNode, RevisionTable, startNode } from '../support/cluster-world.ts';
import { until } from '../support/until.ts';

interface World {
  rows: StoredNews[];
  writes: number;
  isAlone: boolean;
  /** Milliseconds that a read takes. */
  readMs: number;
  failure: Error | undefined;
  failures: unknown[];
  one: Member;
  two: Member;
}

interface Member {
  node: ClusterNode;
  news: TableNews;
  heard: string[];
}

const news = suite<World>('news over a table');

async function startMember(world: World, table: RevisionTable, sender: string): Promise<Member> {
  const node = await startNode({ table, pollMs: 30 });
  const member = new TableNews({
    write: async (messages: readonly NewsMessage[], topic) => {
      if (world.failure) throw world.failure;
      world.writes += 1;
      for (const message of messages) world.rows.push({ ...message, sender, id: world.rows.length + 1 });
      return table.bump(topic);
    },
    readAfter: async (id) => {
      if (world.readMs > 0) await sleep(world.readMs);
      return world.rows.filter((row) => row.id > id);
    },
    latestId: async () => world.rows.length,
    isAlone: async () => world.isAlone,
    bus: node.bus,
    sender,
    report: (cause) => world.failures.push(cause),
  });
  await member.start();
  const heard: string[] = [];
  member.transport('a').subscribe((body) => heard.push(`a ${body}`));
  member.transport('b').subscribe((body) => heard.push(`b ${body}`));
  return { node, news: member, heard };
}

news.before.each(async (world) => {
  Object.assign(world, { rows: [], writes: 0, isAlone: false, readMs: 0, failure: undefined, failures: [] });
  world.rows.push({ id: 1, sender: 'gone', name: 'a', body: 'of before' });
  const table = new RevisionTable();
  world.one = await startMember(world, table, 'one');
  world.two = await startMember(world, table, 'two');
});
news.after.each(async ({ one, two }) => {
  for (const { news: member, node } of [one, two]) {
    await member.stop();
    await node.stop();
  }
});

news('reach every other node once, in order, gathered in one write', async (world) => {
  const { one, two } = world;
  one.news.transport('a').publish('1');
  one.news.transport('b').publish('2');
  one.news.transport('a').publish('3');
  await until(() => two.heard.length === 3);
  assert.equal(two.heard, ['a 1', 'b 2', 'a 3']);
  assert.is(world.writes, 1);
  two.news.transport('a').publish('4');
  await until(() => one.heard.length > 0);
  await sleep(100);
  assert.equal([one.heard, two.heard.length], [['a 4'], 3], 'nobody hears itself or what was before');
});

news('reach every other node once where reads take long and everybody has something to say', async (world) => {
  const { one, two } = world;
  world.readMs = 100;
  for (const word of ['1', '2', '3']) {
    one.news.transport('a').publish(word);
    two.news.transport('a').publish(word);
    await sleep(300);
  }
  await until(() => one.heard.length >= 3 && two.heard.length >= 3);
  await sleep(300);
  assert.equal(
    [one.heard, two.heard],
    [
      ['a 1', 'a 2', 'a 3'],
      ['a 1', 'a 2', 'a 3'],
    ],
  );
});

news('are not written by a node by itself', async (world) => {
  world.isAlone = true;
  world.one.news.transport('a').publish('1');
  await sleep(350);
  assert.is(world.writes, 0);
  world.isAlone = false;
  world.one.news.transport('a').publish('2');
  await until(() => world.two.heard.length > 0);
  assert.equal(world.two.heard, ['a 2']);
});

news('are written while the heartbeat of another node moves, however far apart the clocks are', async () => {
  const heartbeats = new Map([
    ['own', 1000],
    ['dead', 900],
  ]);
  let nowMs = 0;
  const company = new Company({ heartbeats: async () => new Map(heartbeats), now: () => nowMs });
  const pass = async (seconds: number, beating: readonly string[]) => {
    for (let second = 0; second < seconds; second += 10) {
      nowMs += 10_000;
      for (const id of beating) heartbeats.set(id, (heartbeats.get(id) ?? 0) + 10);
      await company.isAlone();
    }
    return company.isAlone();
  };
  assert.is(await company.isAlone(), false, 'nobody can tell yet');
  assert.is(await pass(100, ['own']), true);
  // Its clock is an hour behind.
  heartbeats.set('other', 1000 - 3600);
  assert.is(await pass(300, ['own', 'other']), false);
  assert.is(await pass(100, ['own']), true);
});

news('are lost while the table cannot be written, and only then', async (world) => {
  world.failure = new Error('the database is away');
  world.one.news.transport('a').publish('1');
  await until(() => world.failures.length > 0);
  world.failure = undefined;
  world.one.news.transport('a').publish('2');
  await until(() => world.two.heard.length > 0);
  assert.equal(world.two.heard, ['a 2']);
});

news('are bounded in number, and none after the end', async (world) => {
  for (let at = 0; at < 1500; at += 1) world.one.news.transport('a').publish(String(at));
  await until(() => world.two.heard.length > 0);
  assert.is(world.two.heard.length, 1000);
  await world.one.news.stop();
  world.one.news.transport('a').publish('late');
  await sleep(350);
  assert.is(world.writes, 1);
});

news('over a transport where everybody hears everything, leave out the own', () => {
  const listeners: ((message: string) => void)[] = [];
  const loud = {
    publish: (message: string) => listeners.forEach((listener) => void listener(message)),
    subscribe: (listener: (message: string) => void) => {
      listeners.push(listener);
      return () => undefined;
    },
  };
  const heard: string[] = [];
  const [one, two] = [toOthers(loud, 'one'), toOthers(loud, 'two')];
  one.subscribe((message) => heard.push(`one: ${message}`));
  two.subscribe((message) => heard.push(`two: ${message}`));
  one.publish('hello there');
  assert.equal(heard, ['two: hello there']);
});

news.run();

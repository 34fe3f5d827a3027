import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ClusterNode, RevisionTable, startNode } from '../support/cluster-world.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { resolvesWithin, until } from '../support/until.ts';

interface World {
  redis: RedisServer;
  table: RevisionTable;
  one: ClusterNode;
  two: ClusterNode;
}

const test = suite<World>('a Redis that goes away');
const window = { limit: 3, windowMs: 60_000 };

test.before.each(async (context) => {
  context.redis = await startRedis();
  context.table = new RevisionTable();
  const options = { table: context.table, redisUrl: context.redis.url, prefix: 'test:', pollMs: 50 };
  context.one = await startNode(options);
  context.two = await startNode(options);
});
test.after.each(async ({ one, two, redis }) => {
  await Promise.all([one.stop(), two.stop()]);
  await redis.stop();
});

test('leaves every node counting by itself, with one warning, and is used again when it is back', async (world) => {
  const { one, redis } = world;
  assert.is((await one.counters.slide('k', window)).remaining, 2);
  await redis.crash();
  const ask = async () => {
    const during = [];
    for (let at = 0; at < 50; at += 1) during.push(await one.counters.slide('k', window));
    return during;
  };
  // Nobody waits for a server that is gone.
  const during = await resolvesWithin(1000, ask());
  assert.is(during.filter(({ allowed }) => allowed).length, 3, 'the limit holds on this node');
  await redis.resume();
  await until(() => one.link?.ready === true);
  await until(async () => (await one.counters.slide('k', window)).member.includes('-'));
  assert.equal(one.reports, ['redis connected', 'redis lost', 'redis connected']);
});

test('is no outage where the node itself stops', async ({ one }) => {
  assert.is((await one.counters.slide('k', window)).remaining, 2);
  await one.stop();
  // The connection tells that it closed after the stop has ended.
  await sleep(100);
  assert.equal(one.reports, ['redis connected']);
});

test('does not mix up places taken before, during and after', async ({ one, redis }) => {
  const before = await one.counters.slide('k', window);
  const runningBefore = await one.counters.enter('r', 5, 60_000);
  await redis.crash();
  const during = await one.counters.slide('k', window);
  const runningDuring = await one.counters.enter('r', 5, 60_000);
  await one.counters.giveBack('k', before.member);
  await redis.resume();
  await until(() => one.link?.ready === true);
  await one.counters.giveBack('k', during.member);
  await one.counters.leave('r', runningDuring ?? '');
  await one.counters.leave('r', runningBefore ?? '');
  const slots = [];
  for (let at = 0; at < 4; at += 1) slots.push(await one.counters.slide('k', window));
  assert.equal(
    slots.map(({ allowed }) => allowed),
    [true, true, true, false],
  );
});

test('keeps no place for a call that did not wait until it was given', async ({ one, two }) => {
  await one.link?.attempt((redis) => redis.call('CLIENT', 'PAUSE', 900, 'ALL'));
  const own = await one.counters.enter('r', 1, 60_000);
  assert.not.match(own ?? '-', '-');
  await one.counters.leave('r', own ?? '');
  await until(async () => (await two.counters.enter('r', 1, 60_000))?.includes('-') === true);
});

test('is given back the places and leases that were left while it hung, once it answers', async ({ one, two }) => {
  const place = (await one.counters.enter('r', 1, 60_000)) ?? '';
  const lease = await one.leases.acquire('job', 60_000);
  await one.link?.attempt((redis) => redis.call('CLIENT', 'PAUSE', 900, 'ALL'));
  assert.not.match((await one.counters.slide('k', window)).member, '-');
  await one.counters.leave('r', place);
  await lease?.release();
  await until(async () => (await two.counters.enter('r', 1, 60_000))?.includes('-') === true);
  await until(async () => (await two.leases.acquire('job', 60_000)) !== undefined);
});

test('keeps nothing for calls whose connection was given up, though it reads afterwards what they asked', async (world) => {
  const { redis, table, two } = world;
  const port = Number(new URL(redis.url).port);
  const ends: Socket[] = [];
  let standsStill = false;
  const unread: (() => void)[] = [];
  // A server that stands still for a while: what it is sent lies in its sockets, whatever has become of the sender.
  const still = createServer((socket) => {
    const onward = connect(port, '127.0.0.1');
    ends.push(socket, onward);
    socket.on('error', () => undefined).on('data', (chunk) => read(() => onward.write(chunk)));
    socket.on('close', () => read(() => onward.end()));
    onward.on('error', () => undefined).pipe(socket);
    const read = (work: () => void) => void (standsStill ? unread.push(work) : work());
  });
  await new Promise<void>((resolve) => still.listen(0, '127.0.0.1', resolve));
  const bound = still.address();
  const redisUrl = `redis://127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`;
  const node = await startNode({ table, redisUrl, prefix: 'test:', silenceMs: 600 });
  try {
    standsStill = true;
    const [own] = await Promise.all([
      node.counters.enter('r', 1, 60_000),
      node.leases.acquire('job', 60_000).then((lease) => lease?.release()),
    ]);
    await node.counters.leave('r', own ?? '');
    await until(() => ends[0]?.destroyed === true);
    standsStill = false;
    for (const work of unread.splice(0)) work();
    await until(async () => (await two.counters.enter('r', 1, 60_000))?.includes('-') === true);
    await until(async () => (await two.leases.acquire('job', 60_000)) !== undefined);
  } finally {
    await node.stop();
    for (const end of ends) end.destroy();
    still.close();
  }
});

test('still lets one node of a process hold a lease, and changes still arrive within a poll', async (world) => {
  const { one, two, redis, table } = world;
  const older = await one.leases.acquire('a long run', 60_000);
  await redis.crash();
  assert.ok(await older?.renew(60_000), 'a run that goes on has lost nothing because nobody can be asked');
  const held = await one.leases.acquire('job', 60_000);
  assert.ok(held);
  assert.is(await one.leases.acquire('job', 60_000), undefined);
  let heard = 0;
  two.bus.onChange(() => {
    heard += 1;
  });
  await one.bus.announce('channels', table.bump('channels'), '1');
  await until(() => heard === 1);
});

test('carries messages again after it was restarted', async ({ one, two, redis, table }) => {
  await redis.crash();
  await redis.resume();
  await until(() => one.link?.ready === true && two.link?.ready === true);
  const details: (string | undefined)[] = [];
  two.bus.onChange((_topic, _revision, detail) => {
    details.push(detail);
  });
  // Only a message carries the detail; the poll does not know it.
  await until(async () => {
    await one.bus.announce('channels', table.bump('channels'), 'by message');
    await sleep(5);
    return details.includes('by message');
  });
});

test('may be emptied at any moment', async ({ one }) => {
  for (let at = 0; at < 3; at += 1) await one.counters.slide('k', window);
  const held = await one.leases.acquire('job', 60_000);
  await one.link?.attempt((redis) => redis.flushall());
  assert.is((await one.counters.slide('k', window)).allowed, true);
  assert.is(await held?.renew(60_000), false, 'the holder learns that it lost the lease');
  await held?.release();
});

test('answers a command it cannot run with the memory of this node, and is asked again a second later', async (world) => {
  const { one } = world;
  await one.link?.attempt((redis) => redis.set('test:k', 'not a sorted set'));
  const slot = await one.counters.slide('k', window);
  assert.is(slot.allowed, true);
  assert.not.match(slot.member, '-');
  assert.is(one.link?.ready, false);
  await sleep(1050);
  assert.is(one.link?.ready, true);
});

test('is not taken for lost by a node that stood still itself', async ({ one }) => {
  const asked = one.counters.slide('k', window);
  const began = performance.now();
  while (performance.now() - began < 550);
  assert.match((await asked).member, '-');
  assert.equal(one.reports, ['redis connected']);
});

test('is left for the server that took over from it, when it takes no writes any more', async ({ redis, table }) => {
  const successor = await startRedis();
  let target = redis;
  const sockets = new Set<Socket>();
  // The address of the one that writes, as a cloud keeps it: connections that are open stay where they are.
  const address = createServer((socket) => {
    const onward = connect(Number(new URL(target.url).port), '127.0.0.1');
    for (const end of [socket, onward]) sockets.add(end.on('error', () => undefined));
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => address.listen(0, '127.0.0.1', resolve));
  const bound = address.address();
  const port = typeof bound === 'object' ? bound?.port : undefined;
  const node = await startNode({ table, redisUrl: `redis://127.0.0.1:${port}`, prefix: 'test:' });
  try {
    assert.match((await node.counters.slide('k', window)).member, '-');
    await node.link?.attempt((commands) => commands.replicaof('127.0.0.1', new URL(successor.url).port));
    target = successor;
    assert.is((await node.counters.slide('k', window)).allowed, true, 'by the memory of the node');
    await until(async () => (await node.counters.slide('taken', { ...window, limit: 1e6 })).member.includes('-'));
  } finally {
    await node.stop();
    for (const socket of sockets) socket.destroy();
    address.close();
    await successor.stop();
  }
});

test('is reached anew when what was sent to it is lost without a word', async ({ redis, table, two }) => {
  const sockets: Socket[] = [];
  let isHole = false;
  // A firewall that forgot its connections: they stay open, and nothing passes. Those made afterwards are fine.
  const firewall = createServer((socket) => {
    const onward = connect(Number(new URL(redis.url).port), '127.0.0.1');
    const between: [from: Socket, to: Socket][] = [
      [socket, onward],
      [onward, socket],
    ];
    const made = sockets.push(socket, onward);
    for (const [from, to] of between) {
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.on('data', (chunk) => {
        if (!isHole || made > lost) to.write(chunk);
      });
    }
  });
  let lost = 0;
  await new Promise<void>((resolve) => firewall.listen(0, '127.0.0.1', resolve));
  const bound = firewall.address();
  const redisUrl = `redis://127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`;
  const node = await startNode({ table, redisUrl, prefix: 'test:', silenceMs: 300 });
  const heard: string[] = [];
  const unsubscribe = node.link?.transport('news').subscribe((message) => heard.push(message));
  try {
    const isAnswered = async () => (await node.counters.slide('asked', { ...window, limit: 1e6 })).member.includes('-');
    const hears = async () => {
      two.link?.transport('news').publish('hello');
      await sleep(20);
      return heard.length > 0;
    };
    await until(isAnswered);
    await until(hears);
    lost = sockets.length;
    isHole = true;
    assert.is(await isAnswered(), false, 'the memory of the node counts');
    heard.length = 0;
    await until(isAnswered);
    await until(hears);
  } finally {
    unsubscribe?.();
    await node.stop();
    for (const socket of sockets) socket.destroy();
    firewall.close();
  }
});

test('need not be there when the node starts', async ({ redis, table }) => {
  await redis.crash();
  const late = await startNode({ table, redisUrl: redis.url, prefix: 'test:' });
  assert.is((await late.counters.slide('late', window)).allowed, true);
  await redis.resume();
  await until(() => late.link?.ready === true);
  await late.stop();
});

test.run();

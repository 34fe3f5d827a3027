import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Leases } from '../../daemon/cluster/leases.ts';
import { type ClusterNode, RevisionTable, startNode } from '../support/cluster-world.ts';
import { sharedRedisUrl } from '../support/engines.ts';
import { inOneGo } from '../support/until.ts';

function leaseSuite(name: string, open: () => Promise<ClusterNode>): void {
  const test = suite<{ node: ClusterNode; leases: Leases }>(`leases ${name}`);

  test.before(async (context) => {
    context.node = await open();
    context.leases = context.node.leases;
  });
  test.after(({ node }) => node.stop());

  test('are held by one at a time', async ({ leases }) => {
    const held = await leases.acquire('job', 60_000);
    assert.ok(held);
    assert.is(await leases.acquire('job', 60_000), undefined);
    assert.ok(await leases.acquire('another job', 60_000));
    assert.equal([await leases.isHeld('job'), await leases.isHeld('nobody asked')], [true, false]);
    await held?.release();
    assert.is(await leases.isHeld('job'), false);
    assert.ok(await leases.acquire('job', 60_000));
  });

  test('are lost by their age, and a holder that comes back late is told', async ({ leases }) => {
    const slow = await leases.acquire('aged', 40);
    await sleep(60);
    const next = await leases.acquire('aged', 60_000);
    assert.ok(next);
    assert.is(await slow?.renew(60_000), false);
    await slow?.release();
    assert.is(await leases.acquire('aged', 60_000), undefined, 'a late release does not take it from the next holder');
  });

  test('live on while they are renewed', async ({ leases }) => {
    const { name, renewed } = await inOneGo(100, async (attempt) => {
      const name = `renewed ${attempt}`;
      const held = await leases.acquire(name, 100);
      return { name, renewed: await held?.renew(60_000) };
    });
    assert.is(renewed, true);
    await sleep(120);
    assert.is(await leases.acquire(name, 60), undefined);
  });

  test('go to one of many who ask at once', async ({ leases }) => {
    const all = await Promise.all(Array.from({ length: 50 }, () => leases.acquire('rush', 60_000)));
    assert.is(all.filter((lease) => lease !== undefined).length, 1);
  });

  test.run();
}

leaseSuite('in this process', () => startNode({ table: new RevisionTable() }));
leaseSuite('in Redis', async () => startNode({ table: new RevisionTable(), redisUrl: await sharedRedisUrl() }));

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ResponseAffinity } from '../../../daemon/domain/affinity.ts';
import { StoredResponses } from '../../../daemon/domain/stored-responses.ts';
import { type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';

const stored = suite<{ world: DomainWorld; memory: StoredResponses }>('domain/stored-responses');

stored.before.each(async (context) => {
  const world = await openDomainWorld();
  context.world = world;
  context.memory = new StoredResponses({
    database: world.database,
    nowSeconds: world.nowSeconds,
    report: (error) => assert.unreachable(String(error)),
  });
});
stored.after.each(({ world }) => world.close());

const affinityOver = (memory: StoredResponses) => new ResponseAffinity({ now: () => 0, ttlSeconds: 60, memory });

stored('knows after a restart where a response lives, for its user alone', async ({ memory }) => {
  affinityOver(memory).keep(1, 'resp_1', { channelId: 5, keyHash: 'abc' });
  await memory.flush();
  assert.equal(await affinityOver(memory).find(1, 'resp_1'), { channelId: 5, keyHash: 'abc' });
  assert.is(await affinityOver(memory).find(2, 'resp_1'), undefined);
});

stored('forgets and removes what has run out', async ({ world, memory }) => {
  affinityOver(memory).keep(1, 'resp_1', { channelId: 5, keyHash: 'abc' });
  await memory.flush();
  world.clock.seconds += 61;
  assert.is(await affinityOver(memory).find(1, 'resp_1'), undefined);
  await memory.deleteExpired();
  world.clock.seconds -= 61;
  assert.is(await affinityOver(memory).find(1, 'resp_1'), undefined);
});

stored('writes many at once', async ({ memory }) => {
  const affinity = affinityOver(memory);
  for (let at = 0; at < 450; at += 1) affinity.keep(1, `resp_${at}`, { channelId: at, keyHash: 'abc' });
  await memory.flush();
  assert.equal(await affinityOver(memory).find(1, 'resp_449'), { channelId: 449, keyHash: 'abc' });
});

stored.run();

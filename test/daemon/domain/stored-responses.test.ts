import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ResponseAffinity } from '../../../daemon/domain/affinity.ts';
import { StoredResponses } from '../../../daemon/domain/stored-responses.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import { type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';
import { gate } from '../../support/gate.ts';

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
const named = (...ids: string[]) => ids.map((id) => ({ id, field: 'input' }));

async function refusalOf(finding: unknown): Promise<unknown> {
  try {
    return await finding;
  } catch (error) {
    return error instanceof TollgateError ? error.code : error;
  }
}

stored('knows after a restart where a response lives, for its user alone', async ({ memory }) => {
  affinityOver(memory).keep(1, ['resp_1', 'msg_1'], { channelId: 5, keyHash: 'abc' });
  for (const moment of ['before', 'after'] as const) {
    if (moment === 'after') await memory.flush();
    for (const id of ['resp_1', 'msg_1']) {
      assert.equal(await affinityOver(memory).find(1, named(id)), { channelId: 5, keyHash: 'abc' }, moment);
      const refused = await refusalOf(affinityOver(memory).find(2, named('unknown', id)));
      assert.is(refused, 'kept_item_not_found', `${moment} it is written`);
    }
  }
  assert.is(await affinityOver(memory).find(2, named('unknown')), undefined);
});

stored('knows what is on its way into the database', async ({ world, memory }) => {
  const { responseAffinity } = world.database.stores;
  const insert = responseAffinity.insert.bind(responseAffinity);
  const { open: letWrite, opened: written } = gate();
  const begun = new Promise<void>((resolve) => {
    responseAffinity.insert = async (records) => {
      resolve();
      await written;
      await insert(records);
    };
  });
  affinityOver(memory).keep(1, ['cntr_1'], { channelId: 5, keyHash: 'abc' });
  const flushed = memory.flush();
  await begun;
  assert.is((await affinityOver(memory).find(1, named('cntr_1')))?.channelId, 5);
  assert.is(await refusalOf(affinityOver(memory).find(2, named('cntr_1'))), 'kept_item_not_found');
  letWrite();
  await flushed;
  assert.is(await refusalOf(affinityOver(memory).find(2, named('cntr_1'))), 'kept_item_not_found');
});

stored('writes before the next turn comes to another node', async ({ world, memory }) => {
  const { responseAffinity } = world.database.stores;
  const insert = responseAffinity.insert.bind(responseAffinity);
  let isWritten = false;
  responseAffinity.insert = (records) => {
    isWritten = true;
    return insert(records);
  };
  affinityOver(memory).keep(1, ['resp_2'], { channelId: 5, keyHash: 'abc' });
  await sleep(100);
  assert.ok(isWritten);
});

stored('keeps users apart whose upstreams give the same ids', async ({ memory }) => {
  for (const user of [1, 2]) affinityOver(memory).keep(user, ['msg_1'], { channelId: user, keyHash: 'abc' });
  await memory.flush();
  for (const user of [1, 2]) {
    assert.equal(await affinityOver(memory).find(user, named('msg_1')), { channelId: user, keyHash: 'abc' });
  }
});

stored("knows on another node where shared things are, and takes them for nobody's", async ({ memory }) => {
  const file = { id: 'file_1', field: 'input.0', isShared: true } as const;
  affinityOver(memory).keepShared([file], { channelId: 5, keyHash: 'abc' });
  await memory.flush();
  const node = affinityOver(memory);
  for (const user of [1, 2]) {
    assert.equal(await node.find(user, [file]), { channelId: 5, keyHash: 'abc', isShared: true });
    assert.is(await node.find(user, named('file_1')), undefined);
  }
  node.keep(1, ['file_1'], { channelId: 6, keyHash: 'abc' });
  await memory.flush();
  assert.is((await affinityOver(memory).find(2, [file]))?.channelId, 5);
});

stored('knows a conversation for as long again after each turn', async ({ world, memory }) => {
  const speak = async () => {
    // Both turns may be written at once.
    for (let turn = 0; turn < 2; turn += 1) affinityOver(memory).keep(1, ['conv_1'], { channelId: 5, keyHash: 'abc' });
    await memory.flush();
  };
  await speak();
  world.clock.seconds += 40;
  await speak();
  world.clock.seconds += 40;
  assert.is((await affinityOver(memory).find(1, named('conv_1')))?.channelId, 5);
  assert.is(await refusalOf(affinityOver(memory).find(2, named('conv_1'))), 'kept_item_not_found');
});

stored('forgets and removes what has run out', async ({ world, memory }) => {
  affinityOver(memory).keep(1, ['resp_1'], { channelId: 5, keyHash: 'abc' });
  await memory.flush();
  world.clock.seconds += 61;
  for (const user of [1, 2]) assert.is(await affinityOver(memory).find(user, named('resp_1')), undefined);
  await memory.deleteExpired();
  world.clock.seconds -= 61;
  for (const user of [1, 2]) assert.is(await affinityOver(memory).find(user, named('resp_1')), undefined);
});

stored('writes and looks up many at once', async ({ memory }) => {
  const affinity = affinityOver(memory);
  const ids = Array.from({ length: 950 }, (_, at) => `resp_${at}`);
  affinity.keep(1, ids, { channelId: 3, keyHash: 'abc' });
  await memory.flush();
  assert.equal(await affinityOver(memory).find(1, named(...ids)), { channelId: 3, keyHash: 'abc' });
  assert.is(await refusalOf(affinityOver(memory).find(2, named('x', ...ids))), 'kept_item_not_found');
});

stored.run();

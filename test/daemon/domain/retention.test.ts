import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { removeOld } from '../../../daemon/domain/retention.ts';
import { type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';
import { optionsView } from '../../support/options-view.ts';

const retention = suite<{ world: DomainWorld }>('domain/retention');
const day = 86_400;

retention.before.each(async (context) => {
  const world = await openDomainWorld();
  context.world = world;
  const { logs, logBodies, idempotencyKeys } = world.database.stores;
  const row = {
    userId: 1,
    type: 2,
    content: '',
    username: 'u',
    tokenName: '',
    modelName: 'm',
    quota: 1,
    promptTokens: 1,
    completionTokens: 1,
    useTime: 0,
    isStream: false,
    channelId: 1,
    tokenId: 1,
    group: '',
    other: '{}',
    failed: false,
    ip: null,
  };
  const ages = [...Array.from({ length: 1500 }, () => 100), 40, 1];
  const created = (age: number) => world.nowSeconds() - age * day;
  await logs.insert(ages.map((age, index) => ({ ...row, createdAt: created(age), requestId: `r${index}` })));
  const texts = { systemPrompt: null, context: null, inputContent: 'asked', outputContent: 'said' };
  await logBodies.insert(
    ages.map((age, index) => ({ requestId: `r${index}`, userId: 1, createdAt: created(age), ...texts })),
  );
  for (const age of [8, 1]) {
    await idempotencyKeys.claim({ actorId: 1, key: `k${age}`, requestHash: 'h', createdAt: created(age) });
  }
});
retention.after.each(({ world }) => world.close());

const remaining = async ({ database }: DomainWorld) =>
  (await database.stores.logs.list({}, { offset: 0, limit: 1 })).total;

retention('keeps rows for ever by default, texts for thirty days and kept answers for seven', async ({ world }) => {
  const deps = { database: world.database, options: () => optionsView(), nowSeconds: world.nowSeconds };
  assert.equal(await removeOld(deps, new AbortController().signal), { rows: 0, bodies: 1501 });
  assert.is(await remaining(world), 1502);
  const { idempotencyKeys, logBodies } = world.database.stores;
  assert.is((await logBodies.findMany(['r1501'])).length, 1);
  assert.is(await idempotencyKeys.find({ actorId: 1, key: 'k8' }), undefined);
  assert.ok(await idempotencyKeys.find({ actorId: 1, key: 'k1' }));
});

retention('removes kept answers a thousand at a time, so that writers wait for none of it', async ({ world }) => {
  const { idempotencyKeys } = world.database.stores;
  const createdAt = world.nowSeconds() - 9 * day;
  for (let n = 0; n < 2100; n += 1) {
    await idempotencyKeys.claim({ actorId: n % 3, key: `old${n}`, requestHash: 'h', createdAt });
  }
  const removed: number[] = [];
  const counting = Object.assign(Object.create(idempotencyKeys), {
    deleteBefore: async (...asked: Parameters<typeof idempotencyKeys.deleteBefore>) => {
      const some = await idempotencyKeys.deleteBefore(...asked);
      removed.push(some);
      return some;
    },
  });
  const stores = { ...world.database.stores, idempotencyKeys: counting };
  const database = { ...world.database, stores };
  await removeOld(
    { database, options: () => optionsView(), nowSeconds: world.nowSeconds },
    new AbortController().signal,
  );
  assert.equal(removed, [1000, 1000, 101]);
  assert.ok(await idempotencyKeys.find({ actorId: 1, key: 'k1' }));
});

retention('forgets nodes that have been silent for a week', async ({ world }) => {
  const { nodes } = world.database.stores;
  const deps = { database: world.database, options: () => optionsView(), nowSeconds: world.nowSeconds };
  for (const [id, days] of [
    ['gone', 8],
    ['resting', 6],
  ] as const) {
    await nodes.beat({ id, address: '', version: '1', startedAt: 1, heartbeatAt: world.nowSeconds() - days * day });
  }
  await removeOld(deps, new AbortController().signal);
  assert.equal(
    (await nodes.all()).map(({ id }) => id),
    ['resting'],
  );
});

retention('removes rows past their days with their texts, more than one batch of them', async ({ world }) => {
  const options = optionsView({ LogRetentionDays: 50, LogContentRetentionDays: 3650 });
  const deps = { database: world.database, options: () => options, nowSeconds: world.nowSeconds };
  assert.equal(await removeOld(deps, new AbortController().signal), { rows: 1500, bodies: 1500 });
  assert.is(await remaining(world), 2);
});

retention('stops between two batches when the daemon stops', async ({ world }) => {
  const options = optionsView({ LogRetentionDays: 50 });
  const deps = { database: world.database, options: () => options, nowSeconds: world.nowSeconds };
  assert.equal(await removeOld(deps, AbortSignal.abort()), { rows: 0, bodies: 0 });
});

retention.run();

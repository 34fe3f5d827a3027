import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupCounts } from '../../../daemon/domain/group-counts.ts';
import { tokenRecord, userRecord } from '../../support/account-records.ts';
import { type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';

const counts = suite<{ world: DomainWorld }>('domain/group-counts');

counts.before.each(async (context) => {
  context.world = await openDomainWorld();
});
counts.after.each(({ world }) => world.close());

counts('counts live users, channels and keys of groups, removed ones too', async ({ world }) => {
  const { stores } = world.database;
  for (const [id, group] of [
    [1, 'default'],
    [2, 'vip'],
    [3, 'vip'],
  ] as const) {
    await stores.users.insert(userRecord({ id, group, affCode: `code-${id}` }));
  }
  for (const group of ['vip,old', 'vip', 'vip,vip']) {
    await stores.channels.insert({ type: 1, name: 'c', createdTime: 0, group });
  }
  const keys = [
    { userId: 1, group: '' },
    { userId: 1, group: 'old' },
    { userId: 2, group: 'old' },
    { userId: 3, group: 'old' },
  ];
  for (const [at, key] of keys.entries()) {
    await stores.tokens.insert(tokenRecord({ id: at + 1, keyHash: `hash-${at}`, ...key }));
  }
  await stores.users.softDelete(3, new Date(0));
  assert.equal(Object.fromEntries(await groupCounts(['default', 'svip'], stores)), {
    default: { users: 1, channels: 0, tokens: 0 },
    svip: { users: 0, channels: 0, tokens: 0 },
    vip: { users: 1, channels: 3, tokens: 0 },
    old: { users: 0, channels: 1, tokens: 2 },
  });
});

counts.run();

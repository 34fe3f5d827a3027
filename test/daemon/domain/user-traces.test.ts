/** What administering an account leaves behind: its first balance, audit rows, and news for the other nodes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OptionKey } from '../../../daemon/contract/options.ts';
import { logRowsOf, userRow } from '../../support/account-records.ts';
import { type HttpHarness, startHttpHarness, type TestUser } from '../../support/http-harness.ts';
import { assertRefused } from '../../support/refusals.ts';

const users = suite('what user administration leaves');

let harness: HttpHarness;
let root: TestUser;
let admin: TestUser;

users.before(async () => {
  harness = await startHttpHarness();
  root = await harness.setup();
  admin = await harness.addUser({ username: 'the admin', role: 10 });
});

users.after(() => harness.close());

const row = (id: number) => userRow(harness.world.database.stores, id);
const logRows = (id: number) => logRowsOf(harness.world.database.stores, id);

async function setOption(key: OptionKey, text: string): Promise<void> {
  const { database, bus } = harness.world;
  const revision = await database.transaction(async (stores) => {
    await stores.options.set(key, text);
    return stores.revisions.bump('options');
  });
  await bus.announce('options', revision);
}

users(
  'puts whom an administrator adds into the group of those who register, where the site has none of that name',
  async () => {
    await setOption('GroupRatio', '{"vip":1}');
    try {
      const sent = { username: 'iris', password: 'long enough', display_name: ' ' };
      const made = await harness.client(admin).users.create(sent);
      assert.equal([made.group, made.display_name], ['default', 'iris']);
      await assertRefused(harness.client(admin).users.create({ ...sent, group: 'default' }), 'group_unknown');
    } finally {
      await setOption('GroupRatio', '{"default":1,"vip":1,"svip":1}');
    }
  },
);

users('gives an account that is made without a balance what every new one is given, once', async () => {
  const { database } = harness.world;
  await setOption('QuotaForNewUser', '300');
  try {
    const create = (fields: { username: string; quota?: number }) =>
      harness.client(admin).users.create({ password: 'long enough', ...fields });
    const given = await create({ username: 'judy given' });
    assert.equal([given.quota, (await row(given.id)).quota], [300, 300]);
    assert.equal(await logRows(given.id), [
      [3, 0],
      [4, 300],
    ]);
    const set = await create({ username: 'judy set', quota: 20 });
    assert.equal([set.quota, await logRows(set.id)], [20, [[3, 20]]]);
    const { items } = await database.stores.audits.list({ action: 'user.create' }, { offset: 0, limit: 2 });
    assert.equal(
      items.map(({ target, detail }) => [target, JSON.parse(detail).quota]),
      [
        [`user:${set.id}`, 20],
        [`user:${given.id}`, 300],
      ],
    );
  } finally {
    await setOption('QuotaForNewUser', '0');
  }
});

users('announces each change of an account, so that every node forgets what it knew of it', async () => {
  const { id } = (await harness.addUser({ quota: 10 })).user;
  const client = harness.client(root).users;
  const told: [string, string | undefined][] = [];
  const stop = harness.world.bus.onChange((topic, _revision, detail) => void told.push([topic, detail]));
  try {
    for (const change of [
      () => client.update({ id, display_name: 'New' }),
      () => client.manage({ id, action: 'add_quota', mode: 'add', value: 5 }),
      () => client.manage({ id, action: 'disable' }),
      () => client.delete({ id }),
      () => client.delete({ id, purge: true }),
    ]) {
      told.length = 0;
      await change();
      assert.equal(told, [['users', String(id)]], String(change));
    }
  } finally {
    stop();
  }
});

users('says in the log of a user what administrators did, with what it moved, and by whom', async () => {
  const client = harness.client(root).users;
  const { id } = await client.create({ username: 'kate', password: 'long enough', quota: 500_000 });
  await client.update({ id, username: 'kay', group: 'vip', quota: 1_000_000 });
  for (const mode of ['add', 'subtract'] as const) {
    await client.manage({ id, action: 'add_quota', mode, value: 250_000 });
  }
  for (const action of ['promote', 'demote', 'disable', 'enable', 'delete'] as const)
    await client.manage({ id, action });
  const { items } = await harness.world.database.stores.logs.list({ userId: id }, { offset: 0, limit: 20 });
  assert.equal(items.map(({ content, quota }) => [content, quota]).reverse(), [
    ['Account created by an administrator, quota $1.000000', 500_000],
    ['An administrator changed the user name from kate to kay', 0],
    ['An administrator changed the group from default to vip', 0],
    ['An administrator changed the quota from $1.000000 to $2.000000', 500_000],
    ['An administrator added $0.500000', 250_000],
    ['An administrator took $0.500000', -250_000],
    ['Promoted to administrator', 0],
    ['Demoted to normal user', 0],
    ['Account disabled by an administrator', 0],
    ['Account enabled by an administrator', 0],
    ['Account deleted by an administrator', 0],
  ]);
  const by = { admin_info: { actor_id: root.user.id, actor_name: root.user.username, ip: '127.0.0.1' } };
  for (const { type, other, content } of items) assert.equal([type, JSON.parse(other)], [3, by], content);
});

users('audits of an edit what it changed and nothing else, and of a balance how it was moved', async () => {
  const client = harness.client(root).users;
  const sent = { username: 'lea', password: 'long enough', quota: 10, group: 'vip' };
  const { id } = await client.create(sent);
  await client.update({ id, ...sent, password: '', display_name: 'Lea' });
  await client.manage({ id, action: 'add_quota', mode: 'add', value: 5 });
  const { items } = await harness.world.database.stores.audits.list({ target: `user:${id}` }, { offset: 0, limit: 9 });
  assert.equal(items.map(({ action, detail }) => [action, JSON.parse(detail)]).reverse(), [
    ['user.create', { role: 1, group: 'vip', quota: 10 }],
    ['user.update', { changed: ['displayName'], old: '{"display_name":"lea"}', new: '{"display_name":"Lea"}' }],
    ['user.quota', { mode: 'add', value: 5, balance: 15 }],
  ]);
});

users('leaves an audit row of each move of an account, and of its removal', async () => {
  const { id } = (await harness.addUser()).user;
  const client = harness.client(root).users;
  for (const action of ['promote', 'demote', 'disable', 'enable', 'delete'] as const)
    await client.manage({ id, action });
  await client.delete({ id, purge: true });
  const { items } = await harness.world.database.stores.audits.list(
    { actorId: root.user.id, target: `user:${id}` },
    { offset: 0, limit: 9 },
  );
  assert.equal(
    items.map(({ action }) => action).reverse(),
    ['promote', 'demote', 'disable', 'enable', 'delete', 'purge'].map((act) => `user.${act}`),
  );
});

users.run();

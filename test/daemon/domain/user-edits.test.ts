/** What user administration keeps from its own callers: machine tokens, the own password, limits of renamed accounts. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Actor } from '../../../daemon/domain/actor.ts';
import type { OriginalPassword } from '../../../daemon/domain/own-account.ts';
import { Passwords } from '../../../daemon/domain/passwords.ts';
import { UserService } from '../../../daemon/domain/users.ts';
import type { UserRecord } from '../../../daemon/store/users.ts';
import { actor, type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';
import { optionsView } from '../../support/options-view.ts';
import { codeOf, refusalOf } from '../../support/refusal-code.ts';

const edits = suite('edits of users');

let world: DomainWorld;
/** Whose limits were carried over, and that the commit was told of. */
let carried: unknown[];

edits.before.each(async () => {
  world = await openDomainWorld();
  carried = [];
});

edits.after.each(() => world.close());

const root = actor({ role: 100 });
const machine = { id: 1, name: 'a script', scopes: [], isCurrent: true };
const nothing = {
  username: undefined,
  displayName: undefined,
  group: undefined,
  quota: undefined,
  password: undefined,
  notes: undefined,
};

const nameOf = async (id: number) => (await world.database.stores.users.find(id))?.username;

function service(originalPassword: OriginalPassword = 'when-sent'): UserService {
  const { database, bus, nowSeconds } = world;
  return new UserService({
    database,
    bus,
    passwords: new Passwords(),
    originalPassword,
    renamedLimits: {
      carry: async (_stores, { from, to }) => {
        carried.push([from, to]);
        return async () => {
          carried.push('committed');
        };
      },
    },
    options: optionsView,
    language: 'en',
    nowSeconds,
  });
}

async function user(username: string, over: Partial<UserRecord> = {}): Promise<UserRecord> {
  const row = { username, createdAt: 1, role: 1, status: 1, group: 'default', ...over };
  const made = await world.database.stores.users.insert(row);
  if (!made.inserted) throw new Error('the name is taken');
  return made.user;
}

edits('by a machine token make users, but no administrators', async () => {
  const create = (role: number | undefined, by: Actor) =>
    service().create(
      by,
      {
        username: `${by.via.slice(0, 3)}-${role ?? 0}`,
        password: 'long enough',
        displayName: undefined,
        role,
        group: undefined,
        quota: 0,
      },
      'r',
    );
  const token = actor({ role: 100, via: 'machine-token', machineToken: machine });
  assert.is(await codeOf(create(10, token)), 'machine_token_not_supported');
  for (const role of [1, undefined]) assert.is((await create(role, token)).role, 1);
  assert.is((await create(10, root)).role, 10);
});

edits('make accounts that can sign in from now on, in the group that was asked for', async () => {
  const wish = { displayName: undefined, role: undefined, quota: undefined };
  const made = await service().create(root, { ...wish, username: 'made', password: 'long enough', group: 'vip' }, 'r');
  assert.equal([made.status, made.group, made.createdAt], [1, 'vip', world.nowSeconds()]);
  assert.is(await new Passwords().matches('long enough', made.password), true);
});

edits(
  'change the password of others, and the own one by session alone where the old one need not be shown',
  async () => {
    const own = await user('own', { role: 100, password: 'a hash' });
    const other = await user('other');
    const outcomes: string[] = [];
    const change = (by: Actor, id: number, originalPassword?: OriginalPassword) =>
      codeOf(service(originalPassword).update(by, { ...nothing, id, password: 'long enough' }, 'r'));
    const me = actor({ userId: own.id, role: 100 });
    outcomes.push(await change(me, own.id, 'always'), await change(me, own.id, 'of-administrators'));
    outcomes.push(await change({ ...me, via: 'access-token' }, own.id));
    assert.equal(outcomes, ['login_failed', 'login_failed', 'forbidden_role']);
    assert.is((await world.database.stores.users.find(own.id))?.password, 'a hash');
    assert.is(await change({ ...me, machineToken: machine }, other.id), 'machine_token_not_supported');
    assert.is(await change({ ...me, via: 'access-token' }, other.id, 'always'), 'accepted');
    assert.is(await change(me, own.id), 'accepted');
  },
);

edits('that rename carry limits over, those that do not leave them alone', async () => {
  const { id } = await user('before');
  await service().update(root, { ...nothing, id, displayName: 'Shown' }, 'r');
  assert.equal(carried, []);
  await service().update(root, { ...nothing, id, username: 'after' }, 'r');
  assert.equal([carried, await nameOf(id)], [[['before', 'after'], 'committed'], 'after']);
});

edits('by a machine token promote nobody', async () => {
  await user('root', { role: 100 });
  const lena = await user('lena');
  const script = { ...root, machineToken: machine } as Actor;
  assert.is(
    await codeOf(service().move(script, { id: lena.id, action: 'promote' }, 'r')),
    'machine_token_not_supported',
  );
  assert.is((await service().move(root, { id: lena.id, action: 'promote' }, 'r')).role, 10);
});

edits('delete at the time of the clock, and purge for good what was deleted, with its limits', async () => {
  const users = service();
  const boss = await user('root', { role: 100 });
  const lena = await user('lena');
  assert.is(await codeOf(users.purge(root, 4711)), 'user_not_found');
  assert.is(await codeOf(users.purge(root, boss.id)), 'user_root_protected');
  const alive = await refusalOf(users.purge(root, lena.id));
  assert.equal([alive.code, alive.field], ['invalid_params', 'purge']);
  await users.move(root, { id: lena.id, action: 'delete' }, 'r');
  const deleted = await world.database.stores.users.find(lena.id);
  assert.is(deleted?.deletedAt?.getTime(), world.clock.seconds * 1000);
  await users.purge(root, lena.id);
  assert.equal(carried, [['lena', undefined], 'committed']);
  const { items } = await world.database.stores.audits.list({ action: 'user.purge' }, { offset: 0, limit: 9 });
  assert.equal(
    items.map(({ target, detail }) => [target, JSON.parse(detail)]),
    [[`user:${lena.id}`, { username: 'lena' }]],
  );
});

edits('that change nothing raise no revision, so that no node reads its snapshots anew', async () => {
  const users = service();
  const { id, username, displayName, group, quota } = await user('mia', { notes: 'kept' });
  await users.update(root, { ...nothing, id, displayName: 'Mia' }, 'r');
  const before = await world.database.stores.revisions.byTopic();
  const same = { id, username, displayName: 'Mia', group, quota, password: '', notes: 'kept' };
  for (const change of [same, { ...nothing, id }]) await users.update(root, change, 'r');
  assert.equal(await world.database.stores.revisions.byTopic(), before);
  await users.update(root, { ...same, displayName }, 'r');
  assert.is((await world.database.stores.revisions.byTopic()).get('users'), (before.get('users') ?? 0) + 1);
});

edits('are announced, so that every node forgets what it knew of the user', async () => {
  const users = service();
  await user('root', { role: 100 });
  const { id } = await user('lena');
  const told: [string, string | undefined][] = [];
  const stop = world.bus.onChange((topic, _revision, detail) => void told.push([topic, detail]));
  try {
    for (const change of [
      () => users.update(root, { ...nothing, id, displayName: 'Lena' }, 'r'),
      () => users.move(root, { id, action: 'disable' }, 'r'),
      () => users.move(root, { id, action: 'delete' }, 'r'),
      () => users.purge(root, id),
    ]) {
      told.length = 0;
      await change();
      assert.equal(told, [['users', String(id)]], String(change));
    }
    told.length = 0;
    const other = await user('emil');
    await users.update(root, { ...nothing, id: other.id, displayName: other.displayName }, 'r');
    assert.equal(told, [], 'nothing was changed');
  } finally {
    stop();
  }
});

edits.run();

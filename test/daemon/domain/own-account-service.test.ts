/** What follows from a change of the own account beside the row itself: limits, letters, credentials. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryCounters } from '../../../daemon/cluster/memory-counters.ts';
import { type OwnAccountDeps, OwnAccountService, type OwnChange } from '../../../daemon/domain/own-account.ts';
import { Passwords } from '../../../daemon/domain/passwords.ts';
import { actor, type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';
import { codeOf } from '../../support/refusal-code.ts';

const own = suite('own account beside its row');

let world: DomainWorld;
const passwords = new Passwords();
/** What was carried along and committed, who was written to, which sessions were kept. */
let told: unknown[][];

own.before.each(async () => {
  world = await openDomainWorld();
  told = [];
});
own.after.each(() => world.close());

function serviceWith(originalPassword: OwnAccountDeps['originalPassword'] = 'when-sent'): OwnAccountService {
  const { database, bus, nowSeconds } = world;
  const limit = { enabled: true, count: 10, seconds: 900 };
  return new OwnAccountService({
    database,
    bus,
    nowSeconds,
    passwords,
    originalPassword,
    counters: new MemoryCounters({ now: () => performance.now() }),
    failuresPerName: limit,
    failuresPerAddress: limit,
    // What else it does with sessions is theirs.
    sessions: {
      keep: async (_stores: unknown, id: string, version: number) => void told.push(['kept', id, version]),
    } as unknown as OwnAccountDeps['sessions'],
    acceptsWebhook: (url) => url.startsWith('https:'),
    passwordChanged: ({ username }) => void told.push(['letter', username]),
    renamedLimits: {
      carry: async (_stores, { actor: { userId }, from, to }) => {
        told.push(['carried', userId, from, to]);
        return async () => void told.push(['committed']);
      },
    },
  });
}

async function user(username: string, { role = 1, password = 'the old password' } = {}) {
  const hash = await passwords.hash(password);
  const made = await world.database.stores.users.insert({ username, createdAt: 1, role, password: hash });
  if (!made.inserted) throw new Error('the name is taken');
  return actor({ userId: made.user.id, username, role });
}

const change = (over: Partial<OwnChange>): OwnChange => ({
  username: '',
  displayName: '',
  password: '',
  originalPassword: '',
  ...over,
});
const found = async (id: number) => world.database.stores.users.find(id);

own('takes the limits of its name along to a new name, told of once that is committed', async () => {
  const lena = await user('lena');
  await serviceWith().update(lena, change({ username: 'helena' }), 'a session');
  assert.equal(told, [['carried', lena.userId, 'lena', 'helena'], ['committed']]);
  assert.is((await found(lena.userId))?.username, 'helena');
});

own('keeps limits, sessions and the owner out of a change of the name that is shown', async () => {
  const lena = await user('lena');
  const before = await found(lena.userId);
  await serviceWith().update(lena, change({ displayName: 'Lena' }), 'a session');
  assert.equal(told, []);
  assert.is((await found(lena.userId))?.authVersion, before?.authVersion);
});

own('audits of a change its members with their old and new values, of a password that it changed', async () => {
  const lena = await user('lena');
  await serviceWith().update(lena, change({ displayName: 'Lena', password: 'a new password' }), 'a session');
  const { items } = await world.database.stores.audits.list({ action: 'user.self_update' }, { offset: 0, limit: 9 });
  assert.equal(
    items.map(({ target, detail }) => [target, JSON.parse(detail)]),
    [
      [
        `user:${lena.userId}`,
        {
          changed: ['displayName', 'password'],
          old: '{"password":"***"}',
          new: '{"display_name":"Lena","password":"***"}',
        },
      ],
    ],
  );
});

own('writes nothing at all where nothing is another', async () => {
  const lena = await user('lena');
  await serviceWith().update(lena, change({ username: 'lena' }), 'a session');
  assert.is((await world.database.stores.audits.list({}, { offset: 0, limit: 9 })).total, 0);
});

own('writes to the owner of a changed password, and keeps the session that changed it', async () => {
  const lena = await user('lena');
  const before = (await found(lena.userId))?.authVersion ?? 0;
  await serviceWith().update(lena, change({ password: 'a new password' }), 'a session');
  assert.equal(told, [
    ['kept', 'a session', before + 1],
    ['letter', 'lena'],
  ]);
  assert.is(await passwords.matches('a new password', (await found(lena.userId))?.password), true);
});

own('asks administrators for the old password where they must prove who they are, and nobody else', async () => {
  const service = serviceWith('of-administrators');
  const asked: [number, string][] = [];
  for (const role of [1, 10, 100]) {
    const someone = await user(`role-${role}`, { role });
    asked.push([role, await codeOf(service.update(someone, change({ password: 'a new password' }), undefined))]);
  }
  assert.equal(asked, [
    [1, 'accepted'],
    [10, 'login_failed'],
    [100, 'login_failed'],
  ]);
});

own('tells a name that is taken from an account that was deleted meanwhile', async () => {
  const [lena, emil] = [await user('lena'), await user('emil')];
  const service = serviceWith();
  assert.is(await codeOf(service.update(lena, change({ username: 'emil' }), undefined)), 'username_taken');
  await world.database.stores.users.softDelete(emil.userId, new Date());
  assert.is(await codeOf(service.update(emil, change({ displayName: 'Emil' }), undefined)), 'user_gone');
  for (const gone of [emil, actor({ userId: 4711 })]) assert.is(await codeOf(service.get(gone)), 'user_gone');
});

own('dies at the time of the clock, and its sessions and machine tokens with it', async () => {
  const lena = await user('lena');
  const { stores } = world.database;
  const before = (await found(lena.userId))?.authVersion ?? 0;
  await stores.machineTokens.insert({
    userId: lena.userId,
    name: 'ci',
    secretHash: 'a hash',
    scopes: '*',
    allowIps: '',
    role: 1,
    createdAt: 1,
    expiresAt: 4_000_000_000,
  });
  const service = serviceWith();
  await service.delete(lena);
  const gone = await found(lena.userId);
  assert.equal(
    [gone?.deletedAt?.getTime(), gone?.authVersion, await stores.machineTokens.findByHash('a hash')],
    [world.clock.seconds * 1000, before + 1, undefined],
  );
  assert.is(await codeOf(service.delete(lena)), 'user_gone');
});

own('is not deleted by a session that was ended a moment ago', async () => {
  const lena = await user('lena');
  const version = (await found(lena.userId))?.authVersion ?? 0;
  await world.database.stores.users.bumpAuthVersion(lena.userId);
  assert.is(await codeOf(serviceWith().delete({ ...lena, authVersion: version })), 'session_expired');
  assert.is((await found(lena.userId))?.deletedAt, null);
});

own.run();

/** Records by name, all kinds in one call (console.md 1.5), over HTTP. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Client } from '../../../../../daemon/contract/client.ts';
import { ObjectSearch } from '../../../../../daemon/domain/object-search.ts';
import { searchRoutes } from '../../../../../daemon/http/routes/management/search.ts';
import { insertToken } from '../../../../store/engine-suites.ts';
import { channelRecord } from '../../../../support/channel-records.ts';
import { type HttpHarness, startHttpHarness } from '../../../../support/http-harness.ts';

const found = suite('finding records by name');

let harness: HttpHarness;
found.before(async () => {
  harness = await startHttpHarness({
    routes: ({ database, keyring }) => searchRoutes(new ObjectSearch({ database, secrets: keyring })),
  });
});
found.after(() => harness.close());

const database = () => harness.world.database;

async function addCode(name: string, key: string): Promise<number> {
  const code = { userId: 1, key, name, quota: 1, createdTime: 1, isGift: false, maxUses: -1, validFrom: 0 };
  const [inserted] = await database().stores.redemptions.insert([{ ...code, validUntil: 0 }]);
  return inserted?.id ?? 0;
}

async function addChannel(name: string): Promise<number> {
  const { id: _id, ...channel } = channelRecord({ name });
  return (await database().stores.channels.insert(channel)).id;
}

async function kindsOf(client: Client, keyword: string): Promise<string[]> {
  return (await client.search.find({ keyword })).map(({ kind, name }) => `${kind} ${name}`);
}

found('gives users their own keys alone, and administrators every kind beside them', async () => {
  const user = await harness.addUser({ username: 'needle-user' });
  const admin = await harness.addUser({ role: 10 });
  const own = await insertToken(database(), user.user.id, { name: 'the Needle' });
  const ofAdmin = await insertToken(database(), admin.user.id, { name: 'needles' });
  const channel = await addChannel('needle channel');
  const code = await addCode('a needle', 'code-of-needle');
  assert.equal(await harness.client(user).search.find({ keyword: 'needle' }), [
    { kind: 'token', id: own.id, name: 'the Needle' },
  ]);
  assert.equal(await harness.client(admin).search.find({ keyword: 'NEEDLE' }), [
    { kind: 'channel', id: channel, name: 'needle channel' },
    { kind: 'user', id: user.user.id, name: 'needle-user' },
    { kind: 'token', id: ofAdmin.id, name: 'needles' },
    { kind: 'redemption', id: code, name: 'a needle' },
  ]);
  assert.equal(await kindsOf(harness.client(admin), 'code-of-needle'), ['redemption a needle']);
  assert.equal(await kindsOf(harness.client(user), String(ofAdmin.id)), []);
  assert.is((await harness.request('/api/search?keyword=needle')).status, 401);
});

found(
  'finds a channel by a whole key of it or by the name of one, for administrators, and never by a part',
  async () => {
    const admin = harness.client(await harness.addUser({ role: 10 }));
    const user = harness.client(await harness.addUser());
    const channelId = await addChannel('keeper');
    const key = 'sk-Upstream-0123456789';
    const keyHash = harness.world.keyring.channelKeyHash(key);
    const row = { channelId, position: 0, keyHash, keySealed: 'sealed' };
    await database().stores.channelKeys.insert([row]);
    assert.equal(await kindsOf(admin, key), ['channel keeper']);
    assert.equal(await kindsOf(admin, keyHash), ['channel keeper']);
    for (const part of [key.slice(0, -1), key.slice(3), keyHash.slice(0, 12)]) {
      assert.equal(await kindsOf(admin, part), []);
    }
    assert.equal(await kindsOf(user, key), []);
  },
);

found('takes wildcards as letters, finds nothing without a text, and five of a kind at most', async () => {
  const user = await harness.addUser();
  const client = harness.client(user);
  for (let count = 0; count < 6; count += 1) await insertToken(database(), user.user.id, { name: `many ${count}` });
  await insertToken(database(), user.user.id, { name: '50%_off' });
  assert.equal(
    await kindsOf(client, 'many'),
    [5, 4, 3, 2, 1].map((count) => `token many ${count}`),
  );
  assert.equal(await kindsOf(client, '%_'), ['token 50%_off']);
  assert.equal(await kindsOf(client, 'm_ny'), []);
  assert.equal([await kindsOf(client, ''), await client.search.find({})], [[], []]);
});

found('shows a machine token the kinds that its scopes read', async () => {
  const admin = await harness.addUser({ role: 10 });
  await addChannel('scoped channel');
  await addCode('scoped code', 'code-of-scope');
  const expires_at = harness.world.nowSeconds() + 86_400;
  const wish = { name: 'ci', scopes: ['redemption:write' as const], expires_at };
  const { secret } = await harness.client(admin).machineTokens.create(wish);
  const holder = harness.client(undefined, { credentials: () => ({ accessToken: secret }) });
  assert.equal(await kindsOf(harness.client(admin), 'scoped'), ['channel scoped channel', 'redemption scoped code']);
  assert.equal(await kindsOf(holder, 'scoped'), ['redemption scoped code']);
});

found.run();

import { createHash } from 'node:crypto';
import { TOTP } from 'otpauth';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Client } from '../../../daemon/contract/client.ts';
import { openBrowser } from '../../support/api-browser.ts';
import { type HttpHarness, startHttpHarness, type TestUser } from '../../support/http-harness.ts';
import { assertRefused } from '../../support/refusals.ts';
import { makePasskey } from '../../support/software-passkey.ts';

const test = suite('sessions that were ended a moment ago');

let harness: HttpHarness;

test.before(async () => {
  harness = await startHttpHarness();
  await harness.setup();
  const { database, bus } = harness.world;
  const revision = await database.transaction(async (stores) => {
    await stores.options.set('ServerAddress', 'https://gate.example.org');
    return stores.revisions.bump('options');
  });
  await bus.announce('options', revision);
});

test.after(() => harness.close());

/** A user with a fresh proof, in whose session everything may be changed. */
async function proven(): Promise<{ user: TestUser; mine: Client }> {
  const user = await harness.addUser();
  const mine = harness.client(undefined, { credentials: () => ({ cookie: user.cookie, userId: user.user.id }) });
  const { password } = user;
  for (const action of ['second_factor', 'account', 'machine_token'] as const) {
    await mine.stepUp.prove({ action, method: 'password', password });
  }
  return { user, mine };
}

/** Ends what the user is signed in with, as another node does of which this one has not heard. */
async function endElsewhere({ user: { id } }: TestUser): Promise<void> {
  const { users } = harness.world.database.stores;
  const known = await users.find(id);
  if (known === undefined) throw new Error('no user');
  harness.remembered.set(id, known);
  await users.bumpAuthVersion(id);
}

const codeOf = (secret: string) => new TOTP({ secret }).generate({ timestamp: harness.world.clock.seconds * 1000 });

test('change no password any more', async () => {
  const { user, mine } = await proven();
  await endElsewhere(user);
  await assertRefused(mine.account.update({ password: 'another password' }), 'session_expired');
  const { username } = user.user;
  const { client } = openBrowser(harness.url);
  assert.is((await client.account.login({ username, password: user.password })).username, username);
});

test('get no token that would outlive them', async () => {
  const { user, mine } = await proven();
  await endElsewhere(user);
  const path = { method: 'POST', as: user };
  const issued = await (await harness.request('/api/user/token', path)).json();
  assert.is(issued.code, 'session_expired');
  const wish = { name: 'left behind', scopes: ['log:read'] as const, expires_at: harness.world.clock.seconds + 3600 };
  await assertRefused(mine.machineTokens.create({ ...wish, scopes: [...wish.scopes] }), 'session_expired');
  assert.equal(await harness.world.database.stores.machineTokens.listOfUser(user.user.id), []);
});

test('leave as little to an access token that ended with them', async () => {
  const { user } = await proven();
  const { accessTokens, world } = harness;
  const { stores } = world.database;
  // Ends between the look-up of the token and what the call does.
  const find = accessTokens.findUser.bind(accessTokens);
  accessTokens.findUser = async (token) => {
    const found = await find(token);
    await stores.users.setAccessToken(user.user.id, null, 0);
    return found;
  };
  const by = { as: user, via: 'access-token', method: 'POST' } as const;
  const wish = { name: 'left behind', scopes: ['log:read'], expires_at: world.clock.seconds + 3600 };
  const calls = [
    ['/api/user/token', {}],
    ['/api/machine_token/', wish],
  ] as const;
  try {
    for (const [path, body] of calls) {
      await stores.users.setAccessToken(user.user.id, world.keyring.accessTokenHash(user.accessToken), 2 ** 40);
      const answer = await (await harness.request(path, { ...by, body: JSON.stringify(body) })).json();
      assert.is(answer.code, 'access_token_invalid', path);
    }
  } finally {
    accessTokens.findUser = find;
  }
  assert.is((await stores.users.find(user.user.id))?.accessTokenHash, null);
  assert.equal(await stores.machineTokens.listOfUser(user.user.id), []);
});

test('renew no token, nor take the account away', async () => {
  const { user, mine } = await proven();
  const wish = { name: 'there before', scopes: ['log:read' as const], expires_at: harness.world.clock.seconds + 3600 };
  const { id } = await mine.machineTokens.create(wish);
  await endElsewhere(user);
  await assertRefused(mine.machineTokens.rotate({ id }), 'session_expired');
  await assertRefused(mine.account.delete(), 'session_expired');
  assert.is((await harness.world.database.stores.users.find(user.user.id))?.deletedAt, null);
});

test('let no program in', async () => {
  const { user, mine } = await proven();
  const expires_at = harness.world.clock.seconds + 3600;
  const wish = { name: 'left behind', scopes: ['log:read' as const], expires_at };
  const { user_code } = await harness.client().cliSignIns.begin(wish);
  await endElsewhere(user);
  const challenge = createHash('sha256').update('v'.repeat(43)).digest('base64url');
  await assertRefused(mine.cliSignIns.authorize({ ...wish, challenge }), 'session_expired');
  await assertRefused(mine.cliSignIns.approve({ user_code }), 'session_expired');
});

test('leave no second factor, nor take one away', async () => {
  const { user, mine } = await proven();
  const { secret } = await mine.secondFactor.begin();
  const manner = { origin: 'https://gate.example.org', partyId: 'gate.example.org' };
  const { made } = makePasskey(await mine.passkeys.beginAdding(), manner);
  await endElsewhere(user);
  await assertRefused(mine.secondFactor.enable({ code: codeOf(secret) }), 'session_expired');
  await assertRefused(mine.passkeys.add({ name: 'left behind', ...made }), 'session_expired');
  assert.equal(await harness.world.database.stores.passkeys.listOfUser(user.user.id), []);

  const other = await proven();
  const begun = await other.mine.secondFactor.begin();
  await other.mine.secondFactor.enable({ code: codeOf(begun.secret) });
  await endElsewhere(other.user);
  await assertRefused(other.mine.secondFactor.renewRecoveryCodes(), 'session_expired');
  await assertRefused(other.mine.secondFactor.disable(), 'session_expired');
});

test('take no passkey away', async () => {
  const { user, mine } = await proven();
  const manner = { origin: 'https://gate.example.org', partyId: 'gate.example.org' };
  const { made } = makePasskey(await mine.passkeys.beginAdding(), manner);
  const { id } = await mine.passkeys.add({ name: 'there before', ...made });
  await endElsewhere(user);
  await assertRefused(mine.passkeys.remove({ id }), 'session_expired');
  assert.is((await harness.world.database.stores.passkeys.listOfUser(user.user.id)).length, 1);
});

test.run();

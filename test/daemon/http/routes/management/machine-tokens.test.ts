/** Machine tokens over HTTP: made once, hashed at rest, never wider than their user, dead with them (D25, S13, S21). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, type Client } from '../../../../../daemon/contract/client.ts';
import type { NewMachineTokenView } from '../../../../../daemon/contract/machine-tokens.ts';
import type { Scope } from '../../../../../daemon/contract/scopes.ts';
import { removeExpiredMachineTokens } from '../../../../../daemon/domain/machine-tokens.ts';
import { type HttpHarness, startHttpHarness, type TestUser } from '../../../../support/http-harness.ts';
import { untilPasses } from '../../../../support/until.ts';

const machine = suite('machine tokens over HTTP');

const day = 86_400;

let harness: HttpHarness;
machine.before(async () => {
  harness = await startHttpHarness();
});
machine.after(() => harness.close());

const now = () => harness.world.nowSeconds();
const tokens = () => harness.world.database.stores.machineTokens;

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => '',
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );
}

function make(user: TestUser, scopes: Scope[], over: { expires_at?: number; allow_ips?: string } = {}) {
  const wish = { name: 'ci', scopes, expires_at: now() + 90 * day, ...over };
  return harness.client(user).machineTokens.create(wish);
}

/** A client that has nothing but a token's secret, and sends no user id. */
function holding(secret: string): Client {
  return harness.client(undefined, { credentials: () => ({ accessToken: secret }) });
}

async function holder(user: TestUser, scopes: Scope[]): Promise<Client> {
  return holding((await make(user, scopes)).secret);
}

async function lastAudit(action: string) {
  const { items } = await harness.world.database.stores.audits.list({ action }, { offset: 0, limit: 1 });
  const [row] = items;
  const detail: Record<string, unknown> = JSON.parse(row?.detail ?? '{}');
  return { actor: row?.actorName, target: row?.target, detail };
}

machine('reach nothing while the role of their user is none, though their own ceiling is one', async () => {
  const user = await harness.addUser();
  const client = await holder(user, ['user:read']);
  assert.is((await client.account.get()).id, user.user.id);
  await harness.world.database.stores.users.update(user.user.id, { role: 5 });
  assert.is(await codeOf(client.account.get()), 'forbidden_role');
});

machine('show their secret once, and keep nothing but its hash', async () => {
  const admin = await harness.addUser({ role: 10 });
  const made = await make(admin, ['redemption:write', 'redemption:read'], { allow_ips: '127.0.0.1\n::1' });
  assert.match(made.secret, /^tgm_[A-Za-z0-9_-]{43}$/);
  assert.equal(made.scopes, ['redemption:write'], 'writing includes reading');
  const listed = await harness.client(admin).machineTokens.list();
  const { secret: _secret, ...shown } = made;
  assert.equal(listed, [shown]);
  const stored = JSON.stringify([await tokens().listOfUser(admin.user.id), await lastAudit('machine_token.create')]);
  for (const text of [made.secret, made.secret.slice(4)]) assert.not.ok(stored.includes(text));
  const [record] = await tokens().listOfUser(admin.user.id);
  assert.is(record?.secretHash, harness.world.keyring.machineTokenHash(made.secret));
  assert.not.ok(JSON.stringify(listed).includes(record?.secretHash ?? ''));
});

machine('say whose they are, what they may do and when they end, without a user-id header', async () => {
  const admin = await harness.addUser({ role: 10 });
  const { secret, id, expires_at } = await make(admin, ['log:read']);
  const said = await holding(secret).account.credential();
  assert.equal(
    [said.id, said.role, said.via, said.scopes, said.expires_at, said.machine_token],
    [admin.user.id, 10, 'machine_token', ['log:read'], expires_at, { id, name: 'ci' }],
  );
  const wrongId = harness.client(undefined, { credentials: () => ({ accessToken: secret, userId: 999 }) });
  assert.is(await codeOf(wrongId.account.credential()), 'user_header_mismatch');
  const byAccessToken = await harness.client(admin).account.credential();
  assert.equal([byAccessToken.via, byAccessToken.scopes], ['access_token', null]);
  assert.is(byAccessToken.expires_at, now() + 365 * day);
  await untilPasses(async () => assert.is((await tokens().findOwned(id, admin.user.id))?.lastUsedAt, now()));
});

machine('are made with scopes of their role, an end within a year, and addresses that can be read', async () => {
  const user = await harness.addUser();
  assert.is(await codeOf(make(user, ['redemption:write'])), 'scope_beyond_role');
  assert.is(await codeOf(make(user, ['token:read'], { expires_at: now() })), 'machine_token_expiry_invalid');
  assert.is(
    await codeOf(make(user, ['token:read'], { expires_at: now() + 365 * day + 1 })),
    'machine_token_expiry_invalid',
  );
  assert.is(await codeOf(make(user, [])), 'invalid_params');
  assert.is(await codeOf(make(user, ['token:read'], { allow_ips: 'here' })), 'token_ips_invalid');
  assert.is((await make(user, ['token:read'], { expires_at: now() + 365 * day })).role, 1);
});

machine('are good from their addresses alone, and until they expire', async () => {
  const user = await harness.addUser();
  const elsewhere = holding((await make(user, ['user:read'], { allow_ips: '10.0.0.0/8' })).secret);
  assert.is(await codeOf(elsewhere.account.get()), 'ip_not_allowed');
  const made = await make(user, ['user:read'], { expires_at: now() + 60 });
  const record = await tokens().findOwned(made.id, user.user.id);
  const client = holding(made.secret);
  assert.is((await client.account.get()).id, user.user.id);
  harness.world.clock.seconds += 60;
  assert.is(await codeOf(client.account.get()), 'machine_token_expired');
  await removeExpiredMachineTokens({ stores: { machineTokens: tokens() }, nowSeconds: now });
  assert.ok(await tokens().findOwned(made.id, user.user.id), 'its owner can still see that it expired');
  harness.world.clock.seconds += 30 * day;
  await removeExpiredMachineTokens({ stores: { machineTokens: tokens() }, nowSeconds: now });
  assert.is(await tokens().findByHash(record?.secretHash ?? ''), undefined);
  assert.is(await codeOf(holding(`tgm_${'A'.repeat(43)}`).account.get()), 'machine_token_invalid');
  assert.is(await codeOf(holding('tgm_short').account.get()), 'machine_token_invalid');
});

machine('lose at once what their user loses, and gain nothing that their user gains', async () => {
  const root = await harness.addUser({ role: 100 });
  const admin = await harness.addUser({ role: 10 });
  const client = await holder(admin, ['user:read', 'log:read']);
  assert.ok(await client.users.list({ page: 1 }));
  await harness.client(root).users.manage({ id: admin.user.id, action: 'demote' });
  assert.is(await codeOf(client.users.list({ page: 1 })), 'forbidden_role');
  assert.is((await client.account.get()).id, admin.user.id, 'what users may do is left');
  const ofUser = await holder(admin, ['user:read']);
  await harness.client(root).users.manage({ id: admin.user.id, action: 'promote' });
  assert.ok(await client.users.list({ page: 1 }));
  assert.is(await codeOf(ofUser.users.list({ page: 1 })), 'forbidden_role', 'made by a user, it stays a user’s');
  await harness.client(root).users.manage({ id: admin.user.id, action: 'disable' });
  assert.is(await codeOf(client.account.get()), 'machine_token_invalid');
  await harness.client(root).users.manage({ id: admin.user.id, action: 'enable' });
  assert.is(await codeOf(client.account.get()), 'machine_token_invalid', 'what was revoked stays revoked');
});

machine('end with a disabled, deleted or given-up account, and with a password that somebody else sets', async () => {
  const root = await harness.addUser({ role: 100 });
  const ends = async (end: (id: number, user: TestUser) => Promise<unknown>) => {
    const user = await harness.addUser();
    const client = await holder(user, ['user:read']);
    await client.account.get();
    await end(user.user.id, user);
    assert.equal(await tokens().listOfUser(user.user.id), []);
    return codeOf(client.account.get());
  };
  const asRoot = harness.client(root).users;
  const gone = 'machine_token_invalid';
  assert.is(await ends((id) => asRoot.manage({ id, action: 'disable' })), gone);
  assert.is(await ends((id) => asRoot.manage({ id, action: 'delete' })), gone);
  assert.is(await ends((id) => asRoot.update({ id, password: 'another password' })), gone);
  assert.is(await ends((_id, user) => harness.request('/api/user/self', { method: 'DELETE', as: user })), gone);
});

machine('make nobody an administrator, set no passwords, and open no other way in', async () => {
  const root = await harness.addUser({ role: 100 });
  const user = await harness.addUser();
  const client = await holder(root, ['user:write', 'option:write', 'token:write']);
  const { id } = user.user;
  const no = 'machine_token_not_supported';
  assert.is(await codeOf(client.users.manage({ id, action: 'promote' })), no);
  assert.is(await codeOf(client.users.update({ id, password: 'another password' })), no);
  const account = { username: 'sneaky', password: 'another password', role: 10 };
  assert.is(await codeOf(client.users.create(account)), no);
  await client.users.create({ ...account, role: 1 });
  await client.users.update({ id, display_name: 'Renamed' });
  assert.is(await codeOf(client.account.update({ password: 'another password' })), 'forbidden_role');
  for (const call of [
    () => client.account.issueToken(),
    () => client.sessions.list({}),
    () => client.sessions.endAll({}),
    () => client.machineTokens.create({ name: 'more', scopes: ['user:write'], expires_at: now() + day }),
  ]) {
    assert.is(await codeOf(call()), no);
  }
});

machine('see and end themselves alone', async () => {
  const user = await harness.addUser();
  const [one, two] = [await make(user, ['user:read']), await make(user, ['user:read'])];
  const client = holding(one.secret);
  const listed = await client.machineTokens.list();
  assert.equal(
    listed.map(({ id }) => id),
    [one.id],
  );
  assert.is(await codeOf(client.machineTokens.revoke({ id: two.id })), 'machine_token_not_found');
  assert.is(await codeOf(client.machineTokens.rotate({ id: two.id })), 'machine_token_not_found');
  await client.machineTokens.revoke({ id: one.id });
  assert.is(await codeOf(client.machineTokens.list()), 'machine_token_invalid');
  assert.is((await lastAudit('machine_token.revoke')).target, `machine_token:${one.id}`);
  const stranger = harness.client(await harness.addUser()).machineTokens;
  assert.is(await codeOf(stranger.revoke({ id: two.id })), 'machine_token_not_found');
  assert.is(await codeOf(stranger.rotate({ id: two.id })), 'machine_token_not_found');
  assert.equal(await stranger.list(), []);
});

machine('rotate with a time of grace, which the secret before cannot lengthen', async () => {
  const user = await harness.addUser();
  const first = await make(user, ['user:read']);
  const second: NewMachineTokenView = await holding(first.secret).machineTokens.rotate({
    id: first.id,
    grace_seconds: 3600,
  });
  assert.is.not(second.secret, first.secret);
  assert.equal([second.expires_at, second.previous_until], [first.expires_at, now() + 3600]);
  for (const { secret } of [first, second]) await holding(secret).account.get();
  const late = holding(first.secret).machineTokens.rotate({ id: first.id, grace_seconds: 3600 });
  assert.is(await codeOf(late), 'machine_token_not_supported');
  harness.world.clock.seconds += 3600;
  assert.is(await codeOf(holding(first.secret).account.get()), 'machine_token_invalid');
  const third = await harness.client(user).machineTokens.rotate({ id: first.id });
  assert.is(await codeOf(holding(second.secret).account.get()), 'machine_token_invalid', 'without grace, at once');
  await holding(third.secret).account.get();
  const tooLong = harness.client(user).machineTokens.rotate({ id: first.id, grace_seconds: 7 * day + 1 });
  assert.is(await codeOf(tooLong), 'invalid_params');
});

machine('stand in the audit rows of what they do', async () => {
  const root = await harness.addUser({ role: 100 });
  const user = await harness.addUser();
  const { secret, id } = await make(root, ['user:write']);
  await holding(secret).users.manage({ id: user.user.id, action: 'disable' });
  const row = await lastAudit('user.disable');
  assert.equal([row.actor, row.target], [root.user.username, `user:${user.user.id}`]);
  assert.equal(row.detail.machine_token, { id, name: 'ci' });
  await harness.client(root).users.manage({ id: user.user.id, action: 'enable' });
  assert.is((await lastAudit('user.enable')).detail.machine_token, undefined);
});

machine('show no webhook secret of their user', async () => {
  const user = await harness.addUser();
  const setting = { notify_type: 'webhook', quota_warning_threshold: 1, webhook_url: 'https://hooks.example/x' };
  await harness.client(user).account.saveSetting({ ...setting, webhook_secret: 'only ours' });
  assert.match((await harness.client(user).account.get()).setting, 'only ours');
  assert.not.match((await (await holder(user, ['user:write'])).account.get()).setting, 'only ours');
});

machine('count their calls by themselves, and are not more than a hundred', async () => {
  const limited = await startHttpHarness({ rules: { perUser: { enabled: true, count: 103, seconds: 600 } } });
  try {
    const user = await limited.addUser();
    const client = limited.client(user);
    const wish = { name: 'ci', scopes: ['user:read' as const], expires_at: limited.world.nowSeconds() + day };
    const first = await client.machineTokens.create(wish);
    for (let count = 1; count < 100; count += 1) await client.machineTokens.create(wish);
    assert.is(await codeOf(client.machineTokens.create(wish)), 'machine_token_limit');
    const mine = limited.client(undefined, { credentials: () => ({ accessToken: first.secret }) });
    for (let count = 0; count < 103; count += 1) await mine.account.credential();
    assert.is(await codeOf(mine.account.credential()), 'too_many_requests');
    assert.is((await client.machineTokens.list()).length, 100, 'the user has calls left');
  } finally {
    await limited.close();
  }
});

machine.run();

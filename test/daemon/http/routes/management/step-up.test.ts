import { TOTP } from 'otpauth';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, type Client } from '../../../../../daemon/contract/client.ts';
import { contract } from '../../../../../daemon/contract/index.ts';
import { implement } from '../../../../../daemon/http/implement.ts';
import { openBrowser, signedIn } from '../../../../support/api-browser.ts';
import { type HttpHarness, startHttpHarness, type TestUser } from '../../../../support/http-harness.ts';
import { assertRefused, refusalOf } from '../../../../support/refusals.ts';

const stepUp = suite('fresh proof');

let harness: HttpHarness;

stepUp.before(async () => {
  harness = await startHttpHarness({ failuresPerName: 4 });
  await harness.setup();
});

stepUp.after(() => harness.close());

function session(user: TestUser): Client {
  return harness.client(undefined, { credentials: () => ({ cookie: user.cookie, userId: user.user.id }) });
}

/** What a refusal asks for. */
async function wanted(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'step_up_required', String(error));
    assert.is(error.status, 403);
    return error.data;
  }
  throw new Error('nothing was asked for');
}

async function withApp(user: TestUser): Promise<{ code: () => string; recovery: string[] }> {
  const mine = session(user);
  await mine.stepUp.prove({ action: 'second_factor', method: 'password', password: user.password });
  const { secret } = await mine.secondFactor.begin();
  const code = () => {
    harness.world.clock.seconds += 30;
    return new TOTP({ secret }).generate({ timestamp: harness.world.nowSeconds() * 1000 });
  };
  const { recovery_codes: recovery } = await mine.secondFactor.enable({ code: code() });
  harness.world.clock.seconds += 301;
  return { code, recovery };
}

stepUp('is asked for with the ways the account has, and counts for five minutes', async () => {
  const user = await harness.addUser();
  const mine = session(user);
  assert.equal(await wanted(mine.secondFactor.begin()), { action: 'second_factor', methods: ['password'] });
  const proof = { action: 'second_factor', method: 'password', password: user.password } as const;
  const { expires_at: until } = await mine.stepUp.prove(proof);
  assert.is(until, harness.world.nowSeconds() + 300);
  await mine.secondFactor.begin();
  harness.world.clock.seconds += 300;
  await wanted(mine.secondFactor.begin());
});

stepUp('counts for its own kind of action and its own session alone (S10)', async () => {
  const user = await harness.addUser();
  const mine = session(user);
  await mine.stepUp.prove({ action: 'option', method: 'password', password: user.password });
  await wanted(mine.secondFactor.begin());
  await mine.stepUp.prove({ action: 'second_factor', method: 'password', password: user.password });
  const elsewhere = await signedIn(harness.url, { username: user.user.username, password: user.password });
  await wanted(elsewhere.secondFactor.begin());
  await mine.secondFactor.begin();
});

stepUp('of an account with a second factor is that factor, not the password', async () => {
  const user = await harness.addUser();
  const { code, recovery } = await withApp(user);
  const mine = session(user);
  assert.equal(await wanted(mine.secondFactor.disable()), { action: 'second_factor', methods: ['totp', 'recovery'] });
  const action = 'second_factor' as const;
  const byPassword = mine.stepUp.prove({ action, method: 'password', password: user.password });
  await assertRefused(byPassword, 'step_up_failed');
  const shown = code();
  await mine.stepUp.prove({ action, method: 'totp', code: shown });
  await assertRefused(mine.stepUp.prove({ action, method: 'totp', code: shown }), 'two_factor_code_used');
  await mine.stepUp.prove({ action, method: 'recovery', code: recovery[0] ?? '' });
  await assertRefused(mine.stepUp.prove({ action, method: 'recovery', code: recovery[0] ?? '' }), 'step_up_failed');
  await mine.secondFactor.disable();
});

stepUp('offers recovery codes until the last one is used', async () => {
  const user = await harness.addUser();
  const { recovery } = await withApp(user);
  const mine = session(user);
  const methods: unknown[] = [];
  for (const code of recovery) {
    methods.push(await wanted(mine.secondFactor.disable()));
    await mine.stepUp.prove({ action: 'second_factor', method: 'recovery', code });
    harness.world.clock.seconds += 300;
  }
  const action = 'second_factor';
  assert.equal(
    methods,
    recovery.map(() => ({ action, methods: ['totp', 'recovery'] })),
  );
  assert.equal(await wanted(mine.secondFactor.disable()), { action, methods: ['totp'] });
});

stepUp('names the field of what was wrong: the password, or the code', async () => {
  const user = await harness.addUser();
  const action = 'second_factor';
  const byPassword = () => session(user).stepUp.prove({ action, method: 'password', password: 'not mine' });
  assert.is((await refusalOf(byPassword())).field, 'password');
  await withApp(user);
  assert.is((await refusalOf(byPassword())).field, 'password');
  const byCode = session(user).stepUp.prove({ action, method: 'totp', code: '000000' });
  assert.is((await refusalOf(byCode)).field, 'code');
});

stepUp('stands before access token and deletion once the account has a second factor', async () => {
  const plain = await harness.addUser();
  assert.match(await session(plain).account.issueToken(), /^\w{32}$/);
  const user = await harness.addUser();
  const { code } = await withApp(user);
  await wanted(session(user).account.issueToken());
  await wanted(session(user).account.delete());
  assert.match(await harness.client(user).account.issueToken(), /^\w{32}$/, 'a token was proven when it was made');
  await session(user).stepUp.prove({ action: 'account', method: 'totp', code: code() });
  await session(user).account.delete();
});

stepUp('may come with the second step of a sign-in, whose code cannot be shown twice', async () => {
  const user = await harness.addUser();
  const { code } = await withApp(user);
  const { client: visit } = openBrowser(harness.url, user.user.id);
  const refused = await visit.account
    .login({ username: user.user.username, password: user.password })
    .catch((error: unknown) => error);
  assert.ok(refused instanceof ApiError);
  const ticket: unknown = Reflect.get(Object(refused.data), 'ticket');
  await visit.secondFactor.signIn({ ticket: String(ticket), method: 'totp', code: code(), prove: 'second_factor' });
  await wanted(visit.account.issueToken());
  await visit.secondFactor.disable();
});

stepUp('counts wrong proofs of an account, whichever session they are shown in', async () => {
  const user = await harness.addUser();
  const wrong = { action: 'account', method: 'password', password: 'not the password' } as const;
  for (let attempt = 0; attempt < 4; attempt += 1) {
    await assertRefused(session(user).stepUp.prove(wrong), 'step_up_failed');
  }
  const right = session(user).stepUp.prove({ ...wrong, password: user.password });
  await assertRefused(right, 'step_up_failed');
});

stepUp('counts no proof that is right, however often it is given, and keeps the last one', async () => {
  const user = await harness.addUser();
  const proof = { action: 'account', method: 'password', password: user.password } as const;
  for (let time = 0; time < 5; time += 1) await session(user).stepUp.prove(proof);
  const [kept] = await harness.world.database.stores.sessions.listOfUser(user.user.id);
  assert.is(JSON.parse(kept?.data ?? '').proofs.length, 1);
});

stepUp('is none for a session that ends while it is given', async () => {
  const user = await harness.addUser();
  const { users, sessions } = harness.world.database.stores;
  const find = users.find.bind(users);
  // By the look-up of the account the session has been found.
  users.find = async (id) => {
    await sessions.deleteOfUser(id);
    return find(id);
  };
  const proof = { action: 'account', method: 'password', password: user.password } as const;
  try {
    await assertRefused(session(user).stepUp.prove(proof), 'session_expired');
  } finally {
    users.find = find;
  }
});

stepUp('is a fresh sign-in for accounts that have nothing to show', async () => {
  const user = await harness.addUser({ password: '' });
  await session(user).secondFactor.begin();
  harness.world.clock.seconds += 301;
  assert.equal(await wanted(session(user).secondFactor.begin()), { action: 'second_factor', methods: [] });
});

stepUp('is asked of administrators where the configuration says so, and never of their tokens', async () => {
  const routes = () => [
    implement(contract.channels.revealKey, () => ({ key: 'a key' })),
    implement(contract.state.apply, () => Promise.reject(new Error('root’s options may stand in a document'))),
  ];
  for (const [proofForAdministration, isAsked] of [
    ['not-asked', false],
    ['asked', true],
  ] as const) {
    const originalPassword = isAsked ? 'of-administrators' : 'when-sent';
    const site = await startHttpHarness({ proofForAdministration, originalPassword, routes });
    await site.setup();
    const admin = await site.addUser({ role: 10 });
    const mine = site.client(undefined, { credentials: () => ({ cookie: admin.cookie, userId: admin.user.id }) });
    const document = { apiVersion: 'tollgate/v1', set: 'core' } as const;
    if (!isAsked) {
      // What refuses them is not that a proof is missing.
      await assertRefused(mine.users.manage({ id: 1, action: 'promote' }), 'user_promote_root_only');
      await assertRefused(mine.state.apply({ document }), 'internal_error', 500);
    }
    if (isAsked) {
      assert.equal(await wanted(mine.channels.revealKey({ id: 1 })), { action: 'channel_key', methods: ['password'] });
      assert.equal(await wanted(mine.state.apply({ document })), { action: 'option', methods: ['password'] });
      await mine.stepUp.prove({ action: 'channel_key', method: 'password', password: admin.password });
      // A token could do all of it without being asked.
      assert.equal(await wanted(mine.account.issueToken()), { action: 'account', methods: ['password'] });
      await mine.stepUp.prove({ action: 'account', method: 'password', password: admin.password });
      const user = await site.addUser();
      const its = site.client(undefined, { credentials: () => ({ cookie: user.cookie, userId: user.user.id }) });
      assert.match(await its.account.issueToken(), /^\w{32}$/, 'users administrate nothing');
      await its.account.update({ password: 'a new password' });
      // Nor may a password prove anything that whoever sits there has just set.
      await assertRefused(mine.account.update({ password: 'a new password' }), 'login_failed');
    }
    assert.equal(await mine.channels.revealKey({ id: 1 }), { key: 'a key' });
    assert.equal(await site.client(admin).channels.revealKey({ id: 1 }), { key: 'a key' });
    assert.match(await mine.account.issueToken(), /^\w{32}$/);
    await site.close();
  }
});

stepUp('stands before every other way into the account of an administrator, where it is asked of them', async () => {
  const routes = () => [
    implement(contract.verification.bindEmail, () => undefined),
    implement(contract.oauth.bindTelegram, () => undefined),
  ];
  const site = await startHttpHarness({
    proofForAdministration: 'asked',
    originalPassword: 'of-administrators',
    routes,
  });
  const root = await site.setup();
  const [admin, user] = [await site.addUser({ role: 10 }), await site.addUser()];
  const sessionAt = (of: TestUser) =>
    site.client(undefined, { credentials: () => ({ cookie: of.cookie, userId: of.user.id }) });
  const [mine, roots] = [sessionAt(admin), sessionAt(root)];
  const address = { email: 'thief@example.com', code: 'abc123' };
  const asked = { action: 'sign_in_method', methods: ['password'] };
  assert.equal(await wanted(mine.verification.bindEmail(address)), asked);
  assert.equal(await wanted(mine.oauth.bindTelegram({ id: '1' })), asked);
  const made = { username: 'accomplice', password: 'a good password', role: 10 };
  assert.equal(await wanted(roots.users.create(made)), asked);
  assert.equal(await wanted(roots.users.manage({ id: user.user.id, action: 'promote' })), asked);
  assert.equal(await wanted(roots.users.update({ id: admin.user.id, password: 'another password' })), asked);
  assert.equal(await wanted(roots.secondFactor.reset({ id: admin.user.id })), asked);
  // What opens nobody's administration needs no more than before.
  await roots.users.create({ username: 'common', password: 'a good password' });
  await roots.users.update({ id: user.user.id, password: 'another password' });
  await roots.secondFactor.reset({ id: user.user.id });
  await roots.users.update({ id: admin.user.id, display_name: 'Ada' });
  await sessionAt(await site.addUser()).verification.bindEmail(address);
  await site.client(admin).verification.bindEmail(address);
  // Nor is a token asked that comes beside the cookie of a session.
  const twice = {
    Authorization: `Bearer ${root.accessToken}`,
    Cookie: root.cookie,
    'Content-Type': 'application/json',
  };
  const body = JSON.stringify({ username: 'by-token', password: 'a good password', role: 10 });
  const answer = await fetch(`${site.url}/api/user/`, { method: 'POST', headers: twice, body });
  assert.is((await answer.json()).success, true);

  await mine.stepUp.prove({ action: 'sign_in_method', method: 'password', password: admin.password });
  await mine.verification.bindEmail(address);
  await roots.stepUp.prove({ action: 'sign_in_method', method: 'password', password: root.password });
  await roots.users.create(made);
  await roots.users.manage({ id: user.user.id, action: 'promote' });
  await roots.users.update({ id: admin.user.id, password: 'another password' });
  await roots.secondFactor.reset({ id: admin.user.id });

  const fromElsewhere = await site.addUser({ role: 10, password: '' });
  await sessionAt(fromElsewhere).account.update({ password: 'a first password' });
  const later = await site.addUser({ role: 10, password: '' });
  site.world.clock.seconds += 300;
  const first = sessionAt(later).account.update({ password: 'a first password' });
  assert.equal(await wanted(first), { action: 'sign_in_method', methods: [] });
  await site.close();
});

stepUp('is nothing that an access token can give', async () => {
  const user = await harness.addUser();
  const byToken = harness.client(user).stepUp.prove({ action: 'account', method: 'password', password: user.password });
  await assertRefused(byToken, 'access_token_not_supported');
});

stepUp.run();

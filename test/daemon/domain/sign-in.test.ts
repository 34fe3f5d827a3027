import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type HttpHarness, startHttpHarness, type TestUser } from '../../support/http-harness.ts';
import { assertRefused } from '../../support/refusals.ts';

const signIn = suite('signing in and out');

let harness: HttpHarness;

signIn.before(async () => {
  harness = await startHttpHarness({ failuresPerName: 5 });
  await harness.setup();
});

signIn.after(() => harness.close());

async function login(username: string, password: string, headers: Record<string, string> = {}): Promise<Response> {
  return harness.request('/api/user/login', {
    method: 'POST',
    body: JSON.stringify({ username, password }),
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

function cookieOf(response: Response): string {
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

async function selfStatus(cookie: string, user: TestUser): Promise<[number, string | undefined]> {
  const response = await harness.request('/api/user/self', {
    headers: { Cookie: cookie, 'Tollgate-User': String(user.user.id) },
  });
  const answer: { code?: string } = JSON.parse(await response.text());
  return [response.status, answer.code];
}

signIn('answers the login data and a session cookie that only the server can read', async () => {
  const user = await harness.addUser({ username: 'Alice', email: 'alice@example.org' });
  const response = await login('Alice', user.password);
  assert.equal((await response.json()).data, {
    id: user.user.id,
    username: 'Alice',
    display_name: user.user.displayName,
    role: 1,
    status: 1,
    group: 'default',
  });
  const cookie = response.headers.get('set-cookie') ?? '';
  assert.match(cookie, /^session=[^;]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/);
  assert.equal(await selfStatus(cookieOf(response), user), [200, undefined]);
});

signIn('finds the name without regard to case, and an e-mail address', async () => {
  const user = await harness.addUser({ username: 'Bob', email: 'bob@example.org' });
  for (const name of ['bob', ' BOB ', 'Bob@Example.org', 'bob@\uff45xample.org']) {
    assert.is((await (await login(name, user.password)).json()).success, true, name);
  }
});

signIn('gives one answer for unknown names, wrong passwords, disabled and deleted accounts', async () => {
  const { stores } = harness.world.database;
  const [known, disabled, deleted] = [await harness.addUser(), await harness.addUser(), await harness.addUser()];
  await stores.users.update(disabled.user.id, { status: 2 });
  await stores.users.softDelete(deleted.user.id, new Date());
  const answers = await Promise.all(
    [
      login('nobody here', 'some password'),
      login(known.user.username, 'wrong password'),
      login(disabled.user.username, disabled.password),
      login(deleted.user.username, deleted.password),
      login(known.user.username, 'x'.repeat(100)),
    ].map(async (response) => (await response).text()),
  );
  assert.is(new Set(answers).size, 1);
  assert.match(answers[0] ?? '', '"code":"login_failed"');
});

signIn('takes the bcrypt hash of another gateway once, and keeps one of its own from then on', async () => {
  const { stores } = harness.world.database;
  const { user } = await harness.addUser();
  const brought = '$2a$04$pGXE/J1w11y0EBClVVO.eOYsLssy2qJiZ9YmURJez7ZO9lyh/iJrG';
  await stores.users.update(user.id, { password: brought });
  const logIn = async (password: string) => (await (await login(user.username, password)).json()).success;
  assert.is(await logIn('a wrong password'), false);
  assert.is((await stores.users.find(user.id))?.password, brought);
  assert.is(await logIn('a good password'), true);
  assert.match((await stores.users.find(user.id))?.password ?? '', /^\$argon2id\$/);
  assert.is(await logIn('a good password'), true);
});

signIn('names the empty member', async () => {
  await assertRefused(harness.client().account.login({ username: '', password: 'x' }), 'invalid_params');
  await assertRefused(harness.client().account.login({ username: 'x', password: '' }), 'invalid_params');
});

signIn('counts failures by account name, successes not, and never says that it does', async () => {
  const user = await harness.addUser();
  const name = user.user.username;
  for (let attempt = 0; attempt < 8; attempt += 1) {
    assert.is((await (await login(name, user.password)).json()).success, true);
  }
  for (let attempt = 0; attempt < 5; attempt += 1) await login(name, 'wrong password');
  const locked = await login(name.toUpperCase(), user.password);
  assert.is(locked.status, 200);
  assert.is((await locked.json()).code, 'login_failed');
  const other = await harness.addUser();
  assert.is((await (await login(other.user.username, other.password)).json()).success, true);
});

signIn('counts failures of one account together, by whichever of its names and however that is written', async () => {
  const user = await harness.addUser({ username: 'Cecil', email: 'cecil@example.org' });
  // Wide and encircled letters: names that are compared without regard to composition find the account by them.
  const names = ['cecil', 'ｃecil', 'ⓒecil', 'cecil@example.org', 'Cecil@Example.org'];
  for (const name of names.slice(0, 3)) {
    assert.is((await (await login(name, user.password)).json()).success, true, name);
  }
  for (const name of names) await login(name, 'wrong password');
  assert.is((await (await login('ｃｅｃｉｌ', user.password)).json()).code, 'login_failed');
  assert.is((await (await login('cecil@example.org', user.password)).json()).code, 'login_failed');
});

signIn('makes a new session and ends the one it came with (W4)', async () => {
  const user = await harness.addUser();
  const first = cookieOf(await login(user.user.username, user.password));
  const second = cookieOf(await login(user.user.username, user.password, { Cookie: first }));
  assert.is.not(first, second);
  assert.equal(await selfStatus(first, user), [401, 'session_expired']);
  assert.equal(await selfStatus(second, user), [200, undefined]);
});

signIn('refuses a sign-in that another site starts', async () => {
  const user = await harness.addUser();
  const response = await login(user.user.username, user.password, { 'Sec-Fetch-Site': 'cross-site' });
  assert.is(response.status, 403);
  assert.is((await response.json()).code, 'oauth_state');
});

signIn('ends the session on sign-out only when the header names its user (S12)', async () => {
  const user = await harness.addUser();
  const cookie = cookieOf(await login(user.user.username, user.password));
  const out = (headers: Record<string, string>, method = 'GET'): Promise<Response> =>
    harness.request('/api/user/logout', { method, headers });
  assert.is((await out({ Cookie: cookie })).status, 401);
  assert.is((await out({ Cookie: cookie, 'Tollgate-User': '999' })).status, 401);
  assert.equal(await selfStatus(cookie, user), [200, undefined]);
  const ended = await out({ Cookie: cookie, 'Tollgate-User': String(user.user.id) }, 'POST');
  assert.equal(await ended.json(), { success: true, message: '', data: null });
  assert.match(ended.headers.get('set-cookie') ?? '', 'session=; Path=/; Max-Age=0');
  assert.equal(await selfStatus(cookie, user), [401, 'session_expired']);
  assert.is((await (await out({})).json()).success, true);
  assert.is((await (await out({ Cookie: cookie })).json()).success, true);
});

signIn('ends the session of a visitor who is nobody yet on sign-out, whatever the header says', async () => {
  const { database, keyring, nowSeconds } = harness.world;
  const { stores } = database;
  const idHash = keyring.sessionHash('of a visitor');
  const times = { createdAt: nowSeconds(), lastSeenAt: nowSeconds(), expiresAt: nowSeconds() + 60 };
  for (const headers of [{}, { 'Tollgate-User': '1' }]) {
    await stores.sessions.insert({ idHash, userId: null, data: '', authVersion: 0, ip: '', userAgent: '', ...times });
    const answer = await harness.request('/api/user/logout', {
      headers: { Cookie: `session=${keyring.signSession('of a visitor')}`, ...headers },
    });
    assert.is(answer.status, 200);
    assert.match(answer.headers.get('set-cookie') ?? '', 'session=; Path=/; Max-Age=0');
    assert.is(await stores.sessions.find(idHash), undefined);
  }
});

signIn('keeps no session beyond its 30 days', async () => {
  const user = await harness.addUser();
  const cookie = cookieOf(await login(user.user.username, user.password));
  const { clock } = harness.world;
  clock.seconds += 2_592_000 - 1;
  assert.equal(await selfStatus(cookie, user), [200, undefined]);
  clock.seconds += 1;
  const response = await harness.request('/api/user/self', {
    headers: { Cookie: cookie, 'Tollgate-User': String(user.user.id) },
  });
  assert.is(response.status, 401);
  assert.match(response.headers.get('set-cookie') ?? '', 'session=; Path=/; Max-Age=0');
});

signIn('writes an audit row with method, address and agent, and no log row', async () => {
  const user = await harness.addUser();
  await login(user.user.username, user.password, { 'User-Agent': 'a browser' });
  const { items } = await harness.world.database.stores.audits.list(
    { actorId: user.user.id, action: 'session.open' },
    { offset: 0, limit: 5 },
  );
  assert.is(items[0]?.ip, '127.0.0.1');
  assert.equal(JSON.parse(items[0]?.detail ?? ''), { method: 'password', user_agent: 'a browser' });
  const logs = await harness.world.database.stores.logs.list({ userId: user.user.id }, { offset: 0, limit: 5 });
  assert.is(logs.total, 0);
});

signIn.run();

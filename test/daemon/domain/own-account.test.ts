import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type HttpHarness, startHttpHarness, type TestUser } from '../../support/http-harness.ts';
import { assertRefused } from '../../support/refusals.ts';

const own = suite('own account');

let harness: HttpHarness;
let root: TestUser;

own.before(async () => {
  harness = await startHttpHarness();
  root = await harness.setup();
});

own.after(() => harness.close());

async function put(
  user: TestUser,
  body: object,
  via: 'session' | 'access-token' = 'session',
): Promise<{ success: boolean; code?: string; field?: string }> {
  const response = await harness.request('/api/user/self', {
    method: 'PUT',
    as: user,
    via,
    body: JSON.stringify(body),
  });
  return JSON.parse(await response.text());
}

own('shows itself without password, hash or token (K3)', async () => {
  const user = await harness.addUser({ email: 'kim@example.org', quota: 12 });
  const shown = await harness.client(user).account.get();
  assert.equal(
    [shown.quota, shown.email, shown.password, shown.access_token, shown.group],
    [12, 'kim@example.org', '', null, 'default'],
  );
});

own('names one header when none is sent with a cookie (K2)', async () => {
  const user = await harness.addUser();
  const response = await harness.request('/api/user/self', { headers: { Cookie: user.cookie } });
  const { message } = await response.json();
  assert.is(response.status, 401);
  assert.match(message, 'Veloera-User');
  for (const other of ['Tollgate-User', 'New-Api-User', 'X-Api-User', 'User-id', 'Rix-Api-User']) {
    assert.not.match(message, other);
  }
});

own('believes no header that another one contradicts, whichever of them is right', async () => {
  const user = await harness.addUser();
  const [right, wrong] = [String(user.user.id), '999'];
  for (const [first, second, code] of [
    [right, right, undefined],
    [right, wrong, 'user_header_mismatch'],
    [wrong, right, 'user_header_mismatch'],
  ] as const) {
    const headers = { Cookie: user.cookie, 'Tollgate-User': first, 'User-id': second };
    const answer = await (await harness.request('/api/user/self', { headers })).json();
    assert.is(answer.code, code, `${first} ${second}`);
  }
});

own('changes names only, whatever else a body holds', async () => {
  const user = await harness.addUser({ quota: 10 });
  const sent = {
    username: ' lena ',
    display_name: 'Lena',
    quota: 99,
    role: 100,
    status: 2,
    group: 'vip',
    aff_quota: 5,
    email: 'x@y.z',
  };
  assert.is((await put(user, sent)).success, true);
  const shown = await harness.client(user).account.get();
  assert.equal(
    [
      shown.username,
      shown.display_name,
      shown.quota,
      shown.role,
      shown.status,
      shown.group,
      shown.aff_quota,
      shown.email,
    ],
    ['lena', 'Lena', 10, 1, 1, 'default', 0, ''],
  );
});

own('does not judge again what stays as it is', async () => {
  const user = await harness.addUser({
    username: 'a name far beyond the limit',
    displayName: 'also much longer than twenty',
  });
  const sent = { username: user.user.username, display_name: user.user.displayName, password: '' };
  assert.is((await put(user, sent)).success, true);
  assert.is((await put(user, { display_name: 'x'.repeat(21) })).code, 'invalid_input');
  assert.is((await put(user, { username: 'a@b' })).code, 'username_invalid');
  const taken = await put(user, { username: 'ROOT' });
  assert.equal([taken.code, taken.field], ['username_taken', 'username']);
});

own('keeps its display name where a blank one is sent', async () => {
  const user = await harness.addUser({ displayName: 'Lena' });
  assert.is((await put(user, { display_name: '  ' })).success, true);
  assert.is((await harness.client(user).account.get()).display_name, 'Lena');
});

own('changes the password with the old one, and ends every other session', async () => {
  const user = await harness.addUser();
  const { username } = user.user;
  const other = await harness.request('/api/user/login', {
    method: 'POST',
    body: JSON.stringify({ username, password: user.password }),
  });
  const otherCookie = (other.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  assert.is((await put(user, { password: 'short' })).code, 'password_invalid');
  assert.is((await put(user, { password: 'a new password', original_password: 'wrong' })).code, 'login_failed');
  assert.is(
    (await put(user, { password: 'a new password', original_password: user.password }, 'access-token')).code,
    'forbidden_role',
  );
  assert.is((await put(user, { password: 'a new password', original_password: user.password })).success, true);
  assert.is((await harness.request('/api/user/self', { as: user })).status, 200);
  const ended = await harness.request('/api/user/self', {
    headers: { Cookie: otherCookie, 'Tollgate-User': String(user.user.id) },
  });
  assert.equal([ended.status, (await ended.json()).code], [401, 'session_expired']);
  assert.is((await harness.client().account.login({ username, password: 'a new password' })).username, username);
});

own('lets one of several sessions that change the password at the same moment do so, and ends the others', async () => {
  const user = await harness.addUser();
  const { username } = user.user;
  const rivals = [user];
  for (let count = 0; count < 3; count += 1) {
    const body = JSON.stringify({ username, password: user.password });
    const opened = await harness.request('/api/user/login', { method: 'POST', body });
    rivals.push({ ...user, cookie: (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '' });
  }
  const change = (rival: TestUser, index: number) => put(rival, { password: `new password ${index}` });
  const outcomes = await Promise.all(rivals.map(change));
  const first = outcomes.findIndex(({ success }) => success);
  const others = outcomes.filter((_, index) => index !== first);
  assert.equal(
    others.map(({ code }) => code),
    ['session_expired', 'session_expired', 'session_expired'],
  );
  const signedIn = await harness.client().account.login({ username, password: `new password ${first}` });
  assert.is(signedIn.username, username);
});

own('lets nobody guess the old password in a stolen session, and counts that with proofs', async () => {
  const user = await harness.addUser();
  const change = (original: string) => put(user, { password: 'a new password', original_password: original });
  for (let guess = 0; guess < 10; guess += 1) assert.is((await change(`guess ${guess}`)).code, 'login_failed');
  assert.is((await change(user.password)).code, 'login_failed');
  const proof = { action: 'account', method: 'password', password: user.password };
  const body = JSON.stringify(proof);
  const proven = await harness.request('/api/user/step_up', { method: 'POST', as: user, body });
  assert.is((await proven.json()).code, 'step_up_failed');
});

own('counts no old password that is right, however often it is shown', async () => {
  const user = await harness.addUser();
  for (let time = 0; time < 11; time += 1) {
    const answer = await put(user, { password: user.password, original_password: user.password });
    assert.is(answer.success, true, `time ${time}`);
  }
});

own('asks for the old password always where the configuration says so', async () => {
  const strict = await startHttpHarness({ originalPassword: 'always' });
  try {
    const root = await strict.setup();
    const user = await strict.addUser();
    const change = { password: 'a new password' };
    const answer = await strict.request('/api/user/self', { method: 'PUT', as: user, body: JSON.stringify(change) });
    assert.is((await answer.json()).code, 'login_failed');
    // What is only left out was no guess.
    const { account } = strict.client(undefined, {
      credentials: () => ({ cookie: user.cookie, userId: user.user.id }),
    });
    for (let time = 0; time < 10; time += 1) await assertRefused(account.update(change), 'login_failed');
    await account.update({ password: user.password, original_password: user.password });
    const without = await strict.addUser({ password: '' });
    assert.is((await strict.client(without).account.get()).has_password, false);
    const first = await strict.request('/api/user/self', { method: 'PUT', as: without, body: JSON.stringify(change) });
    assert.is((await first.json()).success, true);
    const hasPassword = async (user: TestUser) => (await strict.client(user).account.get()).has_password;
    assert.equal([await hasPassword(user), await hasPassword(without)], [true, true]);
    // Nor is there a way around it for whoever administers accounts.
    const setFor = async ({ user: { id } }: TestUser, via?: 'access-token') => {
      const body = JSON.stringify({ id, ...change });
      return (await strict.request('/api/user/', { method: 'PUT', as: root, body, ...(via && { via }) })).json();
    };
    assert.equal([(await setFor(root)).code, (await setFor(user)).success], ['login_failed', true]);
    assert.is((await setFor(root, 'access-token')).code, 'forbidden_role');
  } finally {
    await strict.close();
  }
});

own('issues an access token that replaces the last one and is stored hashed (K4)', async () => {
  const user = await harness.addUser();
  const issued = await harness.request('/api/user/token', { as: user });
  const token: string = (await issued.json()).data;
  assert.match(token, /^[0-9A-Za-z]{32}$/);
  const by = (value: string, prefix = 'Bearer ') =>
    harness.request('/api/user/self', { headers: { Authorization: `${prefix}${value}` } });
  assert.is((await by(user.accessToken)).status, 401);
  for (const prefix of ['Bearer ', 'bearer ', '']) assert.is((await by(token, prefix)).status, 200, prefix);
  const stored = await harness.world.database.stores.users.find(user.user.id);
  assert.is.not(stored?.accessTokenHash, token);
  harness.world.clock.seconds += 366 * 86_400;
  assert.is((await by(token)).status, 401);
  harness.world.clock.seconds -= 366 * 86_400;
});

own('leaves an audit row of each change of the own account, which shows no password', async () => {
  const user = await harness.addUser();
  const { id } = user.user;
  await put(user, { display_name: 'Lena', password: 'quite secret' });
  await harness.request('/api/user/token', { method: 'POST', as: user });
  await harness.request('/api/user/self', { method: 'DELETE', as: user });
  const { items } = await harness.world.database.stores.audits.list({ target: `user:${id}` }, { offset: 0, limit: 9 });
  assert.equal(
    items.map(({ actorId, action }) => [actorId, action]).reverse(),
    // The harness has issued the first token.
    ['access_token', 'self_update', 'access_token', 'self_delete'].map((act) => [id, `user.${act}`]),
  );
  const detail = items[2]?.detail ?? '';
  assert.match(detail, 'Lena');
  assert.not.match(detail, 'quite secret');
  assert.not.match(detail, /scrypt|argon2/);
});

own('announces each change of itself, so that every node forgets what it knew of it', async () => {
  const user = await harness.addUser();
  const setting = JSON.stringify({ notify_type: 'email', quota_warning_threshold: 5 });
  const told: [string, string | undefined][] = [];
  const stop = harness.world.bus.onChange((topic, _revision, detail) => void told.push([topic, detail]));
  try {
    for (const change of [
      () => put(user, { display_name: 'New' }),
      () => harness.request('/api/user/setting', { method: 'PUT', as: user, body: setting }),
      () => harness.request('/api/user/token', { method: 'POST', as: user }),
      () => harness.request('/api/user/self', { method: 'DELETE', as: user }),
    ]) {
      told.length = 0;
      await change();
      assert.equal(told, [['users', String(user.user.id)]], String(change));
    }
  } finally {
    stop();
  }
});

own('deletes itself by session only, and root never', async () => {
  const user = await harness.addUser();
  const byToken = await harness.request('/api/user/self', { method: 'DELETE', as: user, via: 'access-token' });
  assert.is((await byToken.json()).code, 'access_token_not_supported');
  const bySession = await harness.request('/api/user/self', { method: 'DELETE', as: user });
  assert.equal(await bySession.json(), { success: true, message: '', data: null });
  assert.equal([(await harness.request('/api/user/self', { as: user })).status], [401]);
  assert.is((await harness.request('/api/user/self', { as: user, via: 'access-token' })).status, 401);
  const rootAnswer = await harness.request('/api/user/self', { method: 'DELETE', as: root });
  assert.is((await rootAnswer.json()).code, 'user_root_protected');
});

own('keeps settings of the other kind, and clears the webhook secret with null only (V46)', async () => {
  const user = await harness.addUser({ setting: '{"future":1}' });
  const client = harness.client(user);
  const setting = async (): Promise<Record<string, unknown>> => JSON.parse((await client.account.get()).setting);
  await client.account.saveSetting({
    notify_type: 'webhook',
    quota_warning_threshold: 5,
    webhook_url: 'https://hooks.example/x',
    webhook_secret: 's3cret',
  });
  await client.account.saveSetting({
    notify_type: 'email',
    quota_warning_threshold: 6.5,
    notification_email: 'Me@Example.org',
  });
  assert.equal(await setting(), {
    future: 1,
    notify_type: 'email',
    quota_warning_threshold: 6.5,
    webhook_url: 'https://hooks.example/x',
    webhook_secret: 's3cret',
    notification_email: 'me@example.org',
  });
  const again = { notify_type: 'webhook', quota_warning_threshold: 5, webhook_url: 'https://hooks.example/x' };
  await client.account.saveSetting({ ...again, webhook_secret: '' });
  assert.is((await setting()).webhook_secret, 's3cret');
  await client.account.saveSetting({ ...again, webhook_secret: null });
  assert.not('webhook_secret' in (await setting()));
  // Cut short it would sign every notice with another secret than the receiver has.
  const long = { ...again, webhook_secret: 'x'.repeat(513) };
  await assertRefused(client.account.saveSetting(long), 'invalid_params');
  assert.not('webhook_secret' in (await setting()));
  await client.account.saveSetting({ ...again, webhook_secret: '😀'.repeat(256) });
  assert.is((await setting()).webhook_secret, '😀'.repeat(256));
  const saved = await harness.request('/api/user/setting', { method: 'PUT', as: user, body: JSON.stringify(again) });
  assert.is((await saved.json()).message, '设置已保存');
});

own('keeps what two saves of settings brought at the same moment', async () => {
  for (let round = 0; round < 10; round += 1) {
    const user = await harness.addUser();
    const { account } = harness.client(user);
    const common = { quota_warning_threshold: 5 };
    await Promise.all([
      account.saveSetting({ ...common, notify_type: 'webhook', webhook_url: 'https://hooks.example/x' }),
      account.saveSetting({ ...common, notify_type: 'email', notification_email: 'me@example.org' }),
    ]);
    const { webhook_url, notification_email } = JSON.parse((await account.get()).setting);
    assert.equal([webhook_url, notification_email], ['https://hooks.example/x', 'me@example.org']);
  }
});

const badSettings: [Record<string, unknown>, string][] = [
  [{ notify_type: 'pigeon' }, 'notify_type_invalid'],
  [{ quota_warning_threshold: 0 }, 'threshold_invalid'],
  [{ quota_warning_threshold: -1 }, 'threshold_invalid'],
  [{ quota_warning_threshold: 'x' }, 'threshold_invalid'],
  [{ notify_type: 'webhook', webhook_url: '' }, 'webhook_invalid'],
  [{ notify_type: 'webhook', webhook_url: 'ftp://x.example' }, 'webhook_invalid'],
  [{ notify_type: 'webhook', webhook_url: 'http://127.0.0.1/x' }, 'webhook_invalid'],
  [{ notification_email: 'not an address' }, 'email_invalid'],
];

own('refuses settings that could not work', async () => {
  const user = await harness.addUser();
  for (const [change, code] of badSettings) {
    const body = JSON.stringify({ notify_type: 'email', quota_warning_threshold: 1, ...change });
    const response = await harness.request('/api/user/setting', { method: 'PUT', as: user, body });
    assert.is((await response.json()).code, code, JSON.stringify(change));
  }
});

own('lists groups with description and ratio, for strangers those of the default group (K13)', async () => {
  const user = await harness.addUser({ group: 'vip' });
  const mine = await harness.client(user).account.groups();
  assert.ok(Object.values(mine).every(({ desc, ratio }) => typeof desc === 'string' && Number.isFinite(ratio)));
  assert.ok('vip' in mine);
  assert.ok('default' in (await harness.client().account.publicGroups()));
  // A group that was taken away has no ratio, also where every object has something of its name.
  const left = await harness.addUser({ group: 'constructor' });
  assert.not(Object.hasOwn(await harness.client(left).account.groups(), 'constructor'));
  assert.equal(await harness.client(user).account.models(), []);
  assert.equal((await harness.request('/api/user/available_models', { as: user }).then((r) => r.json())).data, []);
});

own('refuses a name that somebody else takes at the same moment', async () => {
  const rivals = await Promise.all([harness.addUser(), harness.addUser(), harness.addUser()]);
  const outcomes = await Promise.all(rivals.map((user) => put(user, { username: 'contested' })));
  assert.is(outcomes.filter(({ success }) => success).length, 1);
  await assertRefused(harness.client(rivals[0]).account.update({ username: 'root' }), 'username_taken');
});

own.run();

/** Client compatibility checklist K1 to K24 (management-api.md 9) and client case C42; each test names its entry. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { saying } from '../support/speaking-upstream.ts';
import { idHeaders, ids } from '../support/third-party-client.ts';
import { untilPasses } from '../support/until.ts';
import { membersOf, rowsOf } from './console-session.ts';

const clients = suite('third-party clients');

let daemon: TestDaemon;
let upstream: FakeUpstream;
let session: { cookie: string; id: number };
let token: string;

clients.before(async () => {
  upstream = await startFakeUpstream((request, index) =>
    request.url.endsWith('/models')
      ? jsonAnswer({ data: [{ id: 'm1' }, { id: 'm2' }] })
      : saying({ text: 'pong' })(request, index),
  );
  daemon = await startTestDaemon({
    options: {
      CheckInEnabled: 'true',
      CheckInQuota: '1000',
      QuotaForInviter: '500000',
      ServerAddress: 'https://tollgate.example',
    },
  });
  await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o,gpt-4o-mini', key: 'sk-of-the-channel' });
  await daemon.root.users.create({ username: 'client', password: 'a good password', quota: 5000 });
  const login = await fetch(`${daemon.url}/api/user/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'client', password: 'a good password' }),
  });
  const { data }: { data: { id: number } } = JSON.parse(await login.text());
  session = { cookie: (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '', id: data.id };
  const issued = await call('/api/user/token', { headers: ids(session.id, { Cookie: session.cookie }) });
  token = String(issued.body.data);
});

clients.after(async () => {
  await daemon.stop();
  await upstream.close();
});

function asUser(): Record<string, string> {
  return ids(session.id, { Authorization: `Bearer ${token}`, Pragma: 'no-cache', 'Content-Type': 'application/json' });
}

function asAdmin(): Record<string, string> {
  return { Authorization: `Bearer ${daemon.accessToken}`, 'Content-Type': 'application/json' };
}

async function call(
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }> {
  const response = await fetch(`${daemon.url}${path}`, { redirect: 'manual', ...init });
  assert.match(response.headers.get('content-type') ?? '', 'json', `K23: ${path}`);
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

async function post(path: string, body: unknown, method = 'POST') {
  return call(path, { method, headers: asUser(), body: JSON.stringify(body) });
}

/** The rows of a log page, as clients that add up income and spending read them. */
async function logRows(type: number): Promise<Record<string, unknown>[]> {
  const empty = 'token_name=&model_name=&start_timestamp=&end_timestamp=&group=';
  const { body } = await call(`/api/log/self?p=1&page_size=100&type=${type}&${empty}`, { headers: asUser() });
  const { items, total } = membersOf(body.data);
  assert.ok(Number.isFinite(total) && Number(total) >= 0);
  for (const row of rowsOf(items)) {
    for (const name of ['quota', 'prompt_tokens', 'completion_tokens', 'created_at']) {
      assert.ok(Number.isFinite(row[name]), `${name} of ${JSON.stringify(row)}`);
    }
  }
  return rowsOf(items);
}

clients('K1: read price, name and check-in switch of the site', async () => {
  const data = membersOf((await call('/api/status')).body.data);
  assert.ok(Number(data.price) > 0);
  assert.type(data.system_name, 'string');
  assert.type(data.checkin_enabled, 'boolean');
});

clients('K2: recognise the dialect by the header that a bare cookie misses', async () => {
  const { status, body } = await call('/api/user/self', { headers: { Cookie: session.cookie } });
  assert.is(status, 401);
  assert.match(String(body.message), 'Veloera-User');
  for (const name of [...idHeaders.slice(1), 'Tollgate-User']) assert.not.match(String(body.message), name);
});

clients('K3: read the account with token and headers', async () => {
  const data = membersOf((await call('/api/user/self', { headers: asUser() })).body.data);
  assert.equal([typeof data.id, data.username, data.quota, data.access_token], ['number', 'client', 5000, null]);
  assert.ok(String(data.group).length > 0);
});

clients('K4: get a token with cookie and header', () => {
  assert.match(token, /^[0-9A-Za-z]{32}$/);
});

clients('K5: ask whether they can check in, do, and read that it is done', async () => {
  const before = (await call('/api/user/check_in_status', { headers: asUser() })).body.data;
  assert.is(membersOf(before).can_check_in, true);
  assert.is((await post('/api/user/check_in', {})).body.success, true);
  const again = await post('/api/user/check_in', {});
  assert.equal([again.status, again.body.success], [200, false]);
  assert.match(String(again.body.message), '已经签到');
  const english = await fetch(`${daemon.url}/api/user/check_in?lang=en`, { method: 'POST', headers: asUser() });
  assert.match(JSON.parse(await english.text()).message, 'already');
});

clients('K6: check in by the other dialect', async () => {
  const month = new Date().toISOString().slice(0, 7);
  const data = membersOf((await call(`/api/user/checkin?month=${month}`, { headers: asUser() })).body.data);
  assert.equal([data.enabled, data.min_quota], [true, 1000]);
  const stats = membersOf(data.stats);
  const { checked_in_today, checkin_count, total_checkins, total_quota } = stats;
  assert.equal([checked_in_today, checkin_count, total_checkins, total_quota], [true, 1, 1, 1000]);
  const [record] = rowsOf(stats.records);
  assert.match(String(record?.checkin_date), /^\d{4}-\d\d-\d\d$/);
  assert.is(record?.quota_awarded, 1000);
  const again = await post('/api/user/checkin', {});
  assert.equal([again.body.success, again.body.code], [false, 'checkin_done']);
});

clients('K7, K8: page through their log from 1, and add up what came in', async () => {
  assert.equal(await logRows(2), []);
  const made = await post('/api/token/', { name: 'k7', expired_time: -1, unlimited_quota: true });
  const asked = { model: 'gpt-4o', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
  const headers = { Authorization: `Bearer ${membersOf(made.body.data).key}`, 'Content-Type': 'application/json' };
  await call('/v1/chat/completions', { method: 'POST', headers, body: JSON.stringify(asked) });
  await untilPasses(async () => {
    const [spent] = await logRows(2);
    assert.equal([spent?.prompt_tokens, spent?.completion_tokens], [12, 5]);
    assert.ok(Number(spent?.quota) > 0);
  });
  await post(`/api/token/${membersOf(made.body.data).id}`, {}, 'DELETE');
  const [code] = await daemon.root.redemptions.create({ name: 'k8', quota: 250_000, count: 1 });
  await post('/api/user/topup', { key: code });
  const [income] = await logRows(1);
  assert.is(income?.quota, 250_000);
  assert.match(String(income?.content), /\$0\.5/);
  const { data: invite } = (await call('/api/user/aff', { headers: asUser() })).body;
  await post('/api/user/register', { username: 'friend', password: 'a good password', aff_code: invite });
  const transfer = await post('/api/user/aff_transfer', { quota: 500_000 });
  assert.is(transfer.body.success, true, String(transfer.body.message));
  // What a friend's sign-up earns is no income before it is moved to the balance.
  assert.equal(
    (await logRows(4)).map(({ quota, content }) => [quota, /\$1\.0/.test(String(content))]),
    [
      [500_000, true],
      [0, true],
    ],
  );
});

clients('K9: read the sum of their log', async () => {
  const path = '/api/log/self/stat?type=2&token_name=&model_name=&start_timestamp=&end_timestamp=&group=';
  const { quota } = membersOf((await call(path, { headers: asUser() })).body.data);
  assert.ok(Number.isFinite(quota));
});

clients('K10: page through keys from 0 at the size they ask for', async () => {
  for (const name of ['one', 'two', 'three']) {
    const body = {
      name,
      remain_quota: 500,
      expired_time: -1,
      unlimited_quota: false,
      model_limits_enabled: false,
      model_limits: '',
      allow_ips: '',
      group: '',
    };
    const made = await call('/api/token/', { method: 'POST', headers: asUser(), body: JSON.stringify(body) });
    assert.is(made.body.success, true, JSON.stringify(made.body));
  }
  const first = (await call('/api/token/?p=0&size=2', { headers: asUser() })).body.data;
  const second = (await call('/api/token/?p=1&size=2', { headers: asUser() })).body.data;
  assert.ok(Array.isArray(first) && Array.isArray(second));
  assert.equal([first.length, second.length], [2, 1]);
  const pages = ['p=0&size=100', 'p=1&size=100'].map((page) => call(`/api/token/?${page}`, { headers: asUser() }));
  assert.equal(
    (await Promise.all(pages)).map(({ body }) => rowsOf(body.data).length),
    [3, 0],
  );
  assert.match(first[0].key, /^[0-9A-Za-z]{48}$/);
  assert.is(new Set([...first, ...second].map(({ id }) => id)).size, 3);
  for (const { id, key } of [...first, ...second]) {
    assert.ok(Number.isInteger(id) && id > 0);
    assert.match(key, /^[0-9A-Za-z]{48}$/);
  }
});

clients('K11: read, change and delete one key, never that of another', async () => {
  const rows = rowsOf((await call('/api/token/?p=0&size=100', { headers: asUser() })).body.data);
  const id = Number(rows[0]?.id);
  assert.is((await call(`/api/token/${id}`, { headers: asUser() })).body.success, true);
  const changed = await post('/api/token/', { ...rows[0], name: 'changed' }, 'PUT');
  assert.equal([changed.body.success, membersOf(changed.body.data).name], [true, 'changed']);
  const limits = { remain_quota: 700, expired_time: -1, unlimited_quota: false, allow_ips: '', group: '' };
  const fields = { name: 'limited', ...limits, model_limits_enabled: true, model_limits: 'gpt-4o' };
  assert.is((await post('/api/token/', { id, ...fields }, 'PUT')).body.success, true);
  const read = membersOf((await call(`/api/token/${id}`, { headers: asUser() })).body.data);
  assert.equal({ ...read, ...fields }, read);
  const foreign = await call(`/api/token/${id}`, { headers: asAdmin() });
  assert.equal([foreign.status, foreign.body.code], [200, 'token_not_found']);
  assert.is((await call(`/api/token/${id}/`, { method: 'DELETE', headers: asUser() })).body.success, true);
});

clients('K12: fetch one key', async () => {
  const rows = (await call('/api/token/?p=0&size=1', { headers: asUser() })).body.data;
  assert.ok(Array.isArray(rows));
  const revealed = await call(`/api/token/${rows[0].id}/key`, { method: 'POST', headers: asUser() });
  assert.is(membersOf(revealed.body.data).key, rows[0].key);
});

clients('K13: list models, own groups and all groups', async () => {
  const models = (await call('/api/user/models', { headers: asUser() })).body.data;
  assert.equal(models, ['gpt-4o', 'gpt-4o-mini']);
  const own = Object.values(membersOf((await call('/api/user/self/groups', { headers: asUser() })).body.data));
  assert.ok(own.length > 0);
  for (const group of own) assert.equal(Object.keys(membersOf(group)).sort(), ['desc', 'ratio']);
  const groups = (await call('/api/group', { headers: asAdmin() })).body.data;
  assert.ok(Array.isArray(groups) && groups[0] === 'default');
});

clients('K14: read prices without a message', async () => {
  const { body } = await call('/api/pricing', { headers: asUser() });
  assert.not('message' in body);
  assert.is(body.success, true);
  const priced = rowsOf(body.data);
  assert.is(priced.find((row) => row.model_name === 'gpt-4o')?.cache_ratio, 0.5);
  membersOf(body.group_ratio);
  membersOf(body.usable_group);
});

clients('K15: redeem a code of 32 hexadecimal digits', async () => {
  const [code = ''] = await daemon.root.redemptions.create({ name: 'k15', quota: 100, count: 1 });
  assert.match(code, /^[0-9a-f]{32}$/);
  const { body } = await post('/api/user/topup', { key: code });
  assert.equal([body.success, body.data], [true, { quota: 100, is_gift: false }]);
});

clients('K16: get the code of the invite link', async () => {
  const { data } = (await call('/api/user/aff', { headers: asUser() })).body;
  assert.match(String(data), /^[0-9A-Za-z]+$/);
});

clients('K17: read the notice', async () => {
  assert.type((await call('/api/notice')).body.data, 'string');
});

clients('K18: list, search, read, make, change and delete channels, without a redirect', async () => {
  for (const path of ['/api/channel/?p=0&page_size=100', '/api/channel/search?keyword=']) {
    assert.ok(Array.isArray((await call(path, { headers: asAdmin() })).body.data), path);
  }
  const body = {
    name: 'made',
    type: 1,
    key: 'sk-made',
    models: 'm1,m2',
    group: 'default',
    base_url: upstream.url,
  };
  const made = await call('/api/channel', { method: 'POST', headers: asAdmin(), body: JSON.stringify(body) });
  assert.equal([made.status, made.body.success], [200, true]);
  const id = Number(membersOf(made.body.data).id);
  const before = membersOf((await call(`/api/channel/${id}`, { headers: asAdmin() })).body.data);
  assert.is(before.key, 'sk-made');
  const change = { id, models: 'm3', model_mapping: '{"m3":"m1"}' };
  const changed = await call('/api/channel', { method: 'PUT', headers: asAdmin(), body: JSON.stringify(change) });
  assert.is(changed.body.success, true);
  const after = membersOf((await call(`/api/channel/${id}`, { headers: asAdmin() })).body.data);
  assert.equal({ ...after, ...change }, { ...before, ...change });
  await call('/api/channel', { method: 'PUT', headers: asAdmin(), body: JSON.stringify({ id, models: 'm4' }) });
  const last = membersOf((await call(`/api/channel/${id}`, { headers: asAdmin() })).body.data);
  assert.equal(last, { ...after, models: 'm4' });
  assert.equal((await call(`/api/channel/fetch_models/${id}`, { headers: asAdmin() })).body.data, ['m1', 'm2']);
  assert.is((await call(`/api/channel/${id}`, { method: 'DELETE', headers: asAdmin() })).body.success, true);
});

clients('K19: read limits and use of a relay key', async () => {
  const key = await daemon.addKey({ unlimited_quota: true });
  const headers = { Authorization: `Bearer ${key}` };
  const usage = await call('/api/usage/token/', { headers });
  assert.equal([usage.body.code, usage.body.message], [true, 'ok']);
  const { object, unlimited_quota, expires_at, model_limits } = membersOf(usage.body.data);
  assert.equal([object, unlimited_quota, expires_at, model_limits], ['token_usage', true, 0, {}]);
  const { body } = await call('/v1/dashboard/billing/subscription', { headers });
  const limits = ['soft_limit_usd', 'hard_limit_usd', 'system_hard_limit_usd'].map((name) => body[name]);
  assert.equal([body.object, body.has_payment_method, ...limits], ['billing_subscription', true, 1e8, 1e8, 1e8]);
  const span = 'start_date=2026-01-01&end_date=2026-12-31';
  const used = await call(`/v1/dashboard/billing/usage?${span}`, { headers });
  assert.equal(used.body, { object: 'list', total_usage: 0 });
});

clients('K20: read why a 403 is one', async () => {
  const { status, body } = await call('/api/channel/', { headers: asUser() });
  assert.equal([status, body.success, typeof body.message], [403, false, 'string']);
});

clients('K21: read when to come back after a 429', async () => {
  const limited = await startTestDaemon({
    config: { 'limits.critical.enabled': true, 'limits.critical.count': 5, 'limits.critical.seconds': 600 },
  });
  try {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ username: 'root', password: 'x' });
    const attempt = () => fetch(`${limited.url}/api/user/login`, { method: 'POST', headers, body });
    let response = await attempt();
    for (let tries = 0; response.status === 200 && tries < 5; tries += 1) response = await attempt();
    const answer: Record<string, unknown> = JSON.parse(await response.text());
    assert.equal([response.status, answer.success, answer.code], [429, false, 'too_many_requests']);
    const wait = Number(response.headers.get('retry-after'));
    assert.ok(wait > 0 && wait <= 600, `Retry-After ${wait}`);
    assert.match(String(answer.message), String(wait));
  } finally {
    await limited.stop();
  }
});

clients('K22: are not taken for another product', async () => {
  const first = await call('/api/v1/auth/me', { headers: asUser() });
  assert.equal([first.status, typeof first.body.code], [404, 'undefined']);
  const second = await call('/api/user/info', { headers: asUser() });
  assert.is.not(second.status, 200);
  assert.is.not(typeof second.body.code, 'number');
});

clients('K23: get JSON for every answer, refusals and unknown paths included', async () => {
  // `call` looks at the content type of every answer.
  for (const path of [
    '/api/status',
    '/api/user/self',
    '/api/nothing/here',
    '/api/channel/',
    '/api/token/0',
    '/api/pricing',
  ]) {
    await call(path);
  }
  assert.is((await call('/api/status', { method: 'DELETE' })).status, 405);
  assert.is((await call('/api/user/login', { method: 'POST', body: '{' })).status, 400);
});

clients('K24: find numeric id and name in the payload of a sign-in, which the console keeps', async () => {
  const answer = await call('/api/user/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'client', password: 'a good password' }),
  });
  const { id, username } = membersOf(answer.body.data);
  assert.equal([id, username], [session.id, 'client']);
});

clients('C42: read what they made in the answer to its making, in the envelope that every answer has', async () => {
  const key = { name: 'of a script', unlimited_quota: true, expired_time: -1 };
  const making: [path: string, headers: Record<string, string>, body: Record<string, unknown>][] = [
    ['/api/token/', asUser(), key],
    ['/api/channel/', asAdmin(), { name: 'of a script', type: 1, key: 'sk-s', models: 'm1', group: 'default' }],
    ['/api/user/', asAdmin(), { username: 'ofascript', password: 'a good password' }],
  ];
  for (const [path, headers, body] of making) {
    const made = await call(path, { method: 'POST', headers, body: JSON.stringify(body) });
    assert.equal([Object.keys(made.body).sort(), made.body.success], [['data', 'message', 'success'], true], path);
    const { id, name, username } = membersOf(made.body.data);
    assert.equal([Number.isInteger(id), name ?? username], [true, body.name ?? body.username], path);
    const read = await call(`${path}${id}`, { headers });
    assert.equal([Object.keys(read.body).sort(), membersOf(read.body.data).id], [['data', 'message', 'success'], id]);
    const refused = await call(path, { method: 'POST', headers, body: '{}' });
    assert.equal([refused.body.success, typeof refused.body.message], [false, 'string'], path);
    assert.ok(String(refused.body.message).length > 0);
  }
});

clients('C9: warm up with HEAD', async () => {
  const response = await fetch(`${daemon.url}/api/hello`, { method: 'HEAD' });
  assert.is(response.status, 200);
});

clients.run();

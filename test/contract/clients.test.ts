/** Client compatibility checklist (management-api.md 9), as far as the calls exist; each test names its entry. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';

const clients = suite('third-party clients');

let daemon: TestDaemon;
let session: { cookie: string; id: number };
let token: string;

/** As the client sends it: JSON, no caching, the id under all names at once. */
const allIds = [
  'Veloera-User',
  'New-Api-User',
  'X-Api-User',
  'voapi-user',
  'User-id',
  'Rix-Api-User',
  'neo-api-user',
  'X-ModelFlare-User',
];

clients.before(async () => {
  daemon = await startTestDaemon();
  await daemon.addChannel({ base_url: 'http://127.0.0.1:9', models: 'gpt-4o,gpt-4o-mini', key: 'sk-of-the-channel' });
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

clients.after(() => daemon.stop());

function ids(id: number, more: Record<string, string> = {}): Record<string, string> {
  return { ...Object.fromEntries(allIds.map((name) => [name, String(id)])), ...more };
}

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

function membersOf(value: unknown): Record<string, unknown> {
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), JSON.stringify(value));
  return { ...value };
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
  for (const name of [...allIds.slice(1), 'Tollgate-User']) assert.not.match(String(body.message), name);
});

clients('K3: read the account with token and headers', async () => {
  const data = membersOf((await call('/api/user/self', { headers: asUser() })).body.data);
  assert.equal([typeof data.id, data.username, data.quota, data.access_token], ['number', 'client', 5000, null]);
  assert.ok(String(data.group).length > 0);
});

clients('K4: get a token with cookie and header', () => {
  assert.match(token, /^[0-9A-Za-z]{32}$/);
});

clients('K10, K11: page through keys from 0 at the size they ask for, and make one', async () => {
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
  assert.match(first[0].key, /^[0-9A-Za-z]{48}$/);
  assert.is(new Set([...first, ...second].map(({ id }) => id)).size, 3);
  const { id } = first[0];
  assert.is((await call(`/api/token/${id}`, { headers: asUser() })).body.success, true);
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
  for (const group of Object.values(
    membersOf((await call('/api/user/self/groups', { headers: asUser() })).body.data),
  )) {
    assert.equal(Object.keys(membersOf(group)).sort(), ['desc', 'ratio']);
  }
  const groups = (await call('/api/group', { headers: asAdmin() })).body.data;
  assert.ok(Array.isArray(groups) && groups[0] === 'default');
});

clients('K14: read prices without a message', async () => {
  const { body } = await call('/api/pricing', { headers: asUser() });
  assert.not('message' in body);
  assert.is(body.success, true);
  assert.ok(Array.isArray(body.data));
  membersOf(body.group_ratio);
  membersOf(body.usable_group);
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
    base_url: 'http://127.0.0.1:9',
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
  assert.is((await call(`/api/channel/${id}`, { method: 'DELETE', headers: asAdmin() })).body.success, true);
});

clients('K20: read why a 403 is one', async () => {
  const { status, body } = await call('/api/channel/', { headers: asUser() });
  assert.equal([status, body.success, typeof body.message], [403, false, 'string']);
});

clients('K22: are not taken for another product', async () => {
  const first = await call('/api/v1/auth/me', { headers: asUser() });
  assert.equal([first.status, typeof first.body.code], [404, 'undefined']);
  const second = await call('/api/user/info', { headers: asUser() });
  assert.is.not(second.status, 200);
  assert.is.not(typeof second.body.code, 'number');
});

clients('C9: warm up with HEAD', async () => {
  const response = await fetch(`${daemon.url}/api/hello`, { method: 'HEAD' });
  assert.is(response.status, 200);
});

clients.run();

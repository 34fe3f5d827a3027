import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../../../../support/daemon.ts';

/** The shapes that existing clients of this API family rely on, on the wire. */
const wire = suite<{ daemon: TestDaemon }>('http/routes/management (channels, keys, options, logs, prices)');

wire.before(async (context) => {
  context.daemon = await startTestDaemon();
});
wire.after(({ daemon }) => daemon.stop());

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a wire answer is whatever came
  body: any;
}

async function call(daemon: TestDaemon, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(daemon.url + path, {
    method,
    headers: { authorization: `Bearer ${daemon.accessToken}`, 'content-type': 'application/json' },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const flat = { type: 1, name: 'wire', key: 'sk-wire', models: 'gpt-4o', group: 'default' };

wire('answers channel lists with a bare array and the totals beside it, pages from 0', async ({ daemon }) => {
  for (const name of ['one', 'two', 'three']) await call(daemon, 'POST', '/api/channel', { ...flat, name });
  const first = await call(daemon, 'GET', '/api/channel/?p=0&page_size=2');
  assert.ok(Array.isArray(first.body.data));
  assert.equal([first.body.data.length, first.body.total, first.body.page, first.body.page_size], [2, 3, 0, 2]);
  assert.equal(first.body.type_counts, { 1: 3 });
  const second = await call(daemon, 'GET', '/api/channel?p=1&page_size=2&id_sort=true');
  assert.is(second.body.data.length, 1);
  assert.ok(first.body.data.every((row: { key: string }) => row.key === ''));
});

wire('shows the key in the detail, and changes nothing else by a partial PUT', async ({ daemon }) => {
  const created = await call(daemon, 'POST', '/api/channel/', { ...flat, tag: 'keep', priority: '7' });
  const { id } = created.body.data;
  assert.equal([created.body.success, created.body.data.key, created.body.data.priority], [true, '', 7]);
  const detail = await call(daemon, 'GET', `/api/channel/${id}`);
  assert.is(detail.body.data.key, 'sk-wire');
  const changed = await call(daemon, 'PUT', '/api/channel', { id, models: 'gpt-4o,o3' });
  assert.equal({ ...detail.body.data, key: '', models: 'gpt-4o,o3' }, changed.body.data);
  assert.equal((await call(daemon, 'POST', `/api/channel/${id}/key`)).body.data, { key: 'sk-wire' });
  const gone = await call(daemon, 'DELETE', `/api/channel/${id}/`);
  assert.equal([gone.body.success, gone.body.data], [true, null]);
  assert.is((await call(daemon, 'GET', `/api/channel/${id}`)).body.code, 'channel_not_found');
});

wire('takes the dialect with mode and channel, and answers a batch with its ids', async ({ daemon }) => {
  const body = { mode: 'batch', channel: { ...flat, key: 'a\nb' }, groups: ['default', 'vip'] };
  const { body: answer } = await call(daemon, 'POST', '/api/channel', body);
  assert.is(answer.data.ids.length, 2);
  assert.equal(
    answer.data.items.map((row: { group: string }) => row.group),
    ['default,vip', 'default,vip'],
  );
  assert.is((await call(daemon, 'POST', '/api/channel/batch', { ids: answer.data.ids })).body.data, 2);
});

wire('refuses with a code, a message and 200', async ({ daemon }) => {
  const refused = await call(daemon, 'POST', '/api/channel', { ...flat, type: 50 });
  assert.equal([refused.status, refused.body.success, refused.body.code], [200, false, 'channel_type_unknown']);
  assert.type(refused.body.message, 'string');
});

wire('answers ids that no row can have with a refusal, not a failure', async ({ daemon }) => {
  for (const path of ['/api/channel/9999999999999999', '/api/token/9999999999999999']) {
    const { status, body } = await call(daemon, 'GET', path);
    assert.equal([status, body.success], [200, false], path);
  }
  assert.is((await call(daemon, 'GET', '/api/log/?type=9999999999&channel=9999999999')).body.success, true);
  assert.is((await call(daemon, 'GET', '/api/channel/?type=9999999999')).body.success, true);
});

wire('lists keys unmasked in a bare array and accepts the bodies of known clients', async ({ daemon }) => {
  const body = {
    name: 'client',
    remain_quota: 500000,
    expired_time: -1,
    unlimited_quota: true,
    model_limits_enabled: false,
    model_limits: '',
    allow_ips: '',
    group: '',
  };
  const made = await call(daemon, 'POST', '/api/token', body);
  assert.match(made.body.data.key, /^[0-9A-Za-z]{48}$/);
  const { id } = made.body.data;
  const list = await call(daemon, 'GET', '/api/token/?p=0&size=100');
  assert.ok(Array.isArray(list.body.data));
  assert.is(list.body.data[0].key, made.body.data.key);
  assert.equal([list.body.page, list.body.page_size, list.body.total], [0, 100, 1]);
  assert.is((await call(daemon, 'POST', `/api/token/${id}/key`)).body.data.key, made.body.data.key);
  const status = await call(daemon, 'PUT', '/api/token/?status_only=true', { id, status: 2, name: 'ignored' });
  assert.equal([status.body.data.status, status.body.data.name], [2, 'client']);
  const found = await call(daemon, 'GET', `/api/token/search?keyword=clie&token=sk-${made.body.data.key}`);
  assert.is(found.body.data.length, 1);
  assert.is((await call(daemon, 'DELETE', `/api/token/${id}`)).body.success, true);
});

wire('lists options as text, secrets blank, and warns in the message', async ({ daemon }) => {
  await call(daemon, 'PUT', '/api/option', { key: 'SMTPToken', value: 'mail secret' });
  const { body } = await call(daemon, 'GET', '/api/option/');
  const secret = body.data.find((row: { key: string }) => row.key === 'SMTPToken');
  assert.equal(secret, { key: 'SMTPToken', value: '', set: true });
  assert.not.match(JSON.stringify(body), /mail secret/);
  const saved = await call(daemon, 'PUT', '/api/option/', { key: 'RetryTimes', value: 2 });
  assert.equal(saved.body, { success: true, message: '', data: null });
  const warned = await call(daemon, 'PUT', '/api/option/?lang=en', { key: 'EmailVerificationEnabled', value: true });
  assert.match(warned.body.message, /SMTP/);
  await call(daemon, 'PUT', '/api/option/', { key: 'EmailVerificationEnabled', value: 'false' });
  const reset = await call(daemon, 'POST', '/api/option/rest_model_ratio');
  assert.ok(reset.body.success && reset.body.message !== '');
});

wire('pages logs from 1 with items and total, and ignores emptied filters', async ({ daemon }) => {
  const query = 'p=1&page_size=100&type=2&token_name=&model_name=&start_timestamp=NaN&end_timestamp=&group=';
  for (const path of [`/api/log/self?${query}`, `/api/log/?${query}&username=&channel=`]) {
    const { body } = await call(daemon, 'GET', path);
    assert.ok(Array.isArray(body.data.items), path);
    assert.equal([body.data.total, body.data.page, body.data.page_size], [0, 1, 100]);
  }
  const { body } = await call(daemon, 'GET', '/api/log/self/stat?type=0');
  assert.equal(body.data, { quota: 0, rpm: 0, tpm: 0, prompt_tokens: 0, completion_tokens: 0 });
  assert.is((await call(daemon, 'DELETE', '/api/log/?target_timestamp=0')).body.code, 'log_cutoff');
});

wire('answers prices without a message, to strangers for group default alone', async ({ daemon }) => {
  await call(daemon, 'POST', '/api/channel', { ...flat, models: 'gpt-4o,dall-e-3', group: 'default,svip' });
  const response = await fetch(`${daemon.url}/api/pricing`);
  const body = await response.json();
  assert.equal(Object.keys(body).sort(), ['data', 'group_ratio', 'success', 'usable_group']);
  assert.equal([body.group_ratio, Object.keys(body.usable_group)], [{ default: 1 }, ['default']]);
  const byName = new Map(body.data.map((row: { model_name: string }) => [row.model_name, row]));
  const chat = byName.get('gpt-4o');
  assert.equal(
    { ...(typeof chat === 'object' ? chat : {}), owner_by: '' },
    {
      model_name: 'gpt-4o',
      quota_type: 0,
      model_ratio: 1.25,
      model_price: 0,
      completion_ratio: 4,
      owner_by: '',
      enable_groups: ['default'],
      cache_ratio: 0.5,
      create_cache_ratio: 1.25,
    },
  );
  assert.is(JSON.stringify(byName.get('dall-e-3')).includes('"quota_type":1'), true);
  assert.is((await call(daemon, 'GET', '/api/ratio_config')).status, 403);
});

wire('lists groups, built-in models and enabled models', async ({ daemon }) => {
  assert.equal((await call(daemon, 'GET', '/api/group')).body.data, ['default', 'svip', 'vip']);
  assert.ok(Array.isArray((await call(daemon, 'GET', '/api/models')).body.data['1']));
  const models = (await call(daemon, 'GET', '/api/channel/models')).body.data;
  assert.ok(models.length > 0 && models.every((model: { id: string; root: string }) => model.id === model.root));
  assert.ok((await call(daemon, 'GET', '/api/channel/models_enabled')).body.data.includes('gpt-4o'));
});

wire('lets the owner of a key read its log with the key alone', async ({ daemon }) => {
  const key = await daemon.addKey();
  const response = await fetch(`${daemon.url}/api/log/token`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(await response.json(), { success: true, message: '', data: [] });
  assert.is((await fetch(`${daemon.url}/api/log/token?key=${key}`)).status, 401);
  assert.equal((await call(daemon, 'GET', `/api/log/token?key=${key}`)).body.data, []);
  await daemon.root.users.create({ username: 'other', password: 'another password' });
  const login = await fetch(`${daemon.url}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'other', password: 'another password' }),
  });
  const { data } = await login.json();
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  const foreign = await fetch(`${daemon.url}/api/log/token?key=${key}`, {
    headers: { cookie, 'tollgate-user': String(data.id) },
  });
  assert.is((await foreign.json()).code, 'token_not_found');
});

wire.run();

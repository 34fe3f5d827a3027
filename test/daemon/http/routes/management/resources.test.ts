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
  body: unknown;
}

/** The member at a dotted path of a wire answer. */
function at(value: unknown, path: string): unknown {
  let member = value;
  for (const name of path.split('.')) {
    member = typeof member === 'object' && member !== null ? Reflect.get(member, name) : undefined;
  }
  return member;
}

/** The list at a dotted path; anything else fails the test. */
function list(value: unknown, path: string): unknown[] {
  const found = at(value, path);
  assert.ok(Array.isArray(found), path);
  return Array.isArray(found) ? found : [];
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
  const { body } = await call(daemon, 'GET', '/api/channel/?p=0&page_size=2');
  const rows = list(body, 'data');
  assert.equal([rows.length, at(body, 'total'), at(body, 'page'), at(body, 'page_size')], [2, 3, 0, 2]);
  assert.equal(at(body, 'type_counts'), { 1: 3 });
  assert.ok(rows.every((row) => at(row, 'key') === ''));
  const second = await call(daemon, 'GET', '/api/channel?p=1&page_size=2&id_sort=true');
  assert.is(list(second.body, 'data').length, 1);
});

wire('shows the key in the detail, and changes nothing else by a partial PUT', async ({ daemon }) => {
  const created = await call(daemon, 'POST', '/api/channel/', { ...flat, tag: 'keep', priority: '7' });
  const id = at(created.body, 'data.id');
  assert.equal([at(created.body, 'data.key'), at(created.body, 'data.priority')], ['', 7]);
  const detail = at((await call(daemon, 'GET', `/api/channel/${id}`)).body, 'data');
  assert.is(at(detail, 'key'), 'sk-wire');
  const changed = await call(daemon, 'PUT', '/api/channel', { id, models: 'gpt-4o,o3' });
  assert.equal(at(changed.body, 'data'), Object.assign({}, detail, { key: '', models: 'gpt-4o,o3' }));
  assert.equal(at((await call(daemon, 'POST', `/api/channel/${id}/key`)).body, 'data'), { key: 'sk-wire' });
  const gone = await call(daemon, 'DELETE', `/api/channel/${id}/`);
  assert.equal(gone.body, { success: true, message: '', data: null });
  assert.is(at((await call(daemon, 'GET', `/api/channel/${id}`)).body, 'code'), 'channel_not_found');
});

wire('takes the dialect with mode and channel, and answers a batch with its ids', async ({ daemon }) => {
  const batch = { mode: 'batch', channel: { ...flat, key: 'a\nb' }, groups: ['default', 'vip'] };
  const { body } = await call(daemon, 'POST', '/api/channel', batch);
  const ids = list(body, 'data.ids');
  assert.is(ids.length, 2);
  assert.equal(
    list(body, 'data.items').map((row) => at(row, 'group')),
    ['default,vip', 'default,vip'],
  );
  assert.is(at((await call(daemon, 'POST', '/api/channel/batch', { ids })).body, 'data'), 2);
});

wire('refuses with a code, a message and 200', async ({ daemon }) => {
  const { status, body } = await call(daemon, 'POST', '/api/channel', { ...flat, type: 50 });
  assert.equal([status, at(body, 'success'), at(body, 'code')], [200, false, 'channel_type_unknown']);
  assert.type(at(body, 'message'), 'string');
});

wire('finds nothing under ids that no row can have', async ({ daemon }) => {
  for (const id of [2_147_483_648, 9_007_199_254_740_991]) {
    for (const resource of ['user', 'channel', 'token', 'redemption']) {
      for (const method of ['GET', 'DELETE']) {
        const { status, body } = await call(daemon, method, `/api/${resource}/${id}`);
        assert.equal([status, at(body, 'code')], [200, `${resource}_not_found`], `${method} ${resource} ${id}`);
      }
    }
    const { body } = await call(daemon, 'POST', '/api/channel/batch', { ids: [id] });
    assert.is(at(body, 'data'), 0);
  }
  for (const path of ['/api/log/?type=9999999999&channel=9999999999', '/api/channel/?type=9999999999']) {
    assert.is(at((await call(daemon, 'GET', path)).body, 'success'), true);
  }
});

wire(
  'refuses numbers of a filter that cannot be exact, and takes what is no number for no filter',
  async ({ daemon }) => {
    for (const query of [
      'channel=9007199254740993',
      'type=-9007199254740993',
      'start_timestamp=99999999999999999999',
    ]) {
      const { status, body } = await call(daemon, 'GET', `/api/log/?${query}`);
      assert.equal([status, at(body, 'code')], [200, 'invalid_params'], query);
    }
    for (const query of ['channel=', 'start_timestamp=NaN', 'end_timestamp=1e400']) {
      assert.is(at((await call(daemon, 'GET', `/api/log/?${query}`)).body, 'success'), true, query);
    }
  },
);

wire('lists keys unmasked in a bare array and accepts the bodies of known clients', async ({ daemon }) => {
  const asked = {
    name: 'client',
    remain_quota: 500000,
    expired_time: -1,
    unlimited_quota: true,
    model_limits_enabled: false,
    model_limits: '',
    allow_ips: '',
    group: '',
  };
  const made = at((await call(daemon, 'POST', '/api/token', asked)).body, 'data');
  const key = String(at(made, 'key'));
  const id = at(made, 'id');
  assert.match(key, /^[0-9A-Za-z]{48}$/);
  const { body } = await call(daemon, 'GET', '/api/token/?p=0&size=100');
  assert.is(at(list(body, 'data')[0], 'key'), key);
  assert.equal([at(body, 'page'), at(body, 'page_size'), at(body, 'total')], [0, 100, 1]);
  assert.is(at((await call(daemon, 'POST', `/api/token/${id}/key`)).body, 'data.key'), key);
  const status = await call(daemon, 'PUT', '/api/token/?status_only=true', { id, status: 2, name: 'ignored' });
  assert.equal([at(status.body, 'data.status'), at(status.body, 'data.name')], [2, 'client']);
  const found = await call(daemon, 'GET', `/api/token/search?keyword=clie&token=sk-${key}`);
  assert.is(list(found.body, 'data').length, 1);
  assert.is(at((await call(daemon, 'DELETE', `/api/token/${id}`)).body, 'success'), true);
});

wire('lists options as text, secrets blank, and warns in the message', async ({ daemon }) => {
  await call(daemon, 'PUT', '/api/option', { key: 'SMTPToken', value: 'mail secret' });
  const { body } = await call(daemon, 'GET', '/api/option/');
  const secret = list(body, 'data').find((row) => at(row, 'key') === 'SMTPToken');
  assert.equal(secret, {
    key: 'SMTPToken',
    value: '',
    set: true,
    default: '',
    changed: true,
    class: 'root',
    section: 'mail',
    updated_at: at(secret, 'updated_at'),
    updated_by: at(secret, 'updated_by'),
  });
  assert.ok(Number(at(secret, 'updated_at')) > 0);
  assert.not.match(JSON.stringify(body), /mail secret/);
  const saved = await call(daemon, 'PUT', '/api/option/', { key: 'RetryTimes', value: 2 });
  assert.equal(saved.body, { success: true, message: '', data: null });
  const warned = await call(daemon, 'PUT', '/api/option/?lang=en', { key: 'EmailVerificationEnabled', value: true });
  assert.match(String(at(warned.body, 'message')), /SMTP/);
  await call(daemon, 'PUT', '/api/option/', { key: 'EmailVerificationEnabled', value: 'false' });
  const reset = await call(daemon, 'POST', '/api/option/rest_model_ratio');
  assert.ok(at(reset.body, 'success') === true && at(reset.body, 'message') !== '');
});

wire('pages logs from 1 with items and total, and ignores emptied filters', async ({ daemon }) => {
  const query = 'p=1&page_size=100&type=2&token_name=&model_name=&start_timestamp=NaN&end_timestamp=&group=';
  for (const path of [`/api/log/self?${query}`, `/api/log/?${query}&username=&channel=`]) {
    const { body } = await call(daemon, 'GET', path);
    assert.equal(at(body, 'data'), { items: [], total: 0, page: 1, page_size: 100 }, path);
  }
  const { body } = await call(daemon, 'GET', '/api/log/self/stat?type=0');
  assert.equal(at(body, 'data'), { quota: 0, rpm: 0, tpm: 0, prompt_tokens: 0, completion_tokens: 0 });
  assert.is(at((await call(daemon, 'DELETE', '/api/log/?target_timestamp=0')).body, 'code'), 'log_cutoff');
});

wire('answers prices without a message, to strangers for group default alone', async ({ daemon }) => {
  await call(daemon, 'POST', '/api/channel', { ...flat, models: 'gpt-4o,dall-e-3', group: 'default,svip' });
  const body: unknown = await (await fetch(`${daemon.url}/api/pricing`)).json();
  assert.equal(Object.keys(Object(body)).sort(), ['data', 'group_ratio', 'success', 'usable_group']);
  assert.equal(at(body, 'group_ratio'), { default: 1 });
  assert.equal(Object.keys(Object(at(body, 'usable_group'))), ['default']);
  const row = (name: string) => list(body, 'data').find((price) => at(price, 'model_name') === name);
  assert.equal(row('gpt-4o'), {
    model_name: 'gpt-4o',
    quota_type: 0,
    model_ratio: 1.25,
    model_price: 0,
    completion_ratio: 4,
    owner_by: at(row('gpt-4o'), 'owner_by'),
    enable_groups: ['default'],
    cache_ratio: 0.5,
    create_cache_ratio: 1.25,
    audio_ratio: 1,
    audio_completion_ratio: 4,
    image_ratio: 1,
    image_completion_ratio: 4,
    endpoints: ['chat'],
  });
  assert.is(at(row('dall-e-3'), 'quota_type'), 1);
  assert.is((await call(daemon, 'GET', '/api/ratio_config')).status, 403);
});

wire('lists groups, built-in models and enabled models', async ({ daemon }) => {
  const names = (await call(daemon, 'GET', '/api/group')).body;
  assert.equal([at(names, 'data'), at(names, 'counts')], [['default', 'svip', 'vip'], undefined]);
  const counted = (await call(daemon, 'GET', '/api/group/?with_counts=1')).body;
  assert.equal(at(counted, 'data'), ['default', 'svip', 'vip']);
  assert.equal(at(counted, 'counts.vip'), { users: 0, channels: 0, tokens: 0 });
  list((await call(daemon, 'GET', '/api/models')).body, 'data.1');
  const models = list((await call(daemon, 'GET', '/api/channel/models')).body, 'data');
  assert.ok(models.length > 0 && models.every((model) => at(model, 'id') === at(model, 'root')));
  assert.ok(list((await call(daemon, 'GET', '/api/channel/models_enabled')).body, 'data').includes('gpt-4o'));
});

wire('lets the owner of a key read its log with the key alone, or signed in by naming it', async ({ daemon }) => {
  const key = await daemon.addKey();
  const path = `/api/log/token?key=${key}`;
  const response = await fetch(`${daemon.url}/api/log/token`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(await response.json(), { success: true, message: '', data: [] });
  assert.is((await fetch(daemon.url + path)).status, 401);
  assert.equal(at((await call(daemon, 'GET', path)).body, 'data'), []);
  await daemon.root.users.create({ username: 'other', password: 'another password' });
  const login = await fetch(`${daemon.url}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'other', password: 'another password' }),
  });
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  const headers = { cookie, 'tollgate-user': String(at(await login.json(), 'data.id')) };
  assert.is(at(await (await fetch(daemon.url + path, { headers })).json(), 'code'), 'token_not_found');
});

wire.run();

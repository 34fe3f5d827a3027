/** Every channel call of the product description (seeds/001, section 7), by name and as clients of the family write it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../../../../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../../../../support/fake-upstream.ts';
import { until } from '../../../../support/until.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
}

type Body = Readonly<Record<string, unknown>>;
type Row = Readonly<Record<string, unknown>> & { readonly id: number };

const calls = suite<World>('http/routes/management (channel calls of the product description)');

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const choice = { index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' };
const chat = jsonAnswer({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [choice], usage });
const byPath: Readonly<Record<string, ReturnType<typeof jsonAnswer>>> = {
  '/v1/models': jsonAnswer({ object: 'list', data: [{ id: 'up-one' }, { id: 'up-two' }] }),
  '/v1/dashboard/billing/subscription': jsonAnswer({ hard_limit_usd: 20 }),
  '/v1/dashboard/billing/usage': jsonAnswer({ total_usage: 750 }),
};

calls.before(async (world) => {
  world.upstream = await startFakeUpstream(({ url }) => byPath[url.split('?')[0] ?? ''] ?? chat);
  world.daemon = await startTestDaemon({ config: { 'jobs.polling_interval_seconds': 0 } });
});
calls.before.each(async ({ daemon }) => {
  const { items } = await daemon.root.channels.list({ page_size: 100 });
  if (items.length > 0) await daemon.root.channels.deleteBatch({ ids: items.map(({ id }) => id) });
});
calls.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

async function call({ daemon }: World, method: string, path: string, body?: Body): Promise<Body> {
  const response = await fetch(`${daemon.url}${path}`, {
    method,
    redirect: 'error',
    headers: {
      authorization: daemon.accessToken,
      'veloera-user': '1',
      'content-type': 'application/json',
      'accept-language': 'en',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.is(response.status, 200, `${method} ${path}`);
  return JSON.parse(await response.text());
}

/** The answer of a call that succeeds. */
async function ok(world: World, method: string, path: string, body?: Body): Promise<Body> {
  const answer = await call(world, method, path, body);
  assert.is(answer.success, true, `${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

async function add(world: World, more: Body = {}): Promise<number> {
  const fields = {
    type: 1,
    name: 'up',
    key: 'sk-up',
    models: 'gpt-4o',
    group: 'default',
    base_url: world.upstream.url,
  };
  const { data } = await ok(world, 'POST', '/api/channel/', { ...fields, ...more });
  return rowOf(data).id;
}

function rowOf(value: unknown): Row {
  assert.ok(typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'number');
  return { ...value, id: value.id };
}

function rowsOf(value: unknown): Row[] {
  assert.ok(Array.isArray(value), 'a bare array');
  return value.map(rowOf);
}

async function listed(world: World): Promise<Row[]> {
  return rowsOf((await ok(world, 'GET', '/api/channel/?p=0&page_size=100&id_sort=true')).data);
}

calls('GET /api/channel/ and search answer bare arrays with totals, and no key', async (world) => {
  const first = await add(world, { name: 'alpha', tag: 'blue' });
  const second = await add(world, { name: 'beta', type: 43, tag: 'blue', priority: 5, group: 'default,vip' });
  const third = await add(world, { name: 'gamma' });
  const ids = (answer: Body) => rowsOf(answer.data).map(({ id }) => id);
  const page = await ok(world, 'GET', '/api/channel/?p=0&page_size=2&id_sort=false&tag_mode=false');
  assert.equal([ids(page), page.total, page.untagged], [[second, third], 3, undefined]);
  assert.equal(page.type_counts, { 1: 2, 43: 1 });
  assert.not.match(JSON.stringify(page), 'sk-up');
  assert.equal(ids(await ok(world, 'GET', '/api/channel/?p=1&page_size=2&id_sort=true')), [first]);
  const tagged = await ok(world, 'GET', '/api/channel/?p=0&page_size=10&id_sort=true&tag_mode=true');
  assert.equal([ids(tagged), tagged.total, tagged.untagged], [[second, first], 1, 1]);
  assert.is((await ok(world, 'GET', '/api/channel/?p=0&page_size=10&type=43&tag_mode=true')).untagged, 0);
  assert.equal((await ok(world, 'GET', '/api/channel/tags')).data, ['blue']);
  const found = (query: string) => ok(world, 'GET', `/api/channel/search?keyword=&group=&model=&id_sort=true&${query}`);
  assert.equal(ids(await ok(world, 'GET', '/api/channel/search?keyword=lph&group=&model=&id_sort=true')), [first]);
  assert.equal(ids(await ok(world, 'GET', '/api/channel/search?keyword=&group=vip&model=4o')), [second]);
  const foundTags = await found('tag_mode=true');
  assert.equal([ids(foundTags), foundTags.untagged], [[second, first], 1]);
  assert.equal(ids(await ok(world, 'GET', '/api/channel/search?keyword=sk-up&group=null')).length, 3);
});

calls('GET, POST, PUT and DELETE of one channel', async (world) => {
  const missing = await call(world, 'POST', '/api/channel/', { type: 1, name: 'x', models: 'm' });
  assert.equal([missing.success, missing.code, missing.field], [false, 'channel_key_required', 'key']);
  const id = await add(world, { key: 'sk-one\nsk-two', base_url: `${world.upstream.url}/`, other: '', type: 1 });
  const row = rowOf((await ok(world, 'GET', `/api/channel/${id}`)).data);
  assert.equal([row.key, row.base_url, row.auto_ban, row.status], ['sk-one,sk-two', world.upstream.url, 1, 1]);
  const changed = rowOf((await ok(world, 'PUT', '/api/channel/', { id, priority: '-999', weight: '3' })).data);
  assert.equal([changed.priority, changed.weight, changed.key, changed.models], [-999, 3, '', 'gpt-4o']);
  for (const [member, value, code] of [
    ['priority', -1000, 'channel_priority_invalid'],
    ['priority', 1.5, 'channel_priority_invalid'],
    ['weight', -1, 'channel_weight_invalid'],
    ['model_mapping', '[]', 'channel_json_invalid'],
    ['setting', '{', 'channel_json_invalid'],
    ['status', 3, 'channel_status_invalid'],
  ] as const) {
    const refused = await call(world, 'PUT', '/api/channel/', { id, [member]: value });
    assert.equal([refused.success, refused.code, refused.field], [false, code, member]);
  }
  const setting = '{"ollama_native":"true"}';
  const misspelt = await call(world, 'PUT', '/api/channel/', { id, setting });
  assert.equal(
    [misspelt.code, misspelt.field, misspelt.message],
    ['channel_setting_invalid', 'setting.ollama_native', 'Setting ollama_native: must be true or false'],
  );
  const broken = { param_override: '{"operations":[{"mode":"set","path":"a..b","value":1}]}' };
  const place = 'param_override.operations.0.path';
  for (const refused of [
    await call(world, 'PUT', '/api/channel/', { id, ...broken }),
    await call(world, 'POST', '/api/channel/', { type: 1, name: 'x', key: 'k', models: 'm', ...broken }),
    await call(world, 'POST', '/api/channel/test', { channel_id: id, channel: broken }),
  ]) {
    const told = `${place}: must be a path such as messages.0.content`;
    assert.equal([refused.code, refused.field, refused.message], ['channel_rule_invalid', place, told]);
  }
  const off = rowOf((await ok(world, 'PUT', '/api/channel/', { id, status: 2 })).data);
  assert.is(off.status, 2);
  assert.is((await ok(world, 'POST', `/api/channel/${id}/status`, { status: 1 })).success, true);
  assert.is((await ok(world, 'DELETE', `/api/channel/${id}/`)).data, null);
  const gone = await call(world, 'GET', `/api/channel/${id}`);
  assert.equal([gone.success, gone.code], [false, 'channel_not_found']);
});

calls('types 18 and 41 get and check what their field `other` holds', async (world) => {
  const spark = await add(world, { type: 18, other: '', base_url: '' });
  assert.is(rowOf((await ok(world, 'GET', `/api/channel/${spark}`)).data).other, 'v2.1');
  const vertex = { type: 41, name: 'v', key: '{"project_id":"p"}', models: 'gemini-2.5-flash', group: 'default' };
  for (const [other, code] of [
    ['', 'channel_region_required'],
    ['{"x":"us"}', 'channel_region_default'],
    ['{', 'channel_json_invalid'],
  ]) {
    assert.is((await call(world, 'POST', '/api/channel/', { ...vertex, other })).code, code);
  }
  for (const other of ['us-central1', '{"default":"us-central1"}']) {
    await ok(world, 'POST', '/api/channel/', { ...vertex, other });
  }
});

calls('POST /api/channel/copy/{id} copies with the key, disabled and without figures', async (world) => {
  const id = await add(world);
  await ok(world, 'GET', `/api/channel/test/${id}`);
  const copy = rowOf((await ok(world, 'POST', `/api/channel/copy/${id}`, { suffix: '_复制' })).data).id;
  const row = rowOf((await ok(world, 'GET', `/api/channel/${copy}`)).data);
  assert.equal(
    [row.name, row.key, row.status, row.used_quota, row.balance, row.test_time, row.response_time],
    ['up_复制', 'sk-up', 2, 0, 0, 0, 0],
  );
  assert.is((await call(world, 'POST', '/api/channel/copy/9999', {})).code, 'channel_not_found');
  const { stores } = world.daemon.daemon.foundation.database;
  await stores.channels.update(id, { modelMapping: '{"a":"b","b":"a"}' });
  const refused = await call(world, 'POST', `/api/channel/copy/${id}`, {});
  assert.equal([refused.code, refused.field], ['channel_rule_invalid', 'model_mapping.a']);
});

calls('POST batch, DELETE disabled and POST fix tell how many there were', async (world) => {
  const [first, second, third] = [await add(world), await add(world, { status: 2 }), await add(world)];
  await world.daemon.daemon.foundation.database.stores.channels.moveStatus(third, { from: 1, to: 3, otherInfo: '' });
  assert.is((await ok(world, 'POST', '/api/channel/fix')).data, 3);
  assert.is((await ok(world, 'DELETE', '/api/channel/disabled')).data, 2);
  const { abilities } = world.daemon.daemon.foundation.database.stores;
  assert.equal(await abilities.list(second), []);
  assert.is((await ok(world, 'POST', '/api/channel/batch', { ids: [first, second, 9999] })).data, 1);
  assert.is((await call(world, 'POST', '/api/channel/batch', { ids: [] })).code, 'channel_ids_required');
  assert.equal(await listed(world), []);
});

calls('tags are set for many, switched, changed and dissolved, and touch no others', async (world) => {
  const [first, second, other] = [await add(world), await add(world, { priority: 1 }), await add(world)];
  const batch = await ok(world, 'POST', '/api/channel/batch/tag', { ids: [first, second], tag: 'blue' });
  assert.is(batch.data, 2);
  assert.is((await call(world, 'POST', '/api/channel/batch/tag', { ids: [], tag: 'x' })).code, 'channel_ids_required');
  await ok(world, 'POST', '/api/channel/tag/disabled', { tag: 'blue' });
  const statuses = async () => (await listed(world)).map(({ id, status }) => [id, status]);
  assert.equal(await statuses(), [
    [other, 1],
    [second, 2],
    [first, 2],
  ]);
  await ok(world, 'POST', '/api/channel/tag/enabled', { tag: 'blue' });
  assert.ok((await statuses()).every(([, status]) => status === 1));
  await ok(world, 'PUT', '/api/channel/tag', { tag: 'blue', priority: 7 });
  await ok(world, 'PUT', '/api/channel/tag', { tag: 'blue', weight: '4' });
  const edit = { tag: 'blue', new_tag: 'green', models: 'gpt-4o, gpt-4', groups: 'vip', model_mapping: '{"a":"b"}' };
  assert.is((await ok(world, 'PUT', '/api/channel/tag', edit)).data, 2);
  for (const row of (await listed(world)).filter(({ id }) => id !== other)) {
    const { tag, priority, weight, models, group, model_mapping } = row;
    assert.equal(
      [tag, priority, weight, models, group, model_mapping],
      ['green', 7, 4, 'gpt-4o,gpt-4', 'vip', '{"a":"b"}'],
    );
  }
  const kept = { tag: 'green', model_mapping: '', models: '', groups: '' };
  await ok(world, 'PUT', '/api/channel/tag', kept);
  assert.is((await listed(world)).find(({ id }) => id === first)?.models, 'gpt-4o,gpt-4');
  assert.is(
    (await call(world, 'PUT', '/api/channel/tag', { tag: 'green', model_mapping: 'x' })).code,
    'channel_json_invalid',
  );
  const circle = await call(world, 'PUT', '/api/channel/tag', { tag: 'green', model_mapping: '{"a":"b","b":"a"}' });
  assert.equal([circle.code, circle.field], ['channel_rule_invalid', 'model_mapping.a']);
  assert.is((await call(world, 'PUT', '/api/channel/tag', { tag: '' })).code, 'channel_tag_required');
  assert.is((await ok(world, 'PUT', '/api/channel/tag', { tag: 'green', new_tag: '' })).data, 2);
  assert.equal(
    (await listed(world)).map(({ tag, models }) => [tag, models]),
    [
      [null, 'gpt-4o'],
      [null, 'gpt-4o,gpt-4'],
      [null, 'gpt-4o,gpt-4'],
    ],
  );
});

calls('models, models_enabled and fetch_models list names', async (world) => {
  const id = await add(world, { models: 'gpt-4o,own-model', model_prefix: 'p/' });
  await add(world, { models: 'asleep', status: 2 });
  const built = rowless((await ok(world, 'GET', '/api/channel/models')).data);
  assert.ok(built.some((model) => model.id === 'gpt-4o' && model.object === 'model' && model.parent === null));
  assert.equal((await ok(world, 'GET', '/api/channel/models_enabled')).data, ['gpt-4o', 'own-model']);
  assert.equal((await ok(world, 'GET', `/api/channel/fetch_models/${id}`)).data, ['up-one', 'up-two']);
  const draft = { base_url: `${world.upstream.url}/`, type: 1, key: 'sk-draft,sk-other' };
  assert.equal((await ok(world, 'POST', '/api/channel/fetch_models', draft)).data, ['up-one', 'up-two']);
  assert.is(world.upstream.requests.at(-1)?.headers.authorization, 'Bearer sk-draft');
  const nobody = await call(world, 'POST', '/api/channel/fetch_models', { ...draft, base_url: 'http://127.0.0.1:9' });
  assert.equal([nobody.success, nobody.code], [false, 'channel_fetch_failed']);
  assert.match(String(nobody.message), /: the upstream could not be reached$/);
  const inside = await call(world, 'POST', '/api/channel/fetch_models', {
    ...draft,
    base_url: 'http://169.254.169.254',
  });
  assert.is(inside.code, 'channel_base_url_refused');
});

calls('a list of models is read page by page', async (world) => {
  const paged = async (type: number, key: string) => {
    world.upstream.requests.length = 0;
    const { data } = await ok(world, 'POST', '/api/channel/fetch_models', { base_url: world.upstream.url, type, key });
    return data;
  };
  const page = (url: string, name: string) => new URL(url, 'http://upstream').searchParams.get(name);
  const cloudflare = Array.from({ length: 250 }, (_, at) => ({ name: `@cf/m${at}` }));
  world.upstream.script(({ url }) => {
    if (url.includes('/models/search')) {
      const at = Number(page(url, 'page'));
      const result = cloudflare.slice(100 * (at - 1), 100 * at);
      return jsonAnswer({ result, result_info: { page: at, per_page: 100, count: result.length, total_count: 250 } });
    }
    const token = page(url, 'pageToken') ?? page(url, 'page_token') ?? page(url, 'after_id') ?? '1';
    const next = token === '3' ? '' : String(Number(token) + 1);
    const id = `m${token}`;
    const rest = { nextPageToken: next, next_page_token: next, has_more: next !== '', last_id: next };
    return jsonAnswer({ ...rest, data: [{ id }], models: [{ name: id }], publisherModels: [{ name: `p/${id}` }] });
  });
  try {
    assert.equal(
      await paged(39, 'account|token'),
      cloudflare.map(({ name }) => name),
    );
    for (const [type, key] of [
      [14, 'sk-ant'],
      [24, 'AIza'],
      [34, 'co'],
      [41, 'acme|AIza'],
    ] as const) {
      assert.equal(await paged(type, key), ['m1', 'm2', 'm3'], String(type));
    }
    // One that never ends is left at it.
    world.upstream.script(({ url }) => jsonAnswer({ models: [{ name: 'm' }], nextPageToken: `${url.length}` }));
    assert.equal(await paged(24, 'AIza'), ['m']);
    assert.ok(world.upstream.requests.length < 50);
  } finally {
    world.upstream.script(({ url }) => byPath[url.split('?')[0] ?? ''] ?? chat);
  }
});

calls('who gets no models or no balance is told why, without the key', async (world) => {
  const secret = 'sk-a-very-secret-key';
  const id = await add(world, { key: secret });
  const asked = async (path: string, language = 'en') => {
    const { daemon } = world;
    const headers = { authorization: daemon.accessToken, 'veloera-user': '1', 'accept-language': language };
    const answer: Body = JSON.parse(await (await fetch(daemon.url + path, { headers })).text());
    return String(answer.message);
  };
  const refused = { error: { message: `Incorrect API key provided: ${secret}`, code: 'invalid_api_key' } };
  try {
    world.upstream.script(jsonAnswer(refused, 401));
    const list = `/api/channel/fetch_models/${id}`;
    assert.match(await asked(list), /: the upstream answered with status 401: Incorrect API key provided: \*\*\*$/);
    assert.match(await asked(list, 'zh'), /：上游返回状态码 401：Incorrect API key provided: \*\*\*$/);
    assert.match(await asked(`/api/channel/update_balance/${id}`), /status 401: Incorrect API key provided: \*\*\*$/);
    world.upstream.script({ status: 404, headers: { 'content-type': 'text/html' }, chunks: ['<html>no</html>'] });
    assert.match(await asked(list), /: the upstream answered with status 404$/);
    world.upstream.script(jsonAnswer({ code: 7, msg: 'closed' }));
    assert.match(await asked(list), /: the answer is not understood: closed$/);
    world.upstream.script({ headers: { 'content-type': 'text/html' }, chunks: ['<html>hi</html>'] });
    assert.match(await asked(list), /: the answer is not understood$/);
    // A type without a list is not asked; nor is the native interface of Hunyuan, whose key is a secret.
    const [dify, hunyuan] = [await add(world, { type: 37 }), await add(world, { type: 23, key: '125|AKID|secret' })];
    world.upstream.requests.length = 0;
    for (const other of [dify, hunyuan]) {
      assert.match(await asked(`/api/channel/fetch_models/${other}`), /: this channel tells no models/);
    }
    assert.is(world.upstream.requests.length, 0);
  } finally {
    world.upstream.script(({ url }) => byPath[url.split('?')[0] ?? ''] ?? chat);
  }
});

function rowless(value: unknown): Record<string, unknown>[] {
  assert.ok(Array.isArray(value));
  return value;
}

calls(
  'GET /api/channel/test/{id}?model answers success and seconds, charges nobody and notes the test',
  async (world) => {
    const id = await add(world, { models: 'gpt-4o,gpt-4o-mini' });
    const tested = await ok(world, 'GET', `/api/channel/test/${id}?model=gpt-4o-mini`);
    assert.type(tested.time, 'number');
    assert.equal(JSON.parse(world.upstream.requests.at(-1)?.body.toString() ?? '').model, 'gpt-4o-mini');
    const row = (await listed(world)).find((channel) => channel.id === id);
    assert.ok(Number(row?.test_time) > 0 && Number(row?.response_time) >= 0);
    assert.is(row?.used_quota, 0);
    const notedRows = async () => (await world.daemon.root.logs.list({ channel: id })).items;
    // The row is written behind the answer.
    await until(async () => (await notedRows()).length > 0);
    const [noted] = await notedRows();
    assert.equal([noted?.quota, noted?.type, JSON.parse(noted?.other ?? '{}').is_test], [0, 2, true]);
    assert.is(noted?.token_name, 'channel test');
    const proxy = await add(world, { type: 2, name: 'drawing', models: 'mj_imagine' });
    const unsupported = await call(world, 'GET', `/api/channel/test/${proxy}`);
    assert.equal(
      [unsupported.success, unsupported.code, typeof unsupported.time],
      [false, 'channel_test_unsupported', 'number'],
    );
  },
);

calls('GET /api/channel/test tests all in the background, one run at a time', async (world) => {
  const ids = [await add(world), await add(world), await add(world, { status: 2 })];
  await ok(world, 'GET', '/api/channel/test');
  const running = async () => JSON.stringify((await ok(world, 'GET', '/api/channel/test/run')).data);
  await until(async () => (await running()) === '{"running":false}');
  await until(async () => (await listed(world)).filter(({ test_time }) => Number(test_time) > 0).length === 2);
  const untouched = (await listed(world)).find(({ id }) => id === ids[2]);
  assert.is(untouched?.test_time, 0, 'disabled by hand');
});

calls(
  'GET /api/channel/update_balance asks one or all, and an empty one is put to sleep when that is on',
  async (world) => {
    const id = await add(world);
    const claude = await add(world, { type: 14 });
    const one = await ok(world, 'GET', `/api/channel/update_balance/${id}/`);
    assert.is(one.balance, 12.5);
    assert.is((await call(world, 'GET', `/api/channel/update_balance/${claude}/`)).code, 'channel_balance_unsupported');
    const second = await add(world);
    assert.is((await ok(world, 'GET', '/api/channel/update_balance')).data, null);
    const balances = (await listed(world)).map((row) => [row.id, row.balance]);
    assert.equal(balances, [
      [second, 12.5],
      [claude, 0],
      [id, 12.5],
    ]);
  },
);

calls.run();

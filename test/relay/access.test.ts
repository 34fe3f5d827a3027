/** Who may call what, from which place the key comes, and what is answered without one. */
import { Agent, request } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonAnswer } from '../support/fake-upstream.ts';
import { type GatewayHarness, type HarnessOptions, testKey } from '../support/gateway-harness.ts';
import { type HarnessStarts, startsHarnesses } from '../support/harness-starts.ts';
import { chatRequest, completion } from './wire.ts';

const test = suite<HarnessStarts>('relay: access');

startsHarnesses(test);

async function call(harness: GatewayHarness, headers: Record<string, string>, path = '/v1/chat/completions') {
  const sent = { 'content-type': 'application/json', ...headers };
  const init = { method: 'POST', headers: sent, body: JSON.stringify(chatRequest) };
  const response = await fetch(`${harness.url}${path}`, init);
  const body = await response.json();
  return { status: response.status, code: body.error?.code, message: body.error?.message };
}

test('takes the key from every place that the path allows', async ({ start }) => {
  const harness = await start();
  const { key } = harness;
  for (const headers of [
    { authorization: `Bearer sk-${key}` },
    { authorization: `bearer   sk-${key}` },
    { authorization: `Bearer ${key}` },
    { authorization: key },
    { 'x-api-key': key },
    { 'x-api-key': `sk-${key}` },
    { 'api-key': key },
    { authorization: `Bearer sk-${key}`, 'x-api-key': key },
    { authorization: 'midjourney-proxy', 'x-api-key': key },
  ]) {
    assert.is((await call(harness, headers)).status, 200, JSON.stringify(headers));
  }
});

test('refuses missing, malformed and unknown keys with one text', async ({ start }) => {
  const harness = await start();
  const texts = new Set<string>();
  for (const headers of [
    {},
    { authorization: '' },
    { authorization: 'Bearer ' },
    { authorization: 'Bearer sk-short' },
    { authorization: `Bearer sk-${testKey('somebody else')}` },
    { authorization: `Bearer sk-${harness.key}-1-2` },
    { authorization: `Bearer sk-${harness.key}-` },
    { 'x-goog-api-key': harness.key },
  ]) {
    const { status, code, message } = await call(harness, headers);
    assert.is(status, 401, JSON.stringify(headers));
    assert.is(code, 'access_denied');
    texts.add(message.replace(/request id: \w+/, ''));
  }
  assert.is(texts.size, 1);
});

test('looks no text up that is not shaped like a key (S17)', async ({ start }) => {
  const harness = await start();
  const { tokens } = harness.database.stores;
  const find = tokens.findByKeyHash.bind(tokens);
  let asked = 0;
  tokens.findByKeyHash = (hash) => {
    asked += 1;
    return find(hash);
  };
  const unlike = [
    'short',
    'x'.repeat(47),
    'x'.repeat(49),
    `${'x'.repeat(47)}'`,
    `${'x'.repeat(47)}%`,
    'x'.repeat(9000),
  ];
  for (const key of unlike) {
    for (const headers of [{ authorization: `Bearer sk-${key}` }, { 'x-api-key': key }]) {
      assert.is((await call(harness, headers)).status, 401, key);
    }
  }
  assert.is(asked, 0);
  assert.is((await call(harness, { authorization: `Bearer ${testKey('nobody')}` })).status, 401);
  assert.is(asked, 1);
});

test('knows every key anew that comes over one connection', async ({ start }) => {
  const harness = await start();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const statusOf = (key: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: `Bearer sk-${key}` };
      const asked = request(`${harness.url}/v1/chat/completions`, { method: 'POST', agent, headers }, (answer) => {
        answer.resume().on('end', () => resolve(asked.reusedSocket ? answer.statusCode : 0));
      });
      asked.on('error', reject).end(JSON.stringify(chatRequest));
    });
  await statusOf(harness.key);
  const statuses = [];
  for (const key of [harness.key, testKey('somebody else'), harness.key, testKey('nobody')]) {
    statuses.push(await statusOf(key));
  }
  assert.equal(statuses, [200, 401, 200, 401]);
  agent.destroy();
});

test('refuses two different keys', async ({ start }) => {
  const harness = await start();
  const { status, code } = await call(harness, {
    authorization: `Bearer ${harness.key}`,
    'x-api-key': testKey('other'),
  });
  assert.is(status, 400);
  assert.is(code, 'access_denied');
});

test('reads Google’s forms of the key on model lists', async ({ start }) => {
  const harness = await start();
  const byQuery = await fetch(`${harness.url}/v1beta/models?key=${harness.key}`);
  assert.is(byQuery.status, 200);
  const byHeader = await fetch(`${harness.url}/v1/models`, { headers: { 'x-goog-api-key': harness.key } });
  assert.ok((await byHeader.json()).models);
});

const refusals: [what: string, options: Partial<HarnessOptions>, status: number, code: string][] = [
  ['an exhausted key', { token: { status: 4 } }, 401, 'token_exhausted'],
  ['an expired key', { token: { status: 3 } }, 401, 'token_expired'],
  ['a disabled key', { token: { status: 2 } }, 401, 'token_disabled'],
  ['a key past its time', { token: { expiredTime: 1000 } }, 401, 'token_expired'],
  ['a limited key without quota', { token: { unlimitedQuota: false } }, 401, 'token_exhausted'],
  ['a disabled user', { user: { status: 2 } }, 403, 'user_disabled'],
  ['a disabled key of a disabled user', { token: { status: 2 }, user: { status: 2 } }, 401, 'token_disabled'],
  ['every model of a key limited to none', { token: { modelLimitsEnabled: true } }, 403, 'model_not_allowed'],
  ['a foreign address', { token: { allowIps: '10.0.0.0/8\n192.168.1.1' } }, 403, 'ip_not_allowed'],
  ['a list of unreadable addresses', { token: { allowIps: 'nonsense' } }, 403, 'ip_not_allowed'],
  ['a group that the user may not use', { token: { group: 'secret' } }, 403, 'group_not_usable'],
  [
    'a group that is gone',
    { token: { group: 'old' }, options: { UserUsableGroups: { old: 'was here' } } },
    403,
    'group_removed',
  ],
  [
    'a model outside the key’s limits',
    { token: { modelLimitsEnabled: true, modelLimits: 'gpt-4o-mini' } },
    403,
    'model_not_allowed',
  ],
  ['a balance that is too small', { user: { quota: 3 } }, 403, 'insufficient_user_quota'],
  [
    'a key quota that is too small',
    { token: { unlimitedQuota: false, remainQuota: 3 } },
    403,
    'insufficient_token_quota',
  ],
];
for (const [what, options, status, code] of refusals) {
  test(`refuses ${what}`, async ({ start, upstream }) => {
    const harness = await start(options);
    const answer = await call(harness, { authorization: `Bearer sk-${harness.key}` });
    assert.equal([answer.status, answer.code], [status, code]);
    assert.is(upstream.requests.length, 0);
    assert.is((await harness.rows()).length, 0);
  });
}

test('lets a key be used from the networks on its list', async ({ start }) => {
  const harness = await start({ token: { allowIps: '10.0.0.1, 127.0.0.0/8' } });
  assert.is((await call(harness, { authorization: `Bearer ${harness.key}` })).status, 200);
});

for (const token of [{ modelLimitsEnabled: true, modelLimits: 'x , gpt-4o ' }, { modelLimits: 'x' }])
  test(`lets a key be used for what it is limited to, if it is: ${JSON.stringify(token)}`, async ({ start }) => {
    const harness = await start({ token });
    assert.is((await call(harness, { authorization: `Bearer ${harness.key}` })).status, 200);
  });

test('tells an unknown model from one that is merely off', async ({ start, upstream }) => {
  const harness = await start({
    channels: [
      { id: 1, baseUrl: upstream.url, models: 'gpt-4o', status: 2 },
      { id: 2, baseUrl: upstream.url, models: 'not-priced' },
    ],
  });
  const off = await harness.post('/v1/chat/completions', chatRequest);
  assert.is(off.status, 503);
  const body = await off.json();
  assert.is(body.error.code, 'no_channel_for_model');
  assert.match(body.error.message, /gpt-4o.*default/);
  assert.is(off.headers.get('retry-after'), '5');
  const unknown = await harness.post('/v1/chat/completions', { ...chatRequest, model: 'nobody-has-it' });
  assert.equal([unknown.status, (await unknown.json()).error.code], [404, 'model_not_found']);
  const unpriced = await harness.post('/v1/chat/completions', { ...chatRequest, model: 'not-priced' });
  const { error } = await unpriced.json();
  assert.equal([unpriced.status, error.code, upstream.requests.length], [400, 'model_not_priced', 0]);
  assert.match(error.message, /not-priced.*Operation, Model prices/);
});

test('serves a prefixed channel under its full names only, at the price of the bare one', async ({
  start,
  upstream,
}) => {
  const harness = await start({ channels: [{ id: 1, baseUrl: upstream.url, models: 'gpt-4o', modelPrefix: 'az/' }] });
  const list = await fetch(`${harness.url}/v1/models`, { headers: { authorization: `Bearer ${harness.key}` } });
  assert.equal(
    (await list.json()).data.map((model: { id: string }) => model.id),
    ['az/gpt-4o'],
  );
  assert.is((await harness.post('/v1/chat/completions', chatRequest)).status, 404);
  const response = await harness.post('/v1/chat/completions', { ...chatRequest, model: 'az/gpt-4o' });
  assert.is(response.status, 200);
  assert.is(JSON.parse(upstream.requests[0]?.body.toString() ?? '{}').model, 'gpt-4o');
  const [row] = await harness.rows();
  assert.equal([row?.modelName, row?.quota], ['az/gpt-4o', 40]);
});

test('lists an alias that costs what the model behind it costs, and none that nobody may use', async ({
  start,
  upstream,
}) => {
  const modelMapping = '{"fast":"gpt-4o","unknown":"nobody-prices-it"}';
  const channels = [{ id: 1, baseUrl: upstream.url, models: 'fast,unknown', modelMapping }];
  const harness = await start({ channels });
  const headers = { authorization: `Bearer ${harness.key}` };
  const list = await (await fetch(`${harness.url}/v1/models`, { headers })).json();
  assert.equal(
    list.data.map((model: { id: string }) => model.id),
    ['fast'],
  );
  for (const [model, status] of [
    ['fast', 200],
    ['unknown', 400],
  ] as const) {
    upstream.script(jsonAnswer(completion()));
    assert.is((await harness.post('/v1/chat/completions', { ...chatRequest, model })).status, status, model);
  }
});

test('lists models in three shapes, each with its errors', async ({ start }) => {
  const harness = await start();
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${harness.url}${path}`, { headers: { authorization: `Bearer ${harness.key}`, ...headers } });
  const openai = await (await get('/v1/models/')).json();
  assert.equal([openai.object, openai.data[0].owned_by, openai.data.length], ['list', 'openai', 2]);
  const anthropic = await (await get('/v1/models?limit=1', { 'anthropic-version': '2023-06-01' })).json();
  assert.equal([anthropic.data[0].type, anthropic.has_more, anthropic.last_id], ['model', true, 'gpt-4o']);
  const gemini = await (await get(`/v1beta/models?key=${harness.key}`)).json();
  assert.is(gemini.models[0].name, 'models/gpt-4o');
  const one = await (await get('/v1/models/gpt-4o-mini')).json();
  assert.is(one.id, 'gpt-4o-mini');
  const missing = await get('/v1/models/nope/with:colon');
  assert.is(missing.status, 404);
  assert.equal((await missing.json()).error.code, 'model_not_found');
  const head = await fetch(`${harness.url}/v1/models`, { method: 'HEAD', headers: { 'x-api-key': harness.key } });
  assert.is(head.status, 200);
  const denied = await fetch(`${harness.url}/v1/models`, { headers: { 'anthropic-version': '2023-06-01' } });
  assert.equal([denied.status, (await denied.json()).type], [401, 'error']);
});

test('answers authentication errors in the surface’s own shape', async ({ start }) => {
  const harness = await start();
  for (const headers of [{}, { authorization: 'Bearer sk-nobodys' }]) {
    const refused = async (path: string) => {
      const response = await fetch(`${harness.url}${path}`, { method: 'POST', headers, body: '{}' });
      return [response.status, await response.json()];
    };
    for (const path of ['/v1/messages', '/v1/messages/count_tokens']) {
      const [status, { type, error }] = await refused(path);
      assert.equal([status, type, error.type], [401, 'error', 'authentication_error'], path);
    }
    for (const path of ['gemini-2.5-pro:generateContent', 'gemini-2.5-pro:streamGenerateContent?alt=sse']) {
      const [status, { error }] = await refused(`/v1beta/models/${path}`);
      assert.equal([status, error.code, error.status], [401, 401, 'UNAUTHENTICATED'], path);
    }
  }
});

const badBodies: [what: string, body: string, field: RegExp][] = [
  ['no JSON', '{', /not valid JSON/],
  ['a list', '[]', /must be a JSON object/],
  ['no model', '{"messages":[{"role":"user","content":"x"}]}', /model is required/],
  ['a model that is a number', '{"model":7,"messages":[{"content":"x"}]}', /model must be/],
  ['a model that climbs', '{"model":"../x","messages":[{"content":"x"}]}', /model must be/],
  ['no messages', '{"model":"gpt-4o"}', /messages is required/],
  [
    'a stored response in a chat',
    '{"model":"gpt-4o","input":"hi","previous_response_id":"resp_1"}',
    /belongs to \/v1\/responses/,
  ],
  ['an unknown role', '{"model":"gpt-4o","messages":[{"role":"king"}]}', /messages\.0\.role/],
  ['a negative limit', '{"model":"gpt-4o","messages":[{}],"max_tokens":-1}', /max_tokens/],
  ['a limit above 2^30', '{"model":"gpt-4o","messages":[{}],"max_tokens":1073741824}', /max_tokens/],
  ['a limit in words', '{"model":"gpt-4o","messages":[{}],"max_tokens":"1"}', /max_tokens/],
  ['a fractional n', '{"model":"gpt-4o","messages":[{}],"n":1.5}', /n must be/],
  ['no choice at all', '{"model":"gpt-4o","messages":[{}],"n":0}', /n must be/],
  ['too many choices', '{"model":"gpt-4o","messages":[{}],"n":129}', /n must be/],
  ['stream in words', '{"model":"gpt-4o","messages":[{}],"stream":"yes"}', /stream must be/],
  ['a hundred thousand objects', `{"model":"gpt-4o","x":[${'{},'.repeat(100_000)}{}]}`, /100000 objects and lists/],
  ['a nest of lists', `{"model":"gpt-4o","x":${'['.repeat(200)}${']'.repeat(200)}}`, /nested deeper/],
  ['an Infinity', '{"model":"gpt-4o","messages":[{}],"n":1e999}', /n must be/],
];
test('refuses bodies with the field at fault, in the language asked for', async ({ start, upstream }) => {
  const harness = await start();
  for (const [what, body, text] of badBodies) {
    const response = await harness.post('/v1/chat/completions', body);
    const { error } = await response.json();
    assert.is(response.status, 400, what);
    assert.is(error.code, 'invalid_request', what);
    assert.match(error.message, text, what);
  }
  const chinese = await harness.post('/v1/chat/completions', '{', { headers: { 'accept-language': 'zh-CN,en' } });
  assert.match((await chinese.json()).error.message, /^请求无效/);
  assert.is(upstream.requests.length, 0);
});

test('refuses everything until setup is done, and while it stops', async ({ start }) => {
  const harness = await start();
  const { view } = harness;
  harness.view = { ...view, setupDone: false };
  const early = await harness.post('/v1/chat/completions', chatRequest);
  assert.equal(
    [early.status, (await early.json()).error.code, early.headers.get('retry-after')],
    [503, 'setup_required', '5'],
  );
  const list = await fetch(`${harness.url}/v1/models`);
  assert.equal(
    [list.status, (await list.json()).error.code, list.headers.get('retry-after')],
    [503, 'setup_required', '5'],
  );
  harness.view = view;
  await harness.gateway.drain();
  const late = await harness.post('/v1/chat/completions', chatRequest);
  assert.equal(
    [late.status, (await late.json()).error.code, late.headers.get('retry-after')],
    [503, 'shutting_down', '5'],
  );
});

test('blocks browser extensions where the operator wants that', async ({ start }) => {
  const harness = await start({ options: { 'global.block_browser_extension_enabled': true } });
  const response = await harness.post('/v1/chat/completions', chatRequest, {
    headers: { origin: 'chrome-extension://abc' },
  });
  assert.equal([response.status, (await response.json()).error.code], [403, 'browser_extension_blocked']);
});

test('serves a model that nobody has by its stand-in', async ({ start, upstream }) => {
  const harness = await start({ options: { ModelFallbackAlias: { 'gpt-3.5-turbo': 'gpt-4o-mini' } } });
  const response = await harness.post('/v1/chat/completions', { ...chatRequest, model: 'gpt-3.5-turbo' });
  assert.is((await response.json()).model, 'gpt-3.5-turbo');
  assert.is(JSON.parse(upstream.requests[0]?.body.toString() ?? '{}').model, 'gpt-4o-mini');
  const [row] = await harness.rows();
  assert.equal([row?.modelName, row?.facts.upstream_model_name], ['gpt-3.5-turbo', 'gpt-4o-mini']);
});

test.run();

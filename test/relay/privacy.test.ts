/** What must not travel: credentials and origins upstream, the operator's affairs to clients, prompts to storage. */
import { readdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { userLogView } from '../../daemon/domain/usage-log-view.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { chatRequest, chunk, completion } from './wire.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: privacy');
/** Of which no pattern of keys takes the whole. */
const channelKey = 'sk-canary-channel-key-000000000000.and/its+tail';
const keyParts = ['canary-channel-key', 'its+tail'];

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream(
    jsonAnswer(completion(), 200, { 'set-cookie': 'a=b', server: 'canary-server' }),
  );
  context.harness = await GatewayHarness.start({
    channels: [{ baseUrl: context.upstream.url, models: 'gpt-4o', name: 'canary-channel-name', keys: [channelKey] }],
  });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

test('sends no client header upstream that is not on the list', async ({ harness, upstream }) => {
  await harness.post('/v1/chat/completions', chatRequest, {
    headers: {
      cookie: 'session=canary',
      'x-forwarded-for': '203.0.113.9',
      'x-api-key': harness.key,
      'x-title': 'canary',
      origin: 'https://canary.example',
      'openai-organization': 'org-canary',
      'openai-beta': 'assistants=v2',
      'idempotency-key': 'abc',
      traceparent: '00-1',
    },
  });
  const [sent] = upstream.requests;
  assert.ok(sent);
  const { headers } = sent;
  assert.is(headers.authorization, `Bearer ${channelKey}`);
  for (const name of ['cookie', 'x-forwarded-for', 'x-api-key', 'x-title', 'origin', 'openai-organization']) {
    assert.is(headers[name], undefined, name);
  }
  assert.equal(
    [headers['openai-beta'], headers['idempotency-key'], headers.traceparent],
    ['assistants=v2', 'abc', '00-1'],
  );
  assert.match(headers['user-agent'] ?? '', /^Tollgate\//);
  assert.not.match(JSON.stringify(headers), new RegExp(harness.key));
});

test('passes and overrides headers as the channel says', async ({ harness, upstream }) => {
  const setting = {
    pass_headers: ['x-title', 'authorization'],
    header_override: { 'X-Own': 'for {client_header:x-title}', 'User-Agent': 'own' },
  };
  harness.setChannels([{ baseUrl: upstream.url, models: 'gpt-4o', setting: JSON.stringify(setting) }]);
  await harness.post('/v1/chat/completions', chatRequest, { headers: { 'x-title': 'a title' } });
  const [sent] = upstream.requests;
  assert.ok(sent);
  const { headers } = sent;
  assert.equal([headers['x-title'], headers['x-own'], headers['user-agent']], ['a title', 'for a title', 'own']);
  assert.is(headers.authorization, 'Bearer sk-one');
});

test('keeps the upstream’s headers from the client, but for its request id on request', async ({
  harness,
  upstream,
}) => {
  const response = await harness.post('/v1/chat/completions', chatRequest);
  assert.is(response.headers.get('set-cookie'), null);
  assert.is(response.headers.get('server'), null);
  harness.setChannels([{ baseUrl: upstream.url, models: 'gpt-4o', setting: '{"expose_upstream_request_id":true}' }]);
  upstream.script(jsonAnswer(completion(), 200, { 'x-request-id': 'req_upstream' }));
  const exposed = await harness.post('/v1/chat/completions', chatRequest);
  assert.is(exposed.headers.get('x-upstream-request-id'), 'req_upstream');
});

test('shows nothing of the operator’s in any error', async ({ harness, upstream }) => {
  const { host } = new URL(upstream.url);
  const canaries = [
    ...keyParts,
    host,
    'canary-channel-name',
    'org-canary12345',
    'boss@canary.example',
    'proj_canary123',
  ];
  const message = `Key ${channelKey} of canary-channel-name at ${upstream.url}/v1 for org-canary12345 (boss@canary.example, proj_canary123)`;
  for (const status of [400, 401, 403, 404, 413, 422, 429, 500, 503, 529]) {
    upstream.script(jsonAnswer({ error: { message, type: 'canary', code: 'x', param: null } }, status));
    const text = await (await harness.post('/v1/chat/completions', chatRequest)).text();
    for (const canary of canaries) assert.not.ok(text.includes(canary), `${status}: ${canary} in ${text}`);
  }
  // Where a vendor puts them beside the words.
  const error = { message: 'no', type: `of ${upstream.url}`, code: channelKey, param: 'keys.org-canary12345' };
  const broken = { error: { ...error, param: channelKey } };
  for (const [answer, status] of [
    [jsonAnswer({ error }, 400), 400],
    [sseAnswer([chunk({ content: 'Well' }), broken]), 200],
  ] as const) {
    upstream.script(answer);
    const told = await harness.post('/v1/chat/completions', { ...chatRequest, stream: status === 200 });
    assert.is(told.status, status);
    const text = await told.text();
    assert.match(text, /"code":"\*\*\*"/);
    for (const canary of canaries) assert.not.ok(text.includes(canary), `${canary} in ${text}`);
  }
  upstream.script({ status: 502, headers: { 'content-type': 'text/html' }, chunks: [`<h1>${message}</h1>`] });
  const html = await (await harness.post('/v1/chat/completions', chatRequest)).text();
  for (const canary of canaries) assert.not.ok(html.includes(canary), html);
  await upstream.close();
  const refused = await (await harness.post('/v1/chat/completions', chatRequest)).text();
  assert.not.ok(refused.includes(host), refused);
  const rows = await harness.rows();
  assert.ok(rows.length > 0);
  for (const row of rows) {
    assert.not.ok(row.content.includes(host), row.content);
    for (const part of keyParts) assert.not.ok(`${row.content} ${row.other}`.includes(part), `${part} in ${row.other}`);
    const { content, other } = userLogView(row, { mappedModel: 'shown' });
    for (const canary of canaries) assert.not.ok(`${content} ${other}`.includes(canary), `${canary} in ${other}`);
  }
});

test('follows no redirect, so that the channel’s key stays at home', async ({ harness, upstream }) => {
  const elsewhere = await startFakeUpstream(jsonAnswer(completion()));
  upstream.script({ status: 302, headers: { location: `${elsewhere.url}/v1/chat/completions` } });
  assert.is((await harness.post('/v1/chat/completions', chatRequest)).status, 302);
  assert.is(elsewhere.requests.length, 0);
  await elsewhere.close();
});

test('lets no body, header or query name the destination', async ({ harness, upstream }) => {
  const response = await harness.post(
    '/v1/chat/completions?base_url=http://127.0.0.1:1&key=other',
    { ...chatRequest, api_base: 'http://127.0.0.1:1', base_url: 'http://127.0.0.1:1', api_key: 'other' },
    { headers: { 'x-portkey-custom-host': 'http://127.0.0.1:1', host: 'evil.example' } },
  );
  assert.is(response.status, 200);
  assert.is(upstream.requests[0]?.url, '/v1/chat/completions');
});

test('passes a body through untouched but for the model where the channel says so', async ({ harness, upstream }) => {
  harness.setChannels([
    {
      baseUrl: upstream.url,
      models: 'gpt-4o',
      modelMapping: '{"gpt-4o":"other"}',
      paramOverride: '{"temperature":1}',
      setting: '{"pass_through_body_enabled":true}',
    },
  ]);
  const body =
    '{"store" : true,"z":98765432109876543210, "model": "gpt-4o","messages":[{"role":"user","content":"\\u00e9","n":1.0}],"service_tier":"flex"}';
  await harness.post('/v1/chat/completions', body);
  assert.is(upstream.requests[0]?.body.toString(), body.replace('"gpt-4o"', '"other"'));
});

test('passes a body of many megabytes, read in a thread, byte for byte but for the model', async ({
  harness,
  upstream,
}) => {
  harness.setChannels([{ baseUrl: upstream.url, models: 'gpt-4o', modelMapping: '{"gpt-4o":"other"}' }]);
  const long = 'x'.repeat(9_000_000);
  const body = `{ "x":12345678901234567890, "model" : "gpt-4o","messages":[{"role":"user","content":"${long}"}],"a":1.0 }`;
  assert.is((await harness.post('/v1/chat/completions', body)).status, 200);
  assert.ok(upstream.requests[0]?.body.toString() === body.replace('"gpt-4o"', '"other"'));
  const broken = await harness.post('/v1/chat/completions', body.slice(0, -1));
  assert.equal([broken.status, (await broken.json()).error.code], [400, 'invalid_request']);
});

test('drops what would cost the channel’s owner, unless the channel allows it', async ({ harness, upstream }) => {
  const body = { ...chatRequest, service_tier: 'flex', store: true, safety_identifier: 'u' };
  await harness.post('/v1/chat/completions', body);
  assert.equal(JSON.parse(upstream.requests[0]?.body.toString() ?? ''), chatRequest);
  harness.setChannels([{ baseUrl: upstream.url, models: 'gpt-4o', setting: '{"allow_service_tier":true}' }]);
  await harness.post('/v1/chat/completions', body);
  assert.equal(JSON.parse(upstream.requests[1]?.body.toString() ?? ''), { ...chatRequest, service_tier: 'flex' });
});

test('sends no body that names its model twice', async ({ harness, upstream }) => {
  await harness.post(
    '/v1/chat/completions',
    '{"model":"o1-pro","messages":[{"role":"user","content":"x"}],"model":"gpt-4o"}',
  );
  assert.is(upstream.requests[0]?.body.toString(), '{"messages":[{"role":"user","content":"x"}],"model":"gpt-4o"}');
  await harness.post(
    '/v1/chat/completions',
    '{"mod\\u0065l":"o1-pro","messages":[{"role":"user","content":"x"}],"model":"gpt-4o"}',
  );
  assert.not.match(upstream.requests[1]?.body.toString() ?? '', /o1-pro/);
});

test('sends no body that names the response before it twice', async ({ harness, upstream }) => {
  await harness.post(
    '/v1/responses',
    '{"model":"gpt-4o","previous_response_id":"resp_other","input":"x","previous_response_id":"resp_own"}',
  );
  assert.is(
    upstream.requests[0]?.body.toString(),
    '{"model":"gpt-4o","input":"x","previous_response_id":"resp_own","store":false}',
  );
});

test('writes no prompt and no answer anywhere', async ({ harness, upstream }) => {
  upstream.script(
    jsonAnswer(
      completion({
        choices: [{ index: 0, message: { role: 'assistant', content: 'canary-answer' }, finish_reason: 'stop' }],
      }),
    ),
  );
  const served = await harness.post('/v1/chat/completions', {
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'canary-prompt' }],
  });
  assert.match(await served.text(), 'canary-answer');
  upstream.script(jsonAnswer({ error: { message: 'no' } }, 500));
  await harness.post('/v1/chat/completions', {
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'canary-prompt' }],
  });
  await harness.settled();
  const folder = dirname(harness.databaseUrl.slice('sqlite:'.length));
  for (const file of await readdir(folder)) {
    const bytes = await readFile(`${folder}/${file}`);
    assert.is(bytes.includes('canary-prompt'), false, file);
    assert.is(bytes.includes('canary-answer'), false, file);
    assert.is(bytes.includes(harness.key), false, file);
  }
  assert.not.match(JSON.stringify(harness.reports), /canary-/);
});

test.run();

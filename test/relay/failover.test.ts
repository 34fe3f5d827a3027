import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness, type HarnessChannel } from '../support/gateway-harness.ts';
import { chatRequest, chunk, completion, saidIn, streamOf } from './wire.ts';

interface Context {
  a: FakeUpstream;
  b: FakeUpstream;
  c: FakeUpstream;
  harness: GatewayHarness;
  /** Channels 1, 2, 3 in this order of priority. */
  channels: HarnessChannel[];
}

const test = suite<Context>('relay: failover');
const good = jsonAnswer(completion());
const refusal = (status: number, error: Record<string, unknown> = {}, headers = {}): Answer =>
  jsonAnswer({ error: { message: `refused ${status}`, type: 'some_error', code: null, ...error } }, status, headers);

test.before.each(async (context) => {
  context.a = await startFakeUpstream(good);
  context.b = await startFakeUpstream(good);
  context.c = await startFakeUpstream(good);
  context.channels = [context.a, context.b, context.c].map((upstream, index) => ({
    id: index + 1,
    name: `channel ${index + 1}`,
    baseUrl: upstream.url,
    models: 'gpt-4o',
    priority: 10 - index,
  }));
  context.harness = await GatewayHarness.start({ channels: context.channels, options: { RetryTimes: 2 } });
});
test.after.each(async ({ harness, a, b, c }) => {
  await harness.stop();
  await Promise.all([a.close(), b.close(), c.close()]);
});

const counts = ({ a, b, c }: Context) => [a.requests.length, b.requests.length, c.requests.length];

test('tries three channels once each after resets, on one hold', async (context) => {
  const { a, b, harness } = context;
  a.script({ end: 'reset' });
  b.script({ end: 'reset' });
  const response = await harness.post('/v1/chat/completions', chatRequest);
  assert.is(response.status, 200);
  assert.equal(counts(context), [1, 1, 1]);
  const rows = await harness.rows();
  assert.is(rows.length, 1);
  assert.equal(Reflect.get(Object(rows[0]?.facts.admin_info), 'use_channel'), ['1', '2', '3']);
  assert.is((await harness.user()).quota, 100_000_000 - 40);
});

test('passes over a key that is full without an attempt, and refuses where all are', async (context) => {
  const { harness, channels } = context;
  const [first, second] = channels;
  if (first === undefined || second === undefined) throw new Error('no channels');
  const limits = { cap: 0, tpm: 1000, concurrency: 0 };
  const large = { ...chatRequest, messages: [{ role: 'user', content: 'many words '.repeat(500) }] };
  harness.setChannels([{ ...first, limits }, second]);
  const serving = async (body: unknown) => {
    const response = await harness.post('/v1/chat/completions', body);
    await response.arrayBuffer();
    return response.status;
  };
  // After one answer the first has no room left for a prompt of a whole minute, but for a short one.
  for (const body of [large, large, chatRequest]) {
    assert.is(await serving(body), 200);
    await harness.settled();
  }
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ facts }) => Reflect.get(Object(facts.admin_info), 'use_channel')),
    [['1'], ['2'], ['1']],
  );
  harness.setChannels([{ ...first, limits }]);
  assert.is(await serving(large), 429);
  assert.is(await serving(chatRequest), 200);
  assert.equal(counts(context), [3, 1, 0]);
});

test('gives the hold back and logs a failed row when everything failed', async (context) => {
  const { a, b, c, harness } = context;
  for (const upstream of [a, b, c]) upstream.script({ end: 'reset' });
  const response = await harness.post('/v1/chat/completions', chatRequest);
  assert.is(response.status, 502);
  const body = await response.json();
  assert.is(body.error.code, 'do_request_failed');
  assert.match(body.error.message, /^upstream connection failed \(request id: \d{23}\w{8}\)$/);
  const [row] = await harness.rows();
  assert.equal([row?.failed, row?.quota], [true, 0]);
  assert.is(row?.channelId, 3, 'the one that was asked last');
  assert.is((await harness.user()).quota, 100_000_000);
  assert.is((await harness.user()).requestCount, 0);
});

const table: [what: string, first: Answer, retried: boolean, setting?: Partial<HarnessChannel>][] = [
  ['a 400', refusal(400), false],
  ['a 404', refusal(404), true],
  ['a 401', refusal(401), true],
  ['a 403', refusal(403), true],
  ['a 408', refusal(408), false],
  ['a 429', refusal(429), true],
  ['a 307', { status: 307, headers: { location: 'http://example.com/' } }, true],
  ['a 500', refusal(500), true],
  ['a 503', refusal(503), true],
  ['a 504', refusal(504), false],
  ['a 524', refusal(524), false],
  ['a 504 mapped to 503', refusal(504), true, { statusCodeMapping: '{"504":"503"}' }],
  ['a 500 mapped to 400', refusal(500), false, { statusCodeMapping: '{"500":"400"}' }],
  ['an error inside a 200', jsonAnswer({ error: { message: 'broken inside', type: 'server_error' } }), true],
  ['an empty answer', jsonAnswer({ ...completion({ choices: [], usage: null }) }), true],
  ['bytes that are no JSON', { headers: { 'content-type': 'application/json' }, chunks: ['<html>'] }, true],
  ['a mapping in a circle', good, true, { modelMapping: '{"gpt-4o":"x","x":"gpt-4o"}' }],
  ['a broken override', good, true, { paramOverride: '{"operations":[{"mode":"nonsense"}]}' }],
];
for (const [what, first, retried, setting] of table) {
  test(`${retried ? 'tries the next channel after' : 'stops at'} ${what}`, async (context) => {
    const { a, harness, channels } = context;
    const [one, ...others] = channels;
    a.script(first);
    harness.setChannels([{ ...one, ...setting }, ...others]);
    const response = await harness.post('/v1/chat/completions', chatRequest);
    await response.text();
    assert.is(response.status === 200, retried);
    assert.is(context.b.requests.length, retried ? 1 : 0);
    assert.is((await harness.user()).quota, 100_000_000 - (retried ? 40 : 0));
  });
}

test('tries the next channel when an error is the first event of a stream', async (context) => {
  const { a, b, harness } = context;
  a.script(sseAnswer([{ error: { message: 'overloaded', type: 'server_error' } }]));
  b.script(sseAnswer(streamOf(['fine'])));
  const response = await harness.post('/v1/chat/completions', { ...chatRequest, stream: true });
  assert.is(response.status, 200);
  assert.is(saidIn(await response.text()), 'fine');
  assert.equal(counts(context), [1, 1, 0]);
});

test('tries the next channel when the stream ends before any output', async (context) => {
  const { a, b, harness } = context;
  a.script(sseAnswer([chunk({ role: 'assistant', content: '' })], { end: 'reset' }));
  b.script(sseAnswer(streamOf(['fine'])));
  const response = await harness.post('/v1/chat/completions', { ...chatRequest, stream: true });
  assert.is(saidIn(await response.text()), 'fine');
});

test('does not retry once text has reached the client', async (context) => {
  const { a, harness } = context;
  a.script(sseAnswer([chunk({ content: 'half' })], { end: 'reset' }));
  const response = await harness.post('/v1/chat/completions', { ...chatRequest, stream: true });
  assert.match(await response.text(), /"error"/);
  assert.equal(counts(context), [1, 0, 0]);
});

test('tries the next channel when the first token does not come in time', async (context) => {
  const { a, b, harness, channels } = context;
  const [one, ...others] = channels;
  a.script(sseAnswer([chunk({ role: 'assistant' })], { end: 'hang' }));
  b.script(sseAnswer(streamOf(['fine'])));
  harness.setChannels([{ ...one, setting: '{"timeout_first_token":0.2}' }, ...others]);
  const response = await harness.post('/v1/chat/completions', { ...chatRequest, stream: true });
  assert.is(saidIn(await response.text()), 'fine');
});

test('tries the next channel when no headers come in time', async (context) => {
  const { a, harness, channels } = context;
  const [one, ...others] = channels;
  a.script({ ...good, headersAfterMs: 2000 });
  harness.setChannels([{ ...one, setting: '{"timeout_first_byte":0.2}' }, ...others]);
  const response = await harness.post('/v1/chat/completions', chatRequest);
  assert.is(response.status, 200);
  assert.equal(counts(context), [1, 1, 0]);
});

test('makes no more extra attempts than RetryTimes', async (context) => {
  const { a, b, harness } = context;
  harness.setOptions({ RetryTimes: 1 });
  a.script(refusal(500));
  b.script(refusal(500));
  assert.is((await harness.post('/v1/chat/completions', chatRequest)).status, 500);
  assert.equal(counts(context), [1, 1, 0]);
});

test('begins no attempt more once the time for all of them has passed', async ({ a, b, channels }) => {
  const config = { retryMaxMs: 200 };
  const short = await GatewayHarness.start({ channels: channels.slice(0, 2), config, options: { RetryTimes: 2 } });
  a.script({ ...refusal(500), headersAfterMs: 400 });
  assert.is((await short.post('/v1/chat/completions', chatRequest)).status, 500);
  assert.equal([a.requests.length, b.requests.length], [1, 0]);
  await short.stop();
});

test('shows the client error among several failures, since it tells what to repair', async ({ a, b, c, harness }) => {
  harness.setOptions({ RetryTimes: 2, AutomaticRetryStatusCodes: [{ from: 400, to: 599 }] });
  a.script(refusal(422, { message: 'tools are wrong' }));
  b.script(refusal(500));
  c.script(refusal(502));
  const response = await harness.post('/v1/chat/completions', chatRequest);
  assert.is(response.status, 422);
  assert.match((await response.json()).error.message, /tools are wrong/);
});

test('never shows a refused channel key as the client’s own', async ({ a, b, c, harness }) => {
  for (const upstream of [a, b, c]) upstream.script(refusal(401, { code: 'invalid_api_key' }));
  const response = await harness.post('/v1/chat/completions', chatRequest);
  assert.is(response.status, 502);
  assert.is((await response.json()).error.code, 'upstream_auth_failed');
});

test('answers in the language the client names first and logs in that of the site', async ({ a, b, c, harness }) => {
  for (const upstream of [a, b, c]) upstream.script(refusal(401, { code: 'invalid_api_key' }));
  const headers = { 'accept-language': 'fr, zh-CN;q=0.8' };
  const response = await harness.post('/v1/chat/completions', chatRequest, { headers });
  assert.match((await response.json()).error.message, /^上游拒绝了请求 /);
  const [row] = await harness.rows();
  assert.match(row?.content ?? '', /^upstream rejected the request /);
});

test('shows the raw refusal where the channel allows it', async ({ a, harness, channels }) => {
  harness.setChannels([{ ...channels[0], setting: '{"expose_auth_error":true}' }]);
  a.script(refusal(401, { message: 'bad key' }));
  const response = await harness.post('/v1/chat/completions', chatRequest);
  assert.is(response.status, 401);
});

test('hides upstream texts on request, but for rate limits', async ({ a, harness, channels }) => {
  harness.setChannels(channels.slice(0, 1));
  harness.setOptions({ 'global.hide_upstream_error_enabled': true });
  a.script(refusal(500, { message: 'secret detail' }));
  const response = await harness.post('/v1/chat/completions', chatRequest);
  assert.match((await response.json()).error.message, /^Upstream error with status code 500/);
});

test('cools a limited key and answers 429 with a wait when everything cools', async ({ a, harness, channels }) => {
  harness.setChannels(channels.slice(0, 1));
  a.script(refusal(429, {}, { 'retry-after': '7' }));
  const first = await harness.post('/v1/chat/completions', chatRequest);
  assert.is(first.status, 429);
  assert.is(first.headers.get('retry-after'), '7');
  assert.match((await first.json()).error.message, /upstream load of the current group is saturated/);
  const second = await harness.post('/v1/chat/completions', chatRequest);
  assert.is(second.status, 429);
  assert.is((await second.json()).error.code, 'all_channels_cooling');
  assert.ok(Number(second.headers.get('retry-after')) >= 6);
  assert.is(a.requests.length, 2);
});

test('says what the client must repair even when every channel cools', async ({ a, harness, channels }) => {
  harness.setChannels(channels.slice(0, 1));
  a.script(refusal(429, {}, { 'retry-after': '7' }));
  await harness.post('/v1/chat/completions', chatRequest);
  a.script(refusal(400, { message: 'temperature is out of range' }));
  const response = await harness.post('/v1/chat/completions', chatRequest);
  assert.is(response.status, 400);
  assert.match((await response.json()).error.message, /temperature is out of range/);
});

test('goes round a cooling channel', async (context) => {
  const { a, harness } = context;
  a.script(refusal(429));
  await harness.post('/v1/chat/completions', chatRequest);
  await harness.post('/v1/chat/completions', chatRequest);
  assert.is(a.requests.length, 1);
  assert.is(context.b.requests.length + context.c.requests.length, 2);
});

test('goes round a cooling model of a key for its stand-in, too', async ({ a, b, harness }) => {
  harness.setOptions({ ModelFallbackAlias: { '*': 'gpt-4o' } });
  a.script(refusal(429, { message: 'limit of gpt-4o reached' }));
  const asked = { ...chatRequest, model: 'nobody-has-it' };
  for (const _ of [1, 2]) await (await harness.post('/v1/chat/completions', asked)).text();
  assert.equal([a.requests.length, b.requests.length], [1, 1]);
});

test('disables only the key that the upstream calls invalid', async ({ a, harness, channels }) => {
  harness.setOptions({ RetryTimes: 2, AutomaticDisableChannelEnabled: true });
  harness.setChannels([{ ...channels[0], keys: ['sk-first', 'sk-second'], setting: '{"multi_key_mode":"polling"}' }]);
  a.script((request) =>
    request.headers.authorization === 'Bearer sk-second' ? refusal(401, { code: 'invalid_api_key' }) : good,
  );
  for (let round = 0; round < 2; round += 1) {
    assert.is((await harness.post('/v1/chat/completions', chatRequest)).status, 200);
  }
  assert.equal(
    harness.disabled.map(({ channelId, keyId }) => [channelId, keyId]),
    [[1, 101]],
  );
});

test('asks once more without stream_options when the upstream does not know them, and remembers it', async (context) => {
  const { a, harness, channels } = context;
  a.script((request) =>
    request.body.includes('stream_options')
      ? refusal(400, { message: 'Unknown field stream_options', param: 'stream_options' })
      : sseAnswer(streamOf(['fine'])),
  );
  const streamed = { ...chatRequest, stream: true };
  for (const [path, body] of [
    ['/v1/chat/completions', streamed],
    ['/v1/chat/completions', { ...streamed, stream_options: { include_usage: true } }],
    ['/v1/messages', { ...streamed, max_tokens: 9 }],
  ] as const) {
    // An edit forgets what was learnt.
    harness.setChannels(channels);
    a.requests.length = 0;
    for (let round = 0; round < 2; round += 1) {
      const response = await harness.post(path, body);
      assert.match(await response.text(), '"fine"', path);
    }
    assert.is(a.requests.length, 3, path);
  }
  assert.is(context.b.requests.length, 0);
});

test('notes a missing model with the key that was asked, and nothing where it may be an id that somebody made up', async ({
  a,
  b,
  harness,
}) => {
  // The harness numbers the first channel's key so.
  const keyId = 100;
  const key = { channelId: 1, keySealed: '' };
  const { channelKeys } = harness.database.stores;
  await channelKeys.insert(Array.from({ length: keyId }, (_, at) => ({ ...key, position: at, keyHash: String(at) })));
  b.script(good);
  const noted = async (message: string, code: string | null) => {
    a.script(refusal(404, { message, code }));
    // What was found elsewhere once is asked for there first.
    const content = [{ type: 'file', file: { file_id: `file-${code}` } }];
    const asked = { model: 'gpt-4o', messages: [{ role: 'user', content }] };
    assert.is((await harness.post('/v1/chat/completions', asked)).status, 200);
    await harness.settled();
    await harness.health.flush();
    return (await channelKeys.find(keyId))?.lastError;
  };
  assert.is(await noted('No such File object: file-null', null), '');
  assert.is(await noted('The model `gpt-4o` does not exist', 'model_not_found'), 'The model `gpt-4o` does not exist');
});

test('asks no channel whose override makes a body larger than one may be', async ({ a, b, channels }) => {
  const [one, two] = channels;
  const operations = [{ mode: 'append', path: 'messages.0.content', value: 'x'.repeat(5000) }];
  const config = { maxRequestBodyBytes: 4000 };
  const growing = { ...one, paramOverride: JSON.stringify({ operations }) };
  const small = await GatewayHarness.start({ channels: [growing, { ...two }], config, options: { RetryTimes: 1 } });
  try {
    assert.is((await small.post('/v1/chat/completions', chatRequest)).status, 200);
    assert.equal([a.requests.length, b.requests.length], [0, 1]);
    small.setChannels([growing]);
    const alone = await small.post('/v1/chat/completions', chatRequest);
    assert.is((await alone.json()).error.code, 'channel:param_override_invalid');
  } finally {
    await small.stop();
  }
});

test('tells a channel nothing of the one that failed before it', async ({ a, b, harness, channels }) => {
  const [one, two] = channels;
  const setting = JSON.stringify({ header_override: { 'X-Of-A': 'canary-header' }, system_prompt: 'canary-prompt' });
  harness.setChannels([{ ...one, keys: ['canary-key'], openaiOrganization: 'canary-org', setting }, { ...two }]);
  a.script(
    jsonAnswer({ error: { message: 'canary-answer', type: 'server_error' } }, 500, { 'set-cookie': 'canary=1' }),
  );
  assert.is((await harness.post('/v1/chat/completions', chatRequest)).status, 200);
  const seen = ({ requests }: FakeUpstream) => JSON.stringify([requests[0]?.headers, String(requests[0]?.body)]);
  for (const secret of ['canary-key', 'canary-org', 'canary-header', 'canary-prompt']) assert.match(seen(a), secret);
  assert.not.match(seen(b), 'canary');
});

test('sends every attempt the client’s own body', async ({ a, b, harness, channels }) => {
  const [one, two] = channels;
  harness.setChannels([
    { ...one, modelMapping: '{"gpt-4o":"mapped"}', paramOverride: '{"temperature":2}' },
    { ...two },
  ]);
  a.script(refusal(500));
  await harness.post('/v1/chat/completions', chatRequest);
  assert.is(a.requests[0]?.body.toString().includes('"mapped"'), true);
  assert.is(b.requests[0]?.body.toString(), JSON.stringify(chatRequest));
});

test('names the key that answered where its channel has several', async ({ a, harness }) => {
  for (const keys of [['one'], ['one', 'two']]) {
    harness.setChannels([{ id: 1, baseUrl: a.url, models: 'gpt-4o', keys }]);
    assert.is((await harness.post('/v1/chat/completions', chatRequest)).status, 200);
  }
  const [alone, several] = (await harness.rows()).map(({ facts }) => Object(facts.admin_info));
  const used = String(a.requests[1]?.headers.authorization).replace('Bearer ', '');
  assert.equal([alone.is_multi_key, alone.multi_key_index], [undefined, undefined]);
  assert.equal([several.is_multi_key, several.multi_key_index], [true, ['one', 'two'].indexOf(used)]);
});

test.run();

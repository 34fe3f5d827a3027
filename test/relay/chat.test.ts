import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { resolvesWithin } from '../support/until.ts';
import { chatRequest, chunk, completion, events, saidIn, streamOf } from './wire.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: chat');

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream(jsonAnswer(completion()));
  context.harness = await GatewayHarness.start({ channels: [{ baseUrl: context.upstream.url, models: 'gpt-4o' }] });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

test('answers a chat call, charges it and logs it', async ({ harness, upstream }) => {
  const response = await harness.post('/v1/chat/completions', chatRequest);
  assert.is(response.status, 200);
  assert.equal(await response.json(), completion());
  assert.is(upstream.requests[0]?.url, '/v1/chat/completions');
  assert.is(upstream.requests[0]?.headers.authorization, 'Bearer sk-one');
  assert.match(response.headers.get('x-request-id') ?? '', /^\d{23}[A-Za-z0-9]{8}$/);
  const [row] = await harness.rows();
  // (12 + 5 x 4) x 1.25
  assert.is(row?.quota, 40);
  assert.is(row?.promptTokens, 12);
  assert.is(row?.completionTokens, 5);
  assert.is(row?.facts.settle_reason, 'complete');
  assert.is((await harness.user()).quota, 100_000_000 - 40);
  assert.is((await harness.user()).usedQuota, 40);
});

test('streams an answer, asks for usage and hides it from a client that did not', async ({ harness, upstream }) => {
  upstream.script(sseAnswer(streamOf(['Hel', 'lo'])));
  const response = await harness.post('/v1/chat/completions', { ...chatRequest, stream: true });
  assert.is(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  const text = await response.text();
  assert.is(saidIn(text), 'Hello');
  assert.is(events(text).at(-1), '[DONE]');
  assert.not.match(text, /"usage"/);
  assert.match(upstream.requests[0]?.body.toString() ?? '', /"stream_options":\{"include_usage":true\}/);
  const [row] = await harness.rows();
  assert.is(row?.quota, 40);
  assert.is(row?.isStream, true);
});

test('shows the usage chunk to a client that asked', async ({ harness, upstream }) => {
  upstream.script(sseAnswer(streamOf(['Hi'])));
  const response = await harness.post('/v1/chat/completions', {
    ...chatRequest,
    stream: true,
    stream_options: { include_usage: true },
  });
  const shown = events(await response.text()).filter((payload) => payload.includes('"usage"'));
  assert.is(shown.length, 1);
});

test('shows the last of several reports to a client that asked, and charges it', async ({ harness, upstream }) => {
  const report = (completion_tokens: number) =>
    chunk({}, { choices: [], usage: { prompt_tokens: 12, completion_tokens } });
  upstream.script(sseAnswer([...streamOf(['Hi'], false).slice(0, -1), report(2), report(7), '[DONE]']));
  const response = await harness.post('/v1/chat/completions', {
    ...chatRequest,
    stream: true,
    stream_options: { include_usage: true },
  });
  const shown = events(await response.text()).filter((payload) => payload.includes('"usage"'));
  assert.equal(
    shown.map((payload) => JSON.parse(payload).usage),
    [{ prompt_tokens: 12, completion_tokens: 7 }],
  );
  const [row] = await harness.rows();
  assert.equal([row?.promptTokens, row?.completionTokens], [12, 7]);
});

test('gives a client that asked an estimate when the upstream reports no usage', async ({ harness, upstream }) => {
  upstream.script(sseAnswer(streamOf(['Hello', ' world'], false)));
  const response = await harness.post('/v1/chat/completions', {
    ...chatRequest,
    stream: true,
    stream_options: { include_usage: true },
  });
  const text = await response.text();
  const reported = events(text).filter((payload) => payload.includes('"usage"'));
  assert.is(reported.length, 1);
  assert.ok(JSON.parse(reported[0] ?? '').usage.prompt_tokens > 0, 'a short prompt is estimated too');
  assert.is(events(text).at(-1), '[DONE]');
  const [row] = await harness.rows();
  assert.is(row?.facts.usage_estimated, true);
  assert.ok((row?.completionTokens ?? 0) > 0);
});

test('sends a body through byte for byte except for what must change', async ({ harness, upstream }) => {
  const body =
    '{ "zeta":1e400,"model":"gpt-4o", "big":12345678901234567890,"messages":[{"role":"user","content":"hi","x":null}],"0":0 }';
  const response = await harness.post('/v1/chat/completions', body.replace('1e400', '1.50'));
  assert.is(response.status, 200);
  assert.is(upstream.requests[0]?.body.toString(), body.replace('1e400', '1.50'));
});

test('maps the model upstream and shows the client its own name', async ({ harness, upstream }) => {
  harness.setChannels([{ baseUrl: upstream.url, models: 'gpt-4o', modelMapping: '{"gpt-4o":"deep-model"}' }]);
  const body = '{"a":12345678901234567890,"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}';
  const response = await harness.post('/v1/chat/completions', body);
  assert.is((await response.json()).model, 'gpt-4o');
  assert.is(upstream.requests[0]?.body.toString(), body.replace('gpt-4o', 'deep-model'));
  upstream.script(sseAnswer(streamOf(['x'])));
  const streamed = await harness.post('/v1/chat/completions', { ...chatRequest, stream: true });
  const named = events(await streamed.text()).filter((payload) => payload !== '[DONE]');
  assert.ok(named.length > 0);
  for (const payload of named) assert.is(JSON.parse(payload).model, 'gpt-4o');
  const rows = await harness.rows();
  assert.is(rows[0]?.facts.upstream_model_name, 'deep-model');
});

test('turns a whole answer into a stream for a client that asked for one', async ({ harness }) => {
  const response = await harness.post('/v1/chat/completions', { ...chatRequest, stream: true });
  const text = await response.text();
  assert.is(saidIn(text), 'Hello there');
  assert.is(events(text).at(-1), '[DONE]');
});

test('assembles a stream that nobody asked for', async ({ harness, upstream }) => {
  upstream.script(sseAnswer(streamOf(['Hel', 'lo'])));
  const response = await harness.post('/v1/chat/completions', chatRequest);
  const body = await response.json();
  assert.is(body.choices[0].message.content, 'Hello');
  assert.is(body.object, 'chat.completion');
  assert.is((await harness.rows())[0]?.quota, 40);
});

test('keeps a client waiting with comments where the channel answers only in one piece', async ({
  harness,
  upstream,
}) => {
  harness.setChannels([{ baseUrl: upstream.url, models: 'gpt-4o', setting: '{"stream_support":"NON_STREAM_ONLY"}' }]);
  upstream.script({ ...jsonAnswer(completion()), headersAfterMs: 100 });
  const response = await harness.post('/v1/chat/completions', { ...chatRequest, stream: true });
  const text = await response.text();
  assert.ok(text.startsWith(': WAITING FOR UPSTREAM\n\n'));
  assert.is(saidIn(text), 'Hello there');
  assert.is(JSON.parse(upstream.requests[0]?.body.toString() ?? '{}').stream, false);
});

test('aborts the upstream when the client leaves, and bills what was received', async ({ harness, upstream }) => {
  upstream.script(
    sseAnswer([...Array.from({ length: 200 }, (_, at) => chunk({ content: `word${at} ` }))], { pauseMs: 20 }),
  );
  const abort = new AbortController();
  const response = await harness.post(
    '/v1/chat/completions',
    { ...chatRequest, stream: true },
    { signal: abort.signal },
  );
  const reader = response.body?.getReader();
  for (let read = 0; read < 3; read += 1) await reader?.read();
  abort.abort();
  await resolvesWithin(1000, upstream.requests[0]?.aborted);
  const rows = await harness.rows();
  assert.is(rows.length, 1);
  assert.is(rows[0]?.facts.settle_reason, 'client_gone');
  assert.is(rows[0]?.facts.usage_estimated, true);
  assert.ok((rows[0]?.quota ?? 0) > 0);
  assert.is(upstream.requests.length, 1);
  assert.is(harness.disabled.length, 0);
});

test('ends a stream whose upstream dies with an error object and no end mark', async ({ harness, upstream }) => {
  upstream.script(sseAnswer([chunk({ content: 'one ' }), chunk({ content: 'two' })], { end: 'reset' }));
  const response = await harness.post('/v1/chat/completions', { ...chatRequest, stream: true });
  const text = await response.text();
  assert.is(saidIn(text), 'one two');
  assert.not.match(text, /\[DONE\]/);
  assert.ok(JSON.parse(events(text).at(-1) ?? '{}').error);
  const [row] = await harness.rows();
  assert.is(row?.facts.settle_reason, 'upstream_eof');
  assert.ok((row?.quota ?? 0) > 0);
});

test.run();

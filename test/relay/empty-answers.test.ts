/** Which answers are free because there is nothing in them (relay.md 15.7). Runs once: it looks at what one row is charged. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { type Answer, type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { mp3 } from '../support/sound-files.ts';
import { chatRequest, chunk, completion, finishChunk, roleChunk, usage, usageChunk } from './wire.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: empty answers');

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  context.harness = await GatewayHarness.start({
    channels: [{ id: 1, baseUrl: context.upstream.url, models: 'gpt-4o' }],
    options: { EmptyAnswerFree: true },
  });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.settled();
  await harness.stop();
  await upstream.close();
});

test('does not bill an answer of nothing but white space, unless it was cut', async ({ harness, upstream }) => {
  const blank = { prompt_tokens: 12, completion_tokens: 2, total_tokens: 14 };
  upstream.script(sseAnswer([chunk({ content: ' \n' }), finishChunk, { ...usageChunk, usage: blank }, '[DONE]']));
  await (await harness.post('/v1/chat/completions', { ...chatRequest, stream: true })).text();
  const cut = chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: 'length' }] });
  upstream.script(sseAnswer([chunk({ content: ' ' }), cut, { ...usageChunk, usage: blank }, '[DONE]']));
  await (await harness.post('/v1/chat/completions', { ...chatRequest, stream: true })).text();
  const rows = await harness.rows();
  assert.equal(
    rows.map((row) => row.quota),
    [0, 25],
  );
});

test('bills the question of an answer that broke off before it had said anything', async ({ harness, upstream }) => {
  upstream.script(sseAnswer([chunk({ content: ' \n' }), usageChunk], { end: 'reset' }));
  await (await harness.post('/v1/chat/completions', { ...chatRequest, stream: true })).text().catch(() => undefined);
  const [row] = await harness.rows();
  assert.is(row?.facts.settle_reason, 'upstream_eof');
  assert.ok((row?.quota ?? 0) > 0);
});

test('does not bill a completion of nothing but white space either', async ({ harness, upstream }) => {
  const blank = { prompt_tokens: 12, completion_tokens: 2, total_tokens: 14 };
  for (const text of [' \n', 'a']) {
    const choices = [{ index: 0, text, finish_reason: 'stop' }];
    upstream.script(jsonAnswer({ id: 'cmpl-1', object: 'text_completion', model: 'gpt-4o', choices, usage: blank }));
    await (await harness.post('/v1/completions', { model: 'gpt-4o', prompt: 'Say nothing' })).text();
  }
  assert.equal(
    (await harness.rows()).map(({ quota }) => quota),
    [0, 25],
  );
});

test('gives away ten tokens of white space, and bills eleven', async ({ harness, upstream }) => {
  for (const completion_tokens of [10, 11]) {
    const blank = { prompt_tokens: 12, completion_tokens, total_tokens: 12 + completion_tokens };
    upstream.script(sseAnswer([chunk({ content: ' \n' }), finishChunk, { ...usageChunk, usage: blank }, '[DONE]']));
    await (await harness.post('/v1/chat/completions', { ...chatRequest, stream: true })).text();
  }
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ quota }) => quota),
    [0, 70],
  );
});

test('bills the price of a call that was answered with nothing, where such answers are not given away', async (world) => {
  const { harness, upstream } = world;
  harness.setOptions({ EmptyAnswerFree: false, ModelPrice: { 'gpt-4o': 0.01 } });
  const blank = { prompt_tokens: 12, completion_tokens: 2, total_tokens: 14 };
  upstream.script(sseAnswer([roleChunk, finishChunk, { ...usageChunk, usage: blank }, '[DONE]']));
  await (await harness.post('/v1/chat/completions', { ...chatRequest, stream: true })).text();
  assert.equal(
    (await harness.rows()).map(({ quota }) => quota),
    [5000],
  );
});

test('bills an answer without text that was thought about, or searched for', async ({ harness, upstream }) => {
  const thought = { ...usage, completion_tokens_details: { reasoning_tokens: 5 } };
  const silent = { index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' };
  const searched = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
  const response = { id: 'r1', object: 'response', status: 'completed', output: [searched], usage };
  const answers: readonly (readonly [path: string, body: JsonObject, Answer])[] = [
    ['/v1/chat/completions', chatRequest, jsonAnswer(completion({ choices: [silent], usage: thought }))],
    [
      '/v1/chat/completions',
      { ...chatRequest, stream: true },
      sseAnswer([roleChunk, finishChunk, { ...usageChunk, usage: thought }, '[DONE]']),
    ],
    ['/v1/responses', { model: 'gpt-4o', input: 'hi' }, jsonAnswer(response)],
  ];
  for (const [path, body, answer] of answers) {
    upstream.script(answer);
    await (await harness.post(path, body)).text();
  }
  const rows = await harness.rows();
  assert.equal(
    rows.filter(({ facts }) => facts.tool === undefined).map(({ quota }) => quota),
    [40, 40, 40],
  );
});

test('holds an error inside a 200, or an answer without anything, against its channel, and bills neither', async (world) => {
  const { harness, upstream } = world;
  harness.setOptions({ AutomaticDisableChannelEnabled: true, AutomaticDisableFailures: 1 });
  const error = { error: { message: 'broken inside', type: 'server_error' } };
  const ends: readonly Answer[] = [
    jsonAnswer(error),
    jsonAnswer(completion({ choices: [], usage: null })),
    sseAnswer([error]),
    sseAnswer([roleChunk, '[DONE]']),
  ];
  for (const [index, answer] of ends.entries()) {
    upstream.script(answer);
    const response = await harness.post('/v1/chat/completions', { ...chatRequest, stream: index > 1 });
    assert.ok(response.status >= 400, await response.text());
    await harness.settled();
    assert.is(harness.disabled.length, index + 1, `answer ${index}`);
  }
  assert.equal(
    (await harness.rows()).map(({ failed, quota }) => [failed, quota]),
    ends.map(() => [true, 0]),
  );
});

test('takes no page and no JSON without its lists for vectors, verdicts or a transcript, and bills none', async (world) => {
  const { harness, upstream } = world;
  const models = 'text-embedding-3-small,omni-moderation-latest,whisper-1';
  const upload = new FormData();
  upload.set('model', 'whisper-1');
  upload.set('file', new Blob([new Uint8Array(mp3(10))]), 'a.mp3');
  const asked: readonly (readonly [path: string, body: string | FormData])[] = [
    ['/v1/embeddings', JSON.stringify({ model: 'text-embedding-3-small', input: 'a' })],
    ['/v1/moderations', JSON.stringify({ model: 'omni-moderation-latest', input: 'a' })],
    ['/v1/audio/transcriptions', upload],
  ];
  const page = `<!DOCTYPE html><html><body>${upstream.url} says welcome</body></html>`;
  const answers: readonly Answer[] = [
    { headers: { 'content-type': 'text/html' }, chunks: [page] },
    jsonAnswer({}),
    jsonAnswer({ data: { a: 1 }, results: 'none', usage: { prompt_tokens: 5, total_tokens: 5 } }),
    jsonAnswer({ data: [], results: [] }),
  ];
  for (const [at, answer] of answers.entries()) {
    upstream.script(answer);
    // Of its own, lest it cools.
    harness.setChannels([{ id: at + 2, type: 1, baseUrl: upstream.url, models, keys: ['sk-up'] }]);
    for (const [path, body] of at < 2 ? asked : asked.slice(0, 2)) {
      const headers = { authorization: `Bearer sk-${harness.key}` };
      const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
      const response = await fetch(harness.url + path, { method: 'POST', headers: { ...headers, ...type }, body });
      const text = await response.text();
      assert.is(response.status, 502, `${path}: ${text}`);
      assert.match(JSON.parse(text).error.code, /^(empty_response|bad_response_body)$/);
      assert.not.ok(text.includes(new URL(upstream.url).host));
    }
  }
  const rows = await harness.rows();
  assert.not.ok(rows.some(({ quota }) => quota > 0));
});

test.run();

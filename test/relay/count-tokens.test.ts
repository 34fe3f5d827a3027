/** Counting tokens: asked upstream where it can be, else counted here, free in both cases (relay.md 6.4, 7.1). */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openCounters } from '../support/count-limits.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness, type HarnessChannel, type HarnessOptions } from '../support/gateway-harness.ts';
import { recordedAnswer, recordedBody, recordedRequest } from '../support/recorded-call.ts';

interface Context {
  upstream: FakeUpstream;
  start: (type: number, options?: Partial<HarnessOptions>, channel?: HarnessChannel) => Promise<GatewayHarness>;
  harnesses: GatewayHarness[];
}

const test = suite<Context>('relay: counting tokens');
const model = 'some-model';

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  context.harnesses = [];
  context.start = async (type, options = {}, channel = {}) => {
    const { upstream } = context;
    const channels = [{ id: 1, type, baseUrl: upstream.url, models: model, keys: ['k'], ...channel }];
    const harness = await GatewayHarness.start({ channels, ...options });
    context.harnesses.push(harness);
    return harness;
  };
});
test.after.each(async ({ harnesses, upstream }) => {
  for (const harness of harnesses) await harness.stop();
  await upstream.close();
});

const broke = { user: { quota: 0 }, token: { unlimitedQuota: true } };

test('passes Anthropic’s question on for a user without money, and logs it for nothing', async ({
  start,
  upstream,
}) => {
  const harness = await start(14, broke);
  upstream.script(recordedAnswer('anthropic/anthropic-counttokens--anthropic-count-tokens-5'));
  const client = new Anthropic({ apiKey: `sk-${harness.key}`, baseURL: harness.url, maxRetries: 0 });
  const asked = recordedRequest('anthropic/anthropic-counttokens--anthropic-count-tokens-5') ?? {};
  const counted = await client.messages.countTokens({
    model,
    messages: [{ role: 'user', content: 'hi' }],
    system: JSON.stringify(asked).slice(0, 40),
  });
  assert.is(counted.input_tokens, 669);
  const [request] = upstream.requests;
  assert.is(request?.url, '/v1/messages/count_tokens');
  assert.is(JSON.parse(request?.body.toString() ?? '').max_tokens, undefined);
  const [row, ...more] = await harness.rows();
  assert.is(more.length, 0);
  assert.equal([row?.type, row?.quota, row?.promptTokens, row?.failed], [2, 0, 0, false]);
  assert.is((await harness.database.stores.users.find(1))?.requestCount, 0);
});

test('passes Gemini’s question on, whole requests with the model that the upstream knows', async ({
  start,
  upstream,
}) => {
  const harness = await start(24, broke);
  upstream.script(recordedAnswer('gemini/gemini-counttokens--google-count-tokens-1'));
  const client = new GoogleGenAI({ apiKey: `sk-${harness.key}`, httpOptions: { baseUrl: harness.url } });
  const counted = await client.models.countTokens({ model, contents: 'hi' });
  assert.is(counted.totalTokens, 10);
  assert.is(upstream.requests[0]?.url, `/v1beta/models/${model}:countTokens`);
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  for (const member of ['generateContentRequest', 'generate_content_request']) {
    await harness.post(`/v1beta/models/${model}:countTokens`, { [member]: { model: 'models/x', contents } });
    const sent = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? '');
    assert.equal(sent, { [member]: { model: `models/${model}`, contents } });
  }
});

test('asks Vertex’s counter with what it reads of a whole request, for it has no member for one', async ({
  start,
  upstream,
}) => {
  const gemini = 'gemini-3.5-flash';
  const harness = await start(41, broke, { models: gemini, keys: ['acme|AIza-key'], other: 'us-central1' });
  upstream.script(recordedAnswer('gemini/gemini-counttokens--google-count-tokens-1'));
  const systemInstruction = { parts: [{ text: 's' }] };
  const generateContentRequest = {
    model: `models/${gemini}`,
    contents: [{ parts: [{ text: 'hi' }] }, { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'look' } }] }],
    systemInstruction,
    toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
    safetySettings: [],
  };
  const counted = await harness.post(`/v1beta/models/${gemini}:countTokens`, { generateContentRequest });
  assert.is((await counted.json()).totalTokens, 10);
  assert.match(upstream.requests[0]?.url ?? '', /\/locations\/us-central1\/.*gemini-3\.5-flash:countTokens$/);
  assert.equal(JSON.parse(upstream.requests[0]?.body.toString() ?? ''), {
    contents: [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ functionCall: { name: 'look' } }] },
    ],
    systemInstruction,
  });
});

test('counts here where no channel of that protocol serves the model, and writes no row', async ({
  start,
  upstream,
}) => {
  const harness = await start(1, broke);
  const words = 'several words that make a prompt of some length '.repeat(20);
  const messages = [{ role: 'user', content: words }];
  const anthropic = await harness.post('/v1/messages/count_tokens?beta=true', { model, messages });
  const { input_tokens: tokens } = await anthropic.json();
  assert.ok(tokens > 150 && tokens < 300, String(tokens));
  const contents = [
    { role: 'user', parts: [{ text: words }, { inlineData: { mimeType: 'image/png', data: 'A'.repeat(40_000) } }] },
  ];
  const gemini = await harness.post(`/v1beta/models/${model}:countTokens`, { contents });
  const counted = await gemini.json();
  // The image counts as one, not as forty thousand characters of text.
  assert.ok(counted.totalTokens > 600 && counted.totalTokens < 1200, String(counted.totalTokens));
  assert.equal(counted.promptTokensDetails, [{ modality: 'TEXT', tokenCount: counted.totalTokens }]);
  assert.is(upstream.requests.length, 0);
  assert.is((await harness.rows()).length, 0);
});

test('counts here where the upstream has no counter, and holds that against nobody', async ({ start, upstream }) => {
  const messages = [{ role: 'user', content: 'several words that make a prompt' }];
  for (const [status, body] of [
    // A page, or an answer of another kind, where the counter should be.
    [200, '<!doctype html>'],
    [200, { choices: [{ message: { role: 'assistant', content: 'hi' } }] }],
    [404, { error: { message: 'Invalid URL (POST /v1/messages/count_tokens)', type: 'invalid_request_error' } }],
    [405, { detail: 'Method Not Allowed' }],
    [501, 'not implemented'],
  ] as const) {
    const harness = await start(14, { ...broke, options: { AutomaticDisableFailures: 1, RetryTimes: 2 } });
    upstream.script(jsonAnswer(body, status));
    for (let times = 0; times < 4; times += 1) {
      const counted = await harness.post('/v1/messages/count_tokens', { model, messages });
      assert.is(counted.status, 200, String(status));
      const { input_tokens: tokens } = await counted.json();
      assert.ok(tokens >= 6 && tokens < 20, String(tokens));
    }
    assert.is((await harness.rows()).length, 0);
    assert.is(harness.disabled.length, 0);
    // Neither is the channel paused: three such failures of any other call would do that.
    upstream.script(jsonAnswer({ input_tokens: 7 }));
    const asked = await harness.post('/v1/messages/count_tokens', { model, messages });
    assert.equal(await asked.json(), { input_tokens: 7 });
  }
});

test('asks the next channel’s counter first, and counts Gemini’s prompts here too', async ({ start, upstream }) => {
  const missing = jsonAnswer({ error: { code: 404, message: 'no such method', status: 'NOT_FOUND' } }, 404);
  const gemini = await start(24, broke);
  upstream.script(missing);
  const contents = [{ role: 'user', parts: [{ text: 'several words that make a prompt' }] }];
  const counted = await gemini.post(`/v1beta/models/${model}:countTokens`, { contents });
  const { totalTokens: tokens } = await counted.json();
  assert.ok(tokens >= 6 && tokens < 20, String(tokens));
  const [only] = contents.flatMap(({ parts }) => parts);
  for (const asked of [
    { generateContentRequest: { contents } },
    { generate_content_request: { contents } },
    { contents: [{ role: 'user', parts: only }] },
  ]) {
    const again = await gemini.post(`/v1beta/models/${model}:countTokens`, asked);
    assert.is((await again.json()).totalTokens, tokens, JSON.stringify(asked));
  }
  const both = await start(14, { options: { RetryTimes: 1 } });
  both.setChannels(
    [1, 2].map((id) => ({ id, type: 14, priority: -id, baseUrl: upstream.url, models: model, keys: [`k${id}`] })),
  );
  upstream.script(({ headers }) => (headers['x-api-key'] === 'k1' ? missing : jsonAnswer({ input_tokens: 42 })));
  const asked = { model, messages: [{ role: 'user', content: 'hi' }] };
  assert.equal(await (await both.post('/v1/messages/count_tokens', asked)).json(), { input_tokens: 42 });
});

test('tells every other refusal of a counter', async ({ start, upstream }) => {
  const harness = await start(14, broke);
  upstream.script(
    jsonAnswer({ type: 'error', error: { type: 'invalid_request_error', message: 'messages: no' } }, 400),
  );
  const asked = { model, messages: [{ role: 'user', content: 'hi' }] };
  assert.is((await harness.post('/v1/messages/count_tokens', asked)).status, 400);
});

const bedrockKey = 'AKIAIOSFODNN7EXAMPLE|secret|eu-west-1';

test('asks Bedrock for the very bytes that it would be sent, under the model’s own id', async ({ start, upstream }) => {
  const harness = await start(33, {}, { models: 'claude-sonnet-4-20250514,nova-pro', keys: [bedrockKey] });
  for (const name of ['anthropic-bedrock-count-tokens-real-api', 'bedrock-model-usage-limit-exceeded']) {
    upstream.script(recordedAnswer(`bedrock/bedrock-counttokens--${name}`));
    const counted = await harness.post('/v1/messages/count_tokens', {
      model: 'claude-sonnet-4-20250514',
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'hi' }],
      metadata: { user_id: 'u' },
    });
    const { inputTokens } = recordedBody(`bedrock/bedrock-counttokens--${name}`);
    assert.equal(await counted.json(), { input_tokens: inputTokens });
  }
  const [request] = upstream.requests;
  assert.is(request?.url, '/model/anthropic.claude-sonnet-4-20250514-v1%3A0/count-tokens');
  assert.match(request?.headers.authorization ?? '', /^AWS4-HMAC-SHA256 /);
  const { input } = JSON.parse(request?.body.toString() ?? '');
  assert.equal(JSON.parse(Buffer.from(input.invokeModel.body, 'base64').toString()), {
    system: 'Be brief.',
    messages: [{ role: 'user', content: 'hi' }],
    max_tokens: 8192,
    anthropic_version: 'bedrock-2023-05-31',
  });
  // Models of others have no such counter: nobody is asked.
  const local = await harness.post('/v1/messages/count_tokens', {
    model: 'nova-pro',
    messages: [{ role: 'user', content: 'hi' }],
  });
  assert.is(local.status, 200);
  assert.is(upstream.requests.length, 2);
  upstream.script(recordedAnswer('bedrock/bedrock-counttokens--bedrock-count-tokens-error'));
  const asked = { model: 'claude-sonnet-4-20250514', messages: [{ role: 'user', content: 'hi' }] };
  assert.is((await harness.post('/v1/messages/count_tokens', asked)).status, 404);
});

test('answers unknown models and broken questions in the dialect of the client', async ({ start }) => {
  const harness = await start(1);
  const messages = [{ role: 'user', content: 'hi' }];
  const unknown = await harness.post('/v1/messages/count_tokens', { model: 'nobody-has-it', messages });
  assert.is(unknown.status, 404);
  assert.is((await unknown.json()).error.type, 'not_found_error');
  const empty = await harness.post(`/v1beta/models/${model}:countTokens`, { contents: [] });
  assert.is(empty.status, 400);
  assert.is((await empty.json()).error.status, 'INVALID_ARGUMENT');
});

test('refuses what could not be asked either, whether nobody has a counter or the upstream turns out to have none', async ({
  start,
  upstream,
}) => {
  for (const type of [1, 14]) {
    const harness = await start(type);
    upstream.script(jsonAnswer({ error: 'no such page' }, 404));
    for (const messages of [[{ role: 'user', content: 5 }], [{ role: 'nobody', content: 'hi' }]]) {
      const counted = await harness.post('/v1/messages/count_tokens', { model, messages });
      assert.is(counted.status, 400);
      const { type: kind, error } = JSON.parse(await counted.text());
      assert.equal([kind, error.type], ['error', 'invalid_request_error']);
      assert.match(error.message, /messages/);
    }
  }
  const harness = await start(1);
  const contents = [{ role: 'user', parts: 5 }];
  for (const body of [{ contents }, { generateContentRequest: { contents } }]) {
    const counted = await harness.post(`/v1beta/models/${model}:countTokens`, body);
    assert.is(counted.status, 400);
    assert.match(JSON.parse(await counted.text()).error.message, /contents\[0\]\.parts/);
  }
});

test('takes nothing from the budgets of the channel that counts', async ({ start, upstream }) => {
  const budgets = JSON.stringify([{ kind: 'requests', per: 'day', limit: 1 }]);
  const harness = await start(14, { options: { ModelRatio: { [model]: 1 } } }, { budgets });
  const body = { model, messages: [{ role: 'user', content: 'hi' }] };
  upstream.script(recordedAnswer('anthropic/anthropic-counttokens--anthropic-count-tokens-5'));
  for (const asked of [1, 2]) {
    assert.is((await harness.post('/v1/messages/count_tokens', body)).status, 200);
    await harness.settled();
    assert.is(upstream.requests.length, asked);
  }
  const usage = { input_tokens: 1, output_tokens: 1 };
  const content = [{ type: 'text', text: 'Hello' }];
  upstream.script(jsonAnswer({ id: 'm', type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage }));
  assert.is((await harness.post('/v1/messages', { ...body, max_tokens: 9 })).status, 200);
  await harness.settled();
  assert.is.not((await harness.post('/v1/messages', { ...body, max_tokens: 9 })).status, 200, 'which is spent now');
});

test('limits counting by a limit of its own', async ({ start }) => {
  const harness = await start(1, { limits: openCounters(2) });
  const count = () => harness.post('/v1/messages/count_tokens', { model, messages: [{ role: 'user', content: 'a' }] });
  assert.is((await count()).status, 200);
  assert.is((await count()).status, 200);
  const third = await count();
  assert.is(third.status, 429);
  assert.is((await third.json()).error.type, 'rate_limit_error');
  assert.ok(Number(third.headers.get('retry-after')) > 0);
});

test.run();

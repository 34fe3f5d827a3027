/** Counting tokens: asked upstream where it can be, else counted here, free in both cases (relay.md 6.4, 7.1). */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openCounters } from '../support/count-limits.ts';
import { type FakeUpstream, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness, type HarnessOptions } from '../support/gateway-harness.ts';
import { recordedAnswer, recordedRequest } from '../support/recorded-call.ts';

interface Context {
  upstream: FakeUpstream;
  start: (type: number, options?: Partial<HarnessOptions>) => Promise<GatewayHarness>;
  harnesses: GatewayHarness[];
}

const test = suite<Context>('relay: counting tokens');
const model = 'some-model';

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  context.harnesses = [];
  context.start = async (type, options = {}) => {
    const { upstream } = context;
    const channels = [{ id: 1, type, baseUrl: upstream.url, models: model, keys: ['k'] }];
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
  await harness.post(`/v1beta/models/${model}:countTokens`, {
    generateContentRequest: { model: 'models/x', contents },
  });
  const sent = JSON.parse(upstream.requests[1]?.body.toString() ?? '');
  assert.equal(sent, { generateContentRequest: { model: `models/${model}`, contents } });
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

/**
 * What holds for every path that asks a model, walked by the table of paths itself: each writes a log row and has a price,
 * or is answered here, or has a limit of its own (REQ-25); each asks for a key (S23), and none lets its caller name the
 * upstream (S24). A path without an entry below fails here. Tasks and sockets are walked by
 * `every-task-route.test.ts`; the playground, which asks for a session, has a suite of its own.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { relayCallPaths } from '../../daemon/http/routes/relay-paths.ts';
import { openCounters } from '../support/count-limits.ts';
import { type Answer, type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { recordedAnswer } from '../support/recorded-call.ts';
import * as sounds from '../support/sound-files.ts';
import { completion } from './wire.ts';

interface World {
  upstream: FakeUpstream;
  /** Where callers would like to be sent. */
  elsewhere: FakeUpstream;
  harness: GatewayHarness;
}

interface Route {
  readonly model: string;
  readonly body: Record<string, unknown> | (() => FormData);
  /** What its bill is: by the price of the model, nothing with a row, or no row since nobody is asked. */
  readonly bill: 'priced' | 'free' | 'counted here';
}

/** Calls that count tokens, as many as a user may make in a minute. */
const COUNTS = 60;
const messages = [{ role: 'user', content: 'hi' }];
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
const chat: Route = { model: 'gpt-4o', body: { messages, stream: false }, bill: 'priced' };
const embeddings: Route = { model: 'text-embedding-3-small', body: { input: 'hi' }, bill: 'priced' };
const images: Route = { model: 'dall-e-2', body: { prompt: 'a cat' }, bill: 'priced' };
const edits: Route = { model: 'dall-e-2', body: () => form('image', 'image/png', 'a.png'), bill: 'priced' };
const sound: Route = { model: 'whisper-1', body: () => form('file', 'audio/wav', 'a.wav'), bill: 'priced' };
const rerank: Route = { model: 'jina-reranker-m0', body: { query: 'q', documents: ['a', 'b', 'c'] }, bill: 'priced' };
const gemini: Route = { model: 'gpt-4o', body: { contents }, bill: 'priced' };
const imagen: Route = {
  model: 'imagen-4.0-generate-001',
  body: { instances: [{ prompt: 'a cat' }], parameters: { sampleCount: 1 } },
  bill: 'priced',
};
const geminiEmbedding: Route = {
  model: 'text-embedding-3-small',
  body: { content: { parts: [{ text: 'hi' }] } },
  bill: 'priced',
};

const routes: Readonly<Record<string, Route>> = {
  '/v1/chat/completions': chat,
  '/v1/completions': { model: 'gpt-3.5-turbo-instruct', body: { prompt: 'hi' }, bill: 'priced' },
  '/v1/embeddings': embeddings,
  '/v1/moderations': { model: 'omni-moderation-latest', body: { input: 'hi' }, bill: 'free' },
  '/v1/responses': { ...chat, body: { input: 'hi' } },
  '/v1/responses/compact': { ...chat, body: { input: 'hi' } },
  '/v1/messages': { ...chat, body: { messages, max_tokens: 9 } },
  '/v1/messages/count_tokens': { ...chat, body: { messages }, bill: 'counted here' },
  '/v1/edits': { ...chat, body: { instruction: 'mend', input: 'hi' } },
  '/v1/images/generations': images,
  '/v1/images/edits': edits,
  '/v1/images/variations': edits,
  '/v1/audio/speech': { model: 'tts-1', body: { input: 'hi', voice: 'ash' }, bill: 'priced' },
  '/v1/audio/transcriptions': sound,
  '/v1/audio/translations': sound,
  '/v1/rerank': rerank,
  '/v2/rerank': rerank,
  '/rerank': rerank,
  '/v1beta/openai/chat/completions': chat,
  '/v1beta/openai/embeddings': embeddings,
  '/v1/engines/{model}/embeddings': embeddings,
  '/v1beta/models/{model}:generateContent': gemini,
  '/v1beta/models/{model}:streamGenerateContent': gemini,
  '/v1beta/models/{model}:embedContent': geminiEmbedding,
  '/v1beta/models/{model}:batchEmbedContents': { ...geminiEmbedding, body: { requests: [geminiEmbedding.body] } },
  '/v1beta/models/{model}:predict': imagen,
  '/v1beta/models/{model}:countTokens': { ...gemini, bill: 'counted here' },
};

function form(field: string, type: string, name: string): FormData {
  const made = new FormData();
  made.set('prompt', 'a cat');
  made.set(field, new Blob([new Uint8Array(sounds.wav(2))], { type }), name);
  return made;
}

function answerTo(url: string): Answer {
  if (url.endsWith(':predict'))
    return jsonAnswer({ predictions: [{ bytesBase64Encoded: 'aGk=', mimeType: 'image/png' }] });
  if (url.includes('/images/')) return jsonAnswer({ created: 1, data: [{ b64_json: 'aGk=' }] });
  if (url.endsWith('/speech')) return recordedAnswer('openai/oa-audio-speech--default-body-returns-mp3');
  if (url.includes('/audio/')) return jsonAnswer({ text: 'hello' });
  if (url.endsWith('/rerank')) return recordedAnswer('llamacpp/jina-rerank--multiple-documents');
  if (url.endsWith('/moderations'))
    return recordedAnswer('openai/oa-moderations--moderation-moderate-with-openai-provider-moderates-text');
  if (url.endsWith('/embeddings')) {
    const usage = { prompt_tokens: 100, total_tokens: 100 };
    return jsonAnswer({ object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.1] }], usage });
  }
  const text = [{ type: 'output_text', text: 'hi', annotations: [] }];
  const output = [{ type: 'message', id: 'm', role: 'assistant', status: 'completed', content: text }];
  const usage = { input_tokens: 12, output_tokens: 5, total_tokens: 17 };
  const response = { id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-4o', output, usage };
  if (url.endsWith('/compact')) return jsonAnswer({ ...response, object: 'response.compaction' });
  if (url.includes('/responses')) return jsonAnswer(response);
  if (url.endsWith('/v1/completions'))
    return jsonAnswer(completion({ object: 'text_completion', choices: [{ index: 0, text: 'hi', logprobs: null }] }));
  return jsonAnswer(completion());
}

const test = suite<World>('every path that asks a model');

test.before.each(async (world) => {
  world.upstream = await startFakeUpstream(({ url }) => answerTo(url));
  world.elsewhere = await startFakeUpstream(jsonAnswer(completion()));
  const priced = [...new Set(Object.values(routes).map(({ model }) => model))];
  world.harness = await GatewayHarness.start({
    limits: openCounters(COUNTS),
    channels: [
      { id: 1, baseUrl: world.upstream.url, models: priced.join(','), keys: ['sk-upstream'] },
      { id: 2, type: 38, baseUrl: world.upstream.url, models: rerank.model, priority: 9, keys: ['sk-upstream'] },
      { id: 3, type: 24, baseUrl: world.upstream.url, models: imagen.model, priority: 9, keys: ['sk-upstream'] },
    ],
  });
});
test.after.each(async ({ harness, upstream, elsewhere }) => {
  await harness.stop();
  await upstream.close();
  await elsewhere.close();
});

function call(
  { harness }: World,
  path: string,
  over: { key?: string; query?: string; headers?: object; body?: object; model?: string } = {},
): Promise<Response> {
  const { body, model: own } = routes[path] ?? chat;
  const { key = harness.key, query = '', headers = {}, body: extra = {}, model = own } = over;
  const isForm = typeof body === 'function';
  const sent = isForm ? body() : JSON.stringify({ model, ...body, ...extra });
  if (sent instanceof FormData) sent.set('model', model);
  return fetch(`${harness.url}${path.replace('{model}', model)}${query}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer sk-${key}`,
      ...(isForm ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: sent,
  });
}

test('has an entry here', () => {
  assert.equal([...relayCallPaths].sort(), Object.keys(routes).sort());
});

test('is in the table of paths, from which alone calls are made', () => {
  const folder = 'daemon/http/routes';
  const makers = readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      (readFileSync(`${folder}/${name}`, 'utf8').match(/\{\s*kind: 'call',[^}]*\}/g) ?? []).map(String),
    );
  assert.equal(makers, [
    "{ kind: 'call', path, endpoint: exact, pathModel: undefined }",
    "{ kind: 'call', path, endpoint, pathModel }",
  ]);
});

test('writes a row and is priced, or asks nobody and has a limit of its own', async (world) => {
  const { harness, upstream } = world;
  let counted = 0;
  for (const path of relayCallPaths) {
    const route = routes[path] ?? chat;
    const [before, asked] = [(await harness.rows()).length, upstream.requests.length];
    const response = await call(world, path);
    const text = await response.text();
    assert.is(response.status, 200, `${path}: ${text}`);
    const rows = (await harness.rows()).slice(before);
    if (route.bill === 'counted here') {
      assert.equal([rows.length, upstream.requests.length], [0, asked], path);
      // Where a limit is set for that, and no other is on.
      counted += 1;
      assert.is(response.headers.get('x-ratelimit-remaining-requests'), String(COUNTS - counted), path);
      continue;
    }
    assert.equal([rows.length, upstream.requests.length], [1, asked + 1], path);
    assert.is(rows[0]?.modelName, route.model, path);
    assert.is((rows[0]?.quota ?? 0) > 0, route.bill === 'priced', `${path}: ${rows[0]?.quota}`);
  }
});

test('knows a model by the name that the key gives it, and answers under that name (C28)', async (world) => {
  const { harness, upstream } = world;
  const models = new Set(Object.values(routes).map(({ model }) => model));
  const alias = (model: string) => `mine-${[...models].indexOf(model)}`;
  await harness.database.stores.tokens.update(1, 1, {
    modelMapping: JSON.stringify(Object.fromEntries([...models].map((model) => [alias(model), model]))),
    modelLimitsEnabled: true,
    modelLimits: [...models].join(),
  });
  for (const path of relayCallPaths) {
    const { model, bill } = routes[path] ?? chat;
    const [before, asked] = [(await harness.rows()).length, upstream.requests.length];
    const response = await call(world, path, { model: alias(model) });
    const text = await response.text();
    assert.is(response.status, 200, `${path}: ${text}`);
    for (const [, named] of text.matchAll(/"model(?:Version)?":\s*"([^"]*)"/g)) assert.is(named, alias(model), path);
    if (bill === 'counted here') continue;
    assert.not.match(`${upstream.requests[asked]?.url} ${upstream.requests[asked]?.body}`, /mine-/, path);
    const [row] = (await harness.rows()).slice(before);
    assert.equal([row?.modelName, row?.facts.requested_model_name], [model, alias(model)], path);
  }
});

test('is refused without a key that is known, before anybody is asked', async (world) => {
  for (const path of relayCallPaths) {
    for (const key of ['', 'x'.repeat(48)]) {
      const response = await call(world, path, { key });
      assert.is(response.status, 401, `${path}: ${await response.text()}`);
    }
  }
  assert.is(world.upstream.requests.length, 0);
  assert.equal(await world.harness.rows(), []);
});

test('asks the channel’s own host with the channel’s own key, whatever the caller names', async (world) => {
  const { upstream, elsewhere, harness } = world;
  const { url } = elsewhere;
  for (const path of relayCallPaths) {
    const response = await call(world, path, {
      query: `?base_url=${url}&api_base=${url}&proxy=${url}`,
      headers: { 'x-portkey-custom-host': url, 'x-forwarded-host': new URL(url).host, 'x-base-url': url },
      body: { base_url: url, api_base: url, api_key: 'sk-named', custom_host: url },
    });
    await response.text();
  }
  await harness.settled();
  assert.is(elsewhere.requests.length, 0);
  assert.ok(upstream.requests.length > 10);
  for (const { headers, url: asked } of upstream.requests) {
    const own = headers.authorization ?? `Bearer ${headers['x-goog-api-key']}`;
    assert.is(own, 'Bearer sk-upstream', asked);
    assert.not.match(asked, /sk-named|base_url|proxy/);
  }
});

test.run();

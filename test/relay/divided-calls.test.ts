/** Calls that bring more than a vendor takes at once: asked in parts, answered and billed as one (relay.md 5.5, 5.6). */
import OpenAI, { toFile } from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, answerLast, type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { until } from '../support/until.ts';
import { picture } from './image-vendors.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: divided calls');

const models =
  'embed-v4.0,embedding-3,gemini-3-pro-image,gemini-embedding-001,text-embedding-v4,cogview-4,' +
  'bge-large-zh,tao-8k,qwen3-embedding-8b,Qwen/Qwen-Image';
/** Prices by ratio 1, so that quota equals tokens. */
const prices = Object.fromEntries(models.split(',').map((model) => [model, 1]));

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  context.harness = await GatewayHarness.start({ channels: [], options: { ModelRatio: prices, RetryTimes: 1 } });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

function serve({ harness, upstream }: Context, type: number, rest: Record<string, unknown> = {}): void {
  harness.setChannels([{ id: 1, type, baseUrl: upstream.url, models, keys: ['sk-upstream'], ...rest }]);
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `text ${index}`);

function bodyOf(request: { readonly body: Buffer } | undefined): Record<string, unknown> {
  return JSON.parse(request?.body.toString() ?? '{}');
}

/** Cohere's answer to a request: each vector is the number of its text. */
function embedded(texts: unknown): unknown {
  const list = Array.isArray(texts) ? texts.map((text) => [Number(String(text).slice(5))]) : [];
  return { id: 'x', embeddings: { float: list }, meta: { billed_units: { input_tokens: list.length } } };
}

test('asks Cohere for 96 texts at a time and gives one list in order, billed as a whole', async (context) => {
  const { harness, upstream } = context;
  serve(context, 34);
  // The first part answers last.
  upstream.script(({ body }, index) => {
    const answer = jsonAnswer(embedded(bodyOf({ body }).texts));
    return index === 0 ? answerLast(upstream, 6, answer) : answer;
  });
  const response = await harness.post('/v1/embeddings', { model: 'embed-v4.0', input: numbered(500), dimensions: 256 });
  const answer = await response.json();
  assert.is(response.status, 200, JSON.stringify(answer).slice(0, 200));
  assert.equal(
    answer.data.map(({ index, embedding }: { index: number; embedding: number[] }) => [index, embedding[0]]),
    Array.from({ length: 500 }, (_, index) => [index, index]),
  );
  assert.equal(answer.usage, { prompt_tokens: 500, total_tokens: 500 });
  const sizes = upstream.requests.map((request) => {
    const { texts, output_dimension } = bodyOf(request);
    assert.is(output_dimension, 256);
    return Array.isArray(texts) ? texts.length : 0;
  });
  assert.equal(
    sizes.sort((one, other) => other - one),
    [96, 96, 96, 96, 96, 20],
  );
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ quota, promptTokens }) => [quota, promptTokens]),
    [[500, 500]],
  );
});

test('divides what else would pass as it came, with the client’s own fields and the operator’s in every part', async (context) => {
  const { harness, upstream } = context;
  const paramOverride = { operations: [{ path: 'encoding_format', mode: 'set', value: 'float' }] };
  serve(context, 26, { paramOverride: JSON.stringify(paramOverride) });
  upstream.script(({ body }) => {
    const { input } = bodyOf({ body });
    const data = (Array.isArray(input) ? input : []).map((text: unknown, index: number) => ({
      object: 'embedding',
      index,
      embedding: [Number(String(text).slice(5)) || 0],
    }));
    return jsonAnswer({ object: 'list', data, model: 'embedding-3', usage: { prompt_tokens: 7, total_tokens: 7 } });
  });
  const asked = { model: 'embedding-3', tag: 'me', encoding_format: 'base64' };
  const whole = await harness.post('/v1/embeddings', { ...asked, input: numbered(64) });
  assert.is(whole.status, 200);
  assert.is(upstream.requests.length, 1);
  const divided = await (await harness.post('/v1/embeddings', { ...asked, input: numbered(65) })).json();
  assert.is(upstream.requests.length, 3);
  assert.is(divided.data.length, 65);
  assert.is(Buffer.from(divided.data[64].embedding, 'base64').readFloatLE(), 64);
  for (const request of upstream.requests.slice(1)) {
    const { tag, encoding_format, model } = bodyOf(request);
    assert.equal([tag, encoding_format, model], ['me', 'float', 'embedding-3']);
    assert.is(request.url, '/api/paas/v4/embeddings');
  }
  // A list of token ids is one input, however long it is.
  await harness.post('/v1/embeddings', { ...asked, input: Array(100).fill(5) });
  assert.is(upstream.requests.length, 4);
  const { promptTokens, facts } = (await harness.rows())[1] ?? {};
  assert.is(promptTokens, 14);
  assert.is(facts?.dropped_fields, undefined);
});

test('asks Qianfan’s models of the first generation for so many texts as each takes, and others for all', async (context) => {
  const { harness, upstream } = context;
  serve(context, 46);
  upstream.script((request) => {
    const { input } = bodyOf(request);
    const data = (Array.isArray(input) ? input : []).map((_, index) => ({
      object: 'embedding',
      index,
      embedding: [1],
    }));
    return jsonAnswer({ id: 'as-1', object: 'embedding_list', data, usage: { prompt_tokens: 7, total_tokens: 7 } });
  });
  const sizes = async (model: string) => {
    upstream.requests.length = 0;
    const answer = await (await harness.post('/v1/embeddings', { model, input: numbered(17) })).json();
    assert.is(answer.data.length, 17);
    return upstream.requests.map((request) => [bodyOf(request).input].flat().length).sort((one, other) => other - one);
  };
  assert.equal(await sizes('bge-large-zh'), [16, 1]);
  assert.equal(await sizes('tao-8k'), Array(17).fill(1));
  assert.equal(await sizes('qwen3-embedding-8b'), [17]);
  assert.equal(
    (await harness.rows()).map(({ quota }) => quota),
    [14, 119, 7],
  );
});

test('fails as a whole where one part fails, charges nothing, and asks the next channel for all of it', async (context) => {
  const { harness, upstream } = context;
  const spare = await startFakeUpstream(({ body }) => jsonAnswer(embedded(bodyOf({ body }).texts)));
  try {
    harness.setChannels([
      { id: 1, type: 34, baseUrl: upstream.url, models, keys: ['a'], priority: 2 },
      { id: 2, type: 34, baseUrl: spare.url, models, keys: ['b'], priority: 1 },
    ]);
    upstream.script(({ body }) => {
      const { texts } = bodyOf({ body });
      const isLast = Array.isArray(texts) && texts.length < 96;
      return isLast ? jsonAnswer({ message: 'slow down' }, 429) : jsonAnswer(embedded(texts));
    });
    const response = await harness.post('/v1/embeddings', { model: 'embed-v4.0', input: numbered(200) });
    assert.is(response.status, 200);
    assert.is((await response.json()).data.length, 200);
    assert.is(spare.requests.length, 3);
    const [row] = await harness.rows();
    assert.equal([row?.quota, row?.channelId], [200, 2]);
    // Without a channel that has it, the client is told what the part was told.
    spare.script(jsonAnswer({ message: 'texts are too long' }, 422));
    const failed = await harness.post('/v1/embeddings', { model: 'embed-v4.0', input: numbered(200) });
    assert.is(failed.status, 422);
    assert.is((await harness.rows())[1]?.quota, 0);
  } finally {
    await spare.close();
  }
});

test('takes an answer that does not fit its part for none', async (context) => {
  const { harness, upstream } = context;
  serve(context, 34);
  upstream.script(async ({ body }) => {
    const { texts } = bodyOf({ body });
    if (!Array.isArray(texts) || texts.length < 96) return answerLast(upstream, 2, jsonAnswer(embedded([])));
    await until(() => upstream.requests.length === 2);
    return jsonAnswer(embedded(texts.slice(1)));
  });
  const response = await harness.post('/v1/embeddings', { model: 'embed-v4.0', input: numbered(97) });
  // The second part has one text, and so no vector at all.
  assert.is(response.status, 502);
  upstream.script(({ body }) => {
    const { texts } = bodyOf({ body });
    const isFirst = Array.isArray(texts) && texts.length === 96;
    return isFirst ? answerLast(upstream, 4, jsonAnswer(embedded(texts.slice(1)))) : jsonAnswer(embedded(texts));
  });
  const short = await harness.post('/v1/embeddings', { model: 'embed-v4.0', input: numbered(97) });
  assert.is(short.status, 502);
  assert.is((await short.json()).error.code, 'bad_response_body');
  // Nobody is charged, but the vendor takes its price for what it answered: 95 texts, then 95 and one.
  assert.equal(
    (await harness.rows()).map(({ quota, cost }) => [quota, cost]),
    [
      [0, 0],
      [0, 95],
      [0, 0],
      [0, 96],
    ],
  );
});

test('calls off every part when the client leaves, and begins no further one', async (context) => {
  const { harness, upstream } = context;
  serve(context, 34);
  const hanging: Answer = { headersAfterMs: 20_000 };
  upstream.script(hanging);
  const leaving = new AbortController();
  const call = fetch(`${harness.url}/v1/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${harness.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'embed-v4.0', input: numbered(1000) }),
    signal: leaving.signal,
  }).catch((error: unknown) => error);
  await until(() => upstream.requests.length === 4);
  leaving.abort();
  await call;
  await Promise.all(upstream.requests.map(({ aborted }) => aborted));
  assert.is(upstream.requests.length, 4);
});

test('makes as many images as were asked for at a vendor that makes one a call', async (context) => {
  const { harness, upstream } = context;
  serve(context, 24);
  const data = picture.toString('base64');
  const made = (text: string) =>
    jsonAnswer({
      candidates: [{ content: { parts: [{ text }, { inlineData: { mimeType: 'image/png', data } }] } }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 100 },
    });
  upstream.script(made('here'));
  const response = await harness.post('/v1/images/generations', { model: 'gemini-3-pro-image', prompt: 'a cat', n: 3 });
  const answer = await response.json();
  assert.is(response.status, 200, JSON.stringify(answer));
  assert.equal(answer.data, Array(3).fill({ b64_json: data }));
  assert.equal([answer.usage.input_tokens, answer.usage.output_tokens], [30, 300]);
  assert.is(upstream.requests.length, 3);
  const [row] = await harness.rows();
  assert.equal([row?.facts.images, row?.promptTokens, row?.completionTokens], [3, 30, 300]);
  // An answer in words alone is told as what it is.
  upstream.script(jsonAnswer({ candidates: [{ content: { parts: [{ text: 'I cannot draw that' }] } }] }));
  const refused = await harness.post('/v1/images/generations', { model: 'gemini-3-pro-image', prompt: 'a', n: 2 });
  assert.is(refused.status, 502);
  assert.match((await refused.json()).error.message, /I cannot draw that/);
  assert.is((await harness.rows())[1]?.quota, 0);
});

test('gives each part a seed of its own, since the same one makes the same images again', async (context) => {
  const { harness, upstream } = context;
  serve(context, 40);
  const seedsFor = async (seed: unknown) => {
    upstream.requests.length = 0;
    upstream.script(({ body }) =>
      jsonAnswer({ images: Array(bodyOf({ body }).batch_size).fill({ url: 'https://h.example/1.png' }) }),
    );
    const asked = { model: 'Qwen/Qwen-Image', prompt: 'a cat', n: 9, seed };
    const response = await harness.post('/v1/images/generations', asked);
    assert.is((await response.json()).data.length, 9);
    return upstream.requests.map((request) => bodyOf(request).seed).sort();
  };
  assert.equal(await seedsFor(7), [11, 15, 7]);
  assert.equal(await seedsFor(2_147_483_647), [2_147_483_639, 2_147_483_643, 2_147_483_647]);
  assert.equal(await seedsFor(-1), [-1, -1, -1]);
});

test('divides edits and what a client wants streamed, too', async (context) => {
  const { harness, upstream } = context;
  serve(context, 24);
  const data = picture.toString('base64');
  const candidates = [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data } }] } }];
  upstream.script(jsonAnswer({ candidates, usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 100 } }));
  const client = new OpenAI({ apiKey: `sk-${harness.key}`, baseURL: `${harness.url}/v1`, maxRetries: 0 });
  const model = 'gemini-3-pro-image';
  const stream = await client.images.generate({ model, prompt: 'a cat', n: 2, stream: true });
  const seen: unknown[] = [];
  for await (const event of stream) seen.push([event.type, event.b64_json]);
  assert.equal(seen, Array(2).fill(['image_generation.completed', data]));
  const image = await toFile(picture, 'a.png', { type: 'image/png' });
  const edited = await client.images.edit({ model, prompt: 'green', n: 2, image });
  assert.is(edited.data?.length, 2);
  assert.is(upstream.requests.length, 4);
  for (const request of upstream.requests.slice(2)) assert.match(request.body.toString(), data);
  assert.equal(
    (await harness.rows()).map(({ facts, promptTokens, isStream }) => [facts.images, promptTokens, isStream]),
    [
      [2, 20, true],
      [2, 20, false],
    ],
  );
});

test('makes further images by further calls also where the vendor imitates OpenAI and knows no number', async (context) => {
  const { harness, upstream } = context;
  serve(context, 26);
  upstream.script(jsonAnswer({ created: 5, data: [{ url: 'https://files.example/1.png' }] }));
  const asked = { model: 'cogview-4', prompt: 'a cat', size: '1024x1024', quality: 'hd', watermark_enabled: false };
  const one = await harness.post('/v1/images/generations', asked);
  assert.is(one.status, 200);
  const response = await harness.post('/v1/images/generations', { ...asked, n: 3 });
  const answer = await response.json();
  assert.is(answer.data.length, 3, JSON.stringify(answer));
  assert.is(upstream.requests.length, 4);
  const { n, ...rest } = bodyOf(upstream.requests[3]);
  assert.is(n, undefined);
  assert.equal(rest, bodyOf(upstream.requests[0]));
  assert.equal(
    (await harness.rows()).map(({ facts }) => facts.images),
    [1, 3],
  );
});

test.run();

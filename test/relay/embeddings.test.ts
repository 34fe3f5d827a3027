/** Embeddings from both dialects that clients speak, to every vendor that has a format of its own (relay.md 5.5, 13.6). */
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asList, asObject } from '../../daemon/relay/formats/fields.ts';
import { type Answer, type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { recordedAnswer, recordedBody } from '../support/recorded-call.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: embeddings');

const channel = { openai: 1, ollama: 4, gemini: 24, cohere: 34, minimax: 35, tencent: 23 } as const;
const models =
  'text-embedding-3-small,embed-v4.0,gemini-embedding-001,gemini-embedding-2,nomic-embed-text,embo-01,hunyuan-embedding';
/** Prices by ratio 1, so that quota equals tokens. */
const prices = Object.fromEntries(models.split(',').map((model) => [model, 1]));

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  context.harness = await GatewayHarness.start({ channels: [], options: { ModelRatio: prices } });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

function serve({ harness, upstream }: Context, type: number, key = 'sk-upstream'): void {
  harness.setChannels([{ id: 1, type, baseUrl: upstream.url, models, keys: [key] }]);
}

interface Vendor {
  readonly name: string;
  readonly type: number;
  readonly recording: string;
  readonly model: string;
  readonly asked: Record<string, unknown>;
  readonly path: string;
  readonly sent: unknown;
  /** As recorded, unless the recording has another number of vectors. */
  readonly answer?: Answer;
  /** Prompt tokens as billed. */
  readonly tokens: number;
}

const multimodal = 'gemini/gemini-batchembedcontents--embedding-multimodal-embeddings-gemini-gemini-embedding';
const recordedVectors = asList(asObject(recordedBody(multimodal))?.embeddings);

const vendors: readonly Vendor[] = [
  {
    name: 'Gemini by embedContent for one input',
    type: channel.gemini,
    recording: 'vertex/gemini-embedcontent--google-task-prefix-vertex',
    model: 'gemini-embedding-2',
    asked: { input: 'one text', dimensions: 768 },
    path: '/v1beta/models/gemini-embedding-2:embedContent',
    sent: { content: { parts: [{ text: 'one text' }] }, outputDimensionality: 768 },
    tokens: 11,
  },
  {
    name: 'Gemini by batchEmbedContents for many',
    type: channel.gemini,
    recording: multimodal,
    answer: jsonAnswer({
      ...asObject(recordedBody(multimodal)),
      embeddings: [...recordedVectors, ...recordedVectors],
    }),
    model: 'gemini-embedding-2',
    asked: { input: ['a', 'b'], input_type: 'search_query' },
    path: '/v1beta/models/gemini-embedding-2:batchEmbedContents',
    sent: {
      requests: ['a', 'b'].map((text) => ({
        model: 'models/gemini-embedding-2',
        content: { parts: [{ text }] },
        taskType: 'RETRIEVAL_QUERY',
      })),
    },
    tokens: 261,
  },
  {
    name: 'Ollama by its own interface',
    type: channel.ollama,
    recording: 'ollama/ollama-embed--createembedding',
    model: 'nomic-embed-text',
    asked: { input: 'one text' },
    path: '/api/embed',
    sent: { model: 'nomic-embed-text', input: 'one text' },
    tokens: 4,
  },
  {
    name: 'Cohere by /v2/embed',
    type: channel.cohere,
    recording: 'cohere/cohere-embed--embedding-basic-functionality-cohere-embed-v4-0-can-hand',
    model: 'embed-v4.0',
    asked: { input: ['a'], dimensions: 1024 },
    path: '/v2/embed',
    sent: {
      model: 'embed-v4.0',
      texts: ['a'],
      input_type: 'search_document',
      embedding_types: ['float'],
      truncate: 'END',
      output_dimension: 1024,
    },
    tokens: 7,
  },
];

test('asks each vendor in its own words and answers in OpenAI’s, billed by what it reports', async (context) => {
  const { harness, upstream } = context;
  for (const [index, vendor] of vendors.entries()) {
    serve(context, vendor.type);
    upstream.script(vendor.answer ?? recordedAnswer(vendor.recording));
    const response = await harness.post('/v1/embeddings', { model: vendor.model, ...vendor.asked });
    const body = await response.json();
    assert.is(response.status, 200, `${vendor.name}: ${JSON.stringify(body)}`);
    const request = upstream.requests[index];
    assert.is(request?.url, vendor.path, vendor.name);
    assert.equal(JSON.parse(request?.body.toString() ?? '{}'), vendor.sent, vendor.name);
    assert.is(body.object, 'list');
    assert.is(body.model, vendor.model);
    assert.equal(body.usage, { prompt_tokens: vendor.tokens, total_tokens: vendor.tokens }, vendor.name);
    const recorded = JSON.stringify(recordedBody(vendor.recording));
    assert.ok(recorded.includes(String(body.data[0].embedding[0])), `${vendor.name}: ${body.data[0].embedding[0]}`);
  }
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ quota, promptTokens }) => [quota, promptTokens]),
    vendors.map(({ tokens }) => [tokens, tokens]),
  );
});

test('refuses an answer that has fewer or more vectors than texts were asked about', async (context) => {
  const { harness, upstream } = context;
  serve(context, channel.cohere);
  for (const count of [1, 3]) {
    upstream.script(jsonAnswer({ embeddings: { float: Array(count).fill([0.5]) } }));
    const response = await harness.post('/v1/embeddings', { model: 'embed-v4.0', input: ['a', 'b'] });
    assert.is(response.status, 502);
    assert.is((await response.json()).error.code, 'bad_response_body');
  }
});

test('packs floats for clients that want base64 of a vendor that cannot', async (context) => {
  serve(context, channel.gemini);
  context.upstream.script(jsonAnswer({ embedding: { values: [1, -0.5, 0.25] } }));
  const client = new OpenAI({
    apiKey: `sk-${context.harness.key}`,
    baseURL: `${context.harness.url}/v1`,
    maxRetries: 0,
  });
  // The SDK asks for base64 by itself and unpacks it.
  const answer = await client.embeddings.create({ model: 'gemini-embedding-001', input: 'text' });
  assert.equal(answer.data[0]?.embedding, [1, -0.5, 0.25]);
});

// Bodies: huggingface.co/docs/inference-providers/tasks/feature-extraction, read 2026-11.
test('extracts features at Hugging Face, whose answer is the list itself', async (context) => {
  const { harness, upstream } = context;
  serve(context, 107);
  upstream.script(
    jsonAnswer([
      [1, 2],
      [3, 4],
    ]),
  );
  const asked = { model: 'nomic-embed-text', input: ['a', 'b'], normalize: true, user: 'me' };
  const response = await harness.post('/v1/embeddings', asked);
  const body = await response.json();
  assert.is(response.status, 200, JSON.stringify(body));
  assert.is(upstream.requests[0]?.url, '/hf-inference/models/nomic-embed-text/pipeline/feature-extraction');
  assert.equal(JSON.parse(upstream.requests[0]?.body.toString() ?? ''), { inputs: ['a', 'b'], normalize: true });
  assert.equal(
    body.data.map(({ embedding }: { embedding: number[] }) => embedding),
    [
      [1, 2],
      [3, 4],
    ],
  );
  const [row] = await harness.rows();
  assert.equal(row?.facts.dropped_fields, ['user']);
  assert.ok((row?.promptTokens ?? 0) > 0);
  upstream.script(jsonAnswer([[]]));
  assert.is((await harness.post('/v1/embeddings', asked)).status, 502);
});

test('counts the prompt where the vendor reports nothing', async (context) => {
  serve(context, channel.gemini);
  context.upstream.script(jsonAnswer({ embeddings: [{ values: [1] }, { values: [2] }] }));
  const response = await context.harness.post('/v1/embeddings', {
    model: 'gemini-embedding-001',
    input: ['a lonely sentence of words', 'and one more'],
  });
  const { usage } = await response.json();
  const [row] = await context.harness.rows();
  assert.ok(usage.prompt_tokens > 5);
  assert.is(row?.promptTokens, usage.prompt_tokens);
  assert.is(row?.facts.usage_estimated, true);
});

test('refuses token ids where no channel knows them, and takes them where one does', async (context) => {
  serve(context, channel.gemini);
  const body = { model: 'text-embedding-3-small', input: [1, 2, 3] };
  const refused = await context.harness.post('/v1/embeddings', body);
  assert.is(refused.status, 400);
  assert.is((await refused.json()).error.code, 'convert_request_failed');
  assert.is(context.upstream.requests.length, 0);
  serve(context, channel.openai);
  context.upstream.script(recordedAnswer('openai/oa-embeddings--client-createembeddingwithdimensions'));
  assert.is((await context.harness.post('/v1/embeddings', body)).status, 200);
  assert.equal(JSON.parse(context.upstream.requests[0]?.body.toString() ?? ''), body);
});

test('serves Google’s SDK from a channel of its own protocol, with every inner model renamed', async (context) => {
  const { harness, upstream } = context;
  const mapping = JSON.stringify({ 'gemini-embedding-2': 'gemini-embedding-001' });
  harness.setChannels([
    {
      id: 1,
      type: channel.gemini,
      baseUrl: upstream.url,
      models: 'gemini-embedding-2',
      modelMapping: mapping,
      keys: ['k'],
    },
  ]);
  upstream.script(recordedAnswer('gemini/gemini-batchembedcontents--embeddings-batch-1'));
  const client = new GoogleGenAI({ apiKey: `sk-${harness.key}`, httpOptions: { baseUrl: harness.url } });
  const answer = await client.models.embedContent({ model: 'gemini-embedding-2', contents: ['a', 'b'] });
  assert.ok((answer.embeddings?.length ?? 0) > 0);
  const [request] = upstream.requests;
  assert.ok(request?.url.startsWith('/v1beta/models/gemini-embedding-001:batchEmbedContents'), request?.url);
  for (const entry of JSON.parse(request?.body.toString() ?? '').requests) {
    assert.is(entry.model, 'models/gemini-embedding-001');
  }
});

test('asks Vertex for each of Gemini’s many inputs alone, and for one that comes as a list', async ({
  harness,
  upstream,
}) => {
  const model = 'gemini-embedding-2';
  harness.setChannels([{ id: 1, type: 41, baseUrl: upstream.url, models: model, keys: ['acme|AIza-key'] }]);
  upstream.script(jsonAnswer({ embedding: { values: [1] }, usageMetadata: { promptTokenCount: 5 } }));
  for (const texts of [['a', 'b'], ['c']]) {
    const requests = texts.map((text) => ({ model: `models/${model}`, content: { parts: [{ text }] } }));
    const answer = await harness.post(`/v1beta/models/${model}:batchEmbedContents`, { requests });
    const embeddings = texts.map(() => ({ values: [1] }));
    assert.equal(await answer.json(), { embeddings, usageMetadata: { promptTokenCount: 5 * texts.length } });
  }
  assert.equal(
    upstream.requests.map(({ url, body }) => [
      url.split('/').at(-1),
      JSON.parse(body.toString()).content.parts[0].text,
    ]),
    ['a', 'b', 'c'].map((text) => [`${model}:embedContent`, text]),
  );
});

test('serves Gemini’s dialect from OpenAI’s, one and many, and shows refusals in it', async (context) => {
  const { harness, upstream } = context;
  serve(context, channel.openai);
  const usage = { prompt_tokens: 6, total_tokens: 6 };
  const [first, second] = [1, 2].map((value, index) => ({ object: 'embedding', index, embedding: [value] }));
  upstream.script(jsonAnswer({ object: 'list', data: [second, first], usage }));
  const content = (text: string) => ({ content: { parts: [{ text }] } });
  const path = '/v1beta/models/text-embedding-3-small';
  const many = await harness.post(`${path}:batchEmbedContents`, { requests: [content('a'), content('b')] });
  assert.equal((await many.json()).embeddings, [{ values: [1] }, { values: [2] }]);
  assert.equal(JSON.parse(upstream.requests[0]?.body.toString() ?? '').input, ['a', 'b']);
  upstream.script(jsonAnswer({ object: 'list', data: [first], usage }));
  const one = await harness.post(`${path}:embedContent`, { ...content('a'), outputDimensionality: 256 });
  assert.equal((await one.json()).embedding, { values: [1] });
  assert.is(JSON.parse(upstream.requests[1]?.body.toString() ?? '').dimensions, 256);
  upstream.script(recordedAnswer('openai/oa-embeddings--openai-test-embed-error'));
  const failed = await harness.post(`${path}:embedContent`, content('a'));
  assert.is(failed.status, 404);
  assert.is((await failed.json()).error.status, 'NOT_FOUND');
  assert.equal(
    (await harness.rows()).map(({ quota }) => quota),
    [6, 6, 0],
  );
});

// Bodies: providers/tencent.md.
test('Hunyuan’s native interface embeds for keys of three parts, fifty texts at once', async (context) => {
  const { harness, upstream } = context;
  serve(context, channel.tencent, '1250000000|AKID|secret');
  const data = (count: number) =>
    Array.from({ length: count }, (_, Index) => ({ Object: 'embedding', Index, Embedding: [Index] })).reverse();
  const answer = (count: number, PromptTokens: number) =>
    jsonAnswer({ Response: { Data: data(count), Usage: { PromptTokens, TotalTokens: PromptTokens }, RequestId: 'r' } });
  upstream.script(answer(1, 3));
  const asked = { model: 'hunyuan-embedding', input: 'one', dimensions: 256 };
  const one = await harness.post('/v1/embeddings', asked);
  assert.equal((await one.json()).data, [{ object: 'embedding', index: 0, embedding: [0] }]);
  const [first] = upstream.requests;
  assert.equal(JSON.parse(first?.body.toString() ?? ''), { Input: 'one' });
  assert.equal([first?.url, first?.headers['x-tc-action']], ['/', 'GetEmbedding']);
  assert.match(String(first?.headers.authorization), /^TC3-HMAC-SHA256 Credential=AKID\//);
  const texts = Array.from({ length: 51 }, (_, index) => `text ${index}`);
  upstream.script((request) => answer(JSON.parse(request.body.toString()).InputList?.length ?? 1, 2));
  const many = await harness.post('/v1/embeddings', { model: 'hunyuan-embedding', input: texts });
  const { data: vectors, usage } = await many.json();
  assert.equal([vectors.length, usage.prompt_tokens], [51, 4]);
  // It is retired in public, and whoever is asked there is told so.
  const gone = { Error: { Code: 'ActionOffline', Message: 'This API is offline.' }, RequestId: 'r' };
  upstream.script(jsonAnswer({ Response: gone }));
  const refused = await harness.post('/v1/embeddings', { model: 'hunyuan-embedding', input: 'a' });
  assert.ok(refused.status >= 400);
  assert.match((await refused.json()).error.message, /offline/);
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ quota, facts }) => [quota, facts.dropped_fields]),
    [
      [3, ['dimensions']],
      [4, undefined],
      [0, undefined],
    ],
  );
});

test('a number before ten thousand texts does not hide them from the limit, wherever they would go', async (context) => {
  const { harness, upstream } = context;
  const texts = Array.from({ length: 10_000 }, () => 'a');
  for (const type of [channel.openai, channel.gemini]) {
    serve(context, type);
    for (const [input, field] of [
      [texts, 'input'],
      [[1, ...texts], 'input.0'],
      [['a', 1], 'input.1'],
      [[[1], 2], 'input.1'],
    ] as const) {
      const refused = await harness.post('/v1/embeddings', { model: 'text-embedding-3-small', input });
      assert.equal([refused.status, (await refused.json()).error.param], [400, field]);
    }
  }
  assert.is(upstream.requests.length, 0);
  assert.equal(await harness.rows(), []);
});

test('dimensions that are no count are refused where they would be dropped on the way', async (context) => {
  const { harness, upstream } = context;
  for (const type of [channel.gemini, channel.ollama, channel.cohere]) {
    serve(context, type);
    for (const dimensions of ['256', 0, -1, 1.5, {}]) {
      const asked = { model: 'text-embedding-3-small', input: 'a', dimensions };
      const refused = await harness.post('/v1/embeddings', asked);
      assert.equal([refused.status, (await refused.json()).error.param], [400, 'dimensions'], String(dimensions));
    }
  }
  assert.is(upstream.requests.length, 0);
  assert.ok((await harness.rows()).every(({ quota }) => quota === 0));
});

test('reads a refusal that MiniMax puts into a success', async (context) => {
  serve(context, channel.minimax);
  const refusal = {
    vectors: null,
    total_tokens: 0,
    base_resp: { status_code: 1008, status_msg: 'insufficient balance' },
  };
  context.upstream.script(jsonAnswer(refusal));
  const response = await context.harness.post('/v1/embeddings', { model: 'embo-01', input: 'a' });
  assert.is(response.status, 502);
  assert.is((await context.harness.rows())[0]?.quota, 0);
});

test.run();

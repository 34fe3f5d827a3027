/** Claude on Amazon Bedrock by recorded traffic: signed calls, the host's own body, binary streams. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asObject, parseJson } from '../../daemon/relay/formats/fields.ts';
import { type Answer, type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { recordedAnswer } from '../support/recorded-call.ts';
import { saidIn } from './wire.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: Bedrock');
const model = 'claude-sonnet-4-5';
const messages = [{ role: 'user', content: 'hi' }];

function recorded(name: string, file: string): Buffer {
  return readFileSync(fileURLToPath(new URL(`../fixtures/bedrock/bedrock-invoke--${name}/${file}`, import.meta.url)));
}

function binary(name: string): Answer {
  const bytes = recorded(name, 'stream.bin');
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 777) chunks.push(bytes.subarray(at, at + 777));
  return { headers: { 'content-type': 'application/vnd.amazon.eventstream' }, chunks };
}

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  context.harness = await GatewayHarness.start({
    channels: [
      {
        type: 33,
        baseUrl: context.upstream.url,
        models: model,
        keys: ['AKIAIOSFODNN7EXAMPLE|secret-of-the-key|eu-west-1'],
      },
    ],
  });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

test('sends the host its own body, signed, and bills what the cache took', async ({ harness, upstream }) => {
  const answer = JSON.parse(recorded('prompt-cache', 'response.json').toString());
  upstream.script(jsonAnswer(answer));
  const context_management = { edits: [{ type: 'clear_tool_uses_20250919' }] };
  const body = { model, max_tokens: 50, messages, metadata: { user_id: 'u' }, context_management, stream: false };
  const response = await harness.post('/v1/messages', body, { headers: { 'anthropic-version': '2026-10-21' } });
  assert.equal((await response.json()).content, answer.content);
  const [sent] = upstream.requests;
  assert.is(sent?.url, '/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke');
  assert.match(sent?.headers.authorization ?? '', '/eu-west-1/bedrock/aws4_request, SignedHeaders=content-type;host;');
  assert.is(sent?.headers['anthropic-version'], undefined);
  assert.not.match(JSON.stringify(sent?.headers), 'secret-of-the-key');
  assert.equal(JSON.parse(sent?.body.toString() ?? ''), {
    max_tokens: 50,
    messages,
    anthropic_version: 'bedrock-2023-05-31',
  });
  const [row] = await harness.rows();
  // (4 + 18131 x 1.25 + 50 x 5) x 1.5
  assert.is(row?.quota, Math.round((4 + 18_131 * 1.25 + 250) * 1.5));
  const trial = 'context-management-2025-06-27';
  await harness.post('/v1/messages', body, { headers: { 'anthropic-beta': `${trial},oauth-2025-04-20` } });
  const tried = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? '');
  assert.equal([tried.anthropic_beta, tried.context_management], [[trial], context_management]);
});

test('streams reach a Messages client as events', async ({ harness, upstream }) => {
  upstream.script(binary('bedrock-anthropic-claude-opus-4-6-tool-streaming-stream'));
  const response = await harness.post('/v1/messages', { model, max_tokens: 50, messages, stream: true });
  assert.is(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  const text = await response.text();
  assert.match(upstream.requests[0]?.url ?? '', /invoke-with-response-stream$/);
  assert.match(text, /^event: message_start\n/);
  assert.match(text, 'event: message_stop\n');
  assert.match(text, '"type":"tool_use"');
  assert.not.match(text, 'invocationMetrics');
  const [row] = await harness.rows();
  assert.equal([row?.promptTokens, row?.completionTokens], [578, 54]);
});

test('streams reach a chat client as chunks, and a client that wants none as one body', async ({
  harness,
  upstream,
}) => {
  upstream.script(binary('bedrock-anthropic-claude-opus-4-6-tool-streaming-stream'));
  const streamed = await (await harness.post('/v1/chat/completions', { model, messages, stream: true })).text();
  assert.match(streamed, '"tool_calls"');
  assert.match(streamed, '[DONE]');
  assert.type(saidIn(streamed), 'string');
  const whole = await (await harness.post('/v1/chat/completions', { model, messages })).json();
  assert.is(whole.choices[0].finish_reason, 'tool_calls');
  const rows = await harness.rows();
  assert.equal(
    rows.map((row) => [row.promptTokens, row.completionTokens]),
    [
      [578, 54],
      [578, 54],
    ],
  );
});

test('refusals name neither the account nor the key', async ({ harness, upstream }) => {
  const message = 'User: arn:aws:iam::123456789012:user/canary is not authorized: account 123456789012';
  const refused = (status: number, kind: string) =>
    upstream.script(jsonAnswer({ message }, status, { 'x-amzn-errortype': `${kind}:http://internal.amazon.com/` }));
  const call = async () => {
    const response = await harness.post('/v1/messages', { model, max_tokens: 5, messages });
    const text = await response.text();
    assert.not.match(text, /123456789012|canary|AKIA|secret/);
    return [response.status, asObject(asObject(parseJson(text))?.error)?.type];
  };
  refused(400, 'ValidationException');
  assert.equal(await call(), [400, 'invalid_request_error']);
  refused(404, 'ResourceNotFoundException');
  assert.equal(await call(), [404, 'not_found_error']);
  refused(403, 'UnrecognizedClientException');
  assert.equal(await call(), [502, 'api_error']);
  refused(429, 'ThrottlingException');
  assert.equal(await call(), [429, 'rate_limit_error']);
});

/** What an upstream got: paths and bodies in the order of their texts. */
function asked({ requests }: FakeUpstream): [url: string, body: unknown][] {
  return requests.map(({ url, body }): [string, unknown] => [url, JSON.parse(body.toString())]).sort();
}

function serve({ harness, upstream }: Context, models: string): void {
  const keys = ['AKIAIOSFODNN7EXAMPLE|secret-of-the-key|eu-west-1'];
  const ones = Object.fromEntries(models.split(',').map((name) => [name, 1]));
  harness.setOptions({ ModelRatio: ones, ModelPrice: { 'rerank-v3.5': 0.002 } });
  harness.setChannels([{ type: 33, baseUrl: upstream.url, models, keys }]);
}

// Bodies after the vendor's model reference (Titan Text Embeddings, Cohere Embed, Rerank), read 2026-11.

test('Titan reads one text a request, each of them signed, and the list is billed as one', async (context) => {
  const { harness, upstream } = context;
  serve(context, 'titan-embed-text-v2,amazon.titan-embed-text-v1');
  upstream.script(({ body }) => {
    const { inputText } = JSON.parse(body.toString());
    return jsonAnswer({ embedding: [inputText.length, 0.5], inputTextTokenCount: inputText.length });
  });
  const response = await harness.post('/v1/embeddings', {
    model: 'titan-embed-text-v2',
    input: ['a', 'bb', 'ccc'],
    dimensions: 512,
  });
  const { data, usage } = await response.json();
  assert.equal(
    data.map(({ embedding }: { embedding: number[] }) => embedding),
    [
      [1, 0.5],
      [2, 0.5],
      [3, 0.5],
    ],
  );
  assert.equal(usage, { prompt_tokens: 6, total_tokens: 6 });
  assert.equal(
    asked(upstream),
    ['a', 'bb', 'ccc'].map((inputText) => [
      '/model/amazon.titan-embed-text-v2%3A0/invoke',
      { inputText, dimensions: 512 },
    ]),
  );
  assert.is(new Set(upstream.requests.map(({ headers }) => headers.authorization)).size, 3);
  const first = { model: 'amazon.titan-embed-text-v1', input: 'text', dimensions: 512 };
  assert.is((await harness.post('/v1/embeddings', first)).status, 200);
  assert.equal(JSON.parse(upstream.requests[3]?.body.toString() ?? ''), { inputText: 'text' });
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ quota, promptTokens }) => [quota, promptTokens]),
    [
      [6, 6],
      [4, 4],
    ],
  );
  assert.equal(rows[1]?.facts.dropped_fields, ['dimensions']);
});

test('Cohere’s embeddings are asked without their name and counted by the host’s header', async (context) => {
  const { harness, upstream } = context;
  serve(context, 'embed-v4.0');
  const answer = jsonAnswer({ id: 'x', embeddings: { float: [[1], [2]] }, response_type: 'embeddings_by_type' });
  upstream.script({ ...answer, headers: { ...answer.headers, 'x-amzn-bedrock-input-token-count': '11' } });
  const response = await harness.post('/v1/embeddings', { model: 'embed-v4.0', input: ['a', 'b'], dimensions: 256 });
  assert.equal((await response.json()).usage, { prompt_tokens: 11, total_tokens: 11 });
  assert.equal(asked(upstream), [
    [
      '/model/cohere.embed-v4%3A0/invoke',
      {
        texts: ['a', 'b'],
        input_type: 'search_document',
        embedding_types: ['float'],
        truncate: 'END',
        output_dimension: 256,
      },
    ],
  ]);
  assert.is((await harness.rows())[0]?.quota, 11);
});

test('reranking is asked of the model itself and billed by a hundred documents', async (context) => {
  const { harness, upstream } = context;
  serve(context, 'rerank-v3.5,amazon.rerank-v1:0');
  const results = [
    { index: 1, relevance_score: 0.9 },
    { index: 0, relevance_score: 0.1 },
  ];
  upstream.script(jsonAnswer({ results }));
  const documents = Array.from({ length: 120 }, (_, index) => `text ${index}`);
  const body = { query: 'which', documents, top_n: 2, return_documents: true };
  const first = await harness.post('/v1/rerank', { model: 'rerank-v3.5', ...body });
  assert.equal((await first.json()).results, [
    { index: 1, relevance_score: 0.9, document: { text: 'text 1' } },
    { index: 0, relevance_score: 0.1, document: { text: 'text 0' } },
  ]);
  // As it was recorded from the agents' runtime, which names scores otherwise.
  upstream.script(recordedAnswer('bedrock/bedrock-rerank--amazon-bedrock-reranking-1'));
  const second = await harness.post('/v1/rerank', {
    model: 'amazon.rerank-v1:0',
    query: 'q',
    documents: documents.slice(0, 6),
  });
  const told = (await second.json()).results;
  assert.equal(
    told.map(({ index }: { index: number }) => index),
    [0, 5],
  );
  assert.is(told[0].relevance_score, 0.5110583305358887);
  const [cohere, amazon] = upstream.requests;
  assert.is(cohere?.url, '/model/cohere.rerank-v3-5%3A0/invoke');
  assert.equal(JSON.parse(cohere?.body.toString() ?? ''), { query: 'which', documents, top_n: 2, api_version: 2 });
  assert.is(amazon?.url, '/model/amazon.rerank-v1%3A0/invoke');
  assert.equal(Object.keys(JSON.parse(amazon?.body.toString() ?? '')), ['query', 'documents']);
  // 120 documents are two searches at 0.002 USD; without a price a call costs its tokens.
  const rows = await harness.rows();
  assert.is(rows[0]?.quota, 2000);
  assert.ok((rows[1]?.quota ?? 0) > 10);
});

test('Amazon’s own models for searching have shipped prices', async ({ harness, upstream }) => {
  const keys = ['AKIAIOSFODNN7EXAMPLE|secret-of-the-key|eu-west-1'];
  const names = [
    'titan-embed-text-v2',
    'amazon.titan-embed-text-v2:0',
    'amazon.titan-embed-text-v1',
    'amazon.rerank-v1:0',
  ];
  harness.setChannels([{ type: 33, baseUrl: upstream.url, models: names.join(','), keys }]);
  upstream.script(({ url }) =>
    url.includes('rerank')
      ? jsonAnswer({ results: [{ index: 0, relevance_score: 0.9 }] })
      : jsonAnswer({ embedding: [1], inputTextTokenCount: 10_000 }),
  );
  for (const model of names) {
    const body = model.includes('rerank') ? { model, query: 'q', documents: ['a'] } : { model, input: 'text' };
    const response = await harness.post(model.includes('rerank') ? '/v1/rerank' : '/v1/embeddings', body);
    assert.is(response.status, 200, await response.text());
  }
  // 0.02 and 0.10 USD for a million tokens, 1 USD for a thousand searches.
  assert.equal(
    (await harness.rows()).map(({ quota }) => quota),
    [100, 100, 500, 500],
  );
});

test('a model that cannot do what is asked is refused without asking', async (context) => {
  const { harness, upstream } = context;
  serve(context, 'nova-pro,titan-embed-text-v2');
  const embedded = await harness.post('/v1/embeddings', { model: 'nova-pro', input: 'text' });
  assert.is(embedded.status, 400);
  assert.is((await embedded.json()).error.code, 'invalid_api_type');
  assert.is(upstream.requests.length, 0);
});

test.run();

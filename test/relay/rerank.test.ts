/** Reranking at every vendor that has it, in one shape for the client (relay.md 5.12, 15.5). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { recordedAnswer } from '../support/recorded-call.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: rerank');

const models =
  'rerank-v3.5,gte-rerank,bge-reranker,jina-reranker,@cf/baai/bge-reranker-base,nvidia/llama-3.2-nv-rerankqa-1b-v2';
const prices = {
  ModelRatio: {
    'gte-rerank': 1,
    'bge-reranker': 1,
    'jina-reranker': 1,
    '@cf/baai/bge-reranker-base': 1,
    'nvidia/llama-3.2-nv-rerankqa-1b-v2': 1,
  },
};

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  context.harness = await GatewayHarness.start({ channels: [], options: prices });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

function serve({ harness, upstream }: Context, type: number, key = 'sk-upstream'): void {
  harness.setChannels([{ id: 1, type, baseUrl: upstream.url, models, keys: [key] }]);
}

const documents = ['first', { text: 'second' }, 'third'];
const question = { query: 'which', documents };

test('passes the common form on as it came, and answers in one shape', async (context) => {
  const { harness, upstream } = context;
  // Jina, SiliconFlow, Xinference, Together, OpenRouter, the operator's own address: one form.
  for (const [type, path] of [
    [38, '/v1/rerank'],
    [40, '/v1/rerank'],
    [47, '/v1/rerank'],
    [110, '/v1/rerank'],
    [20, '/v1/rerank'],
    [26, '/api/paas/v4/rerank'],
    [46, '/v2/rerankers'],
  ] as const) {
    serve(context, type);
    upstream.script(recordedAnswer('llamacpp/jina-rerank--multiple-documents'));
    const body = { model: 'jina-reranker', ...question, top_n: 2, overlap_tokens: 12 };
    const response = await harness.post('/v1/rerank', body);
    const answer = await response.json();
    assert.is(response.status, 200, `${type}: ${JSON.stringify(answer)}`);
    const request = upstream.requests.at(-1);
    assert.is(request?.url, path);
    // Xinference ranks texts alone.
    const asked = type === 47 ? { ...body, documents: ['first', 'second', 'third'] } : body;
    assert.equal(JSON.parse(request?.body.toString() ?? ''), asked, String(type));
    assert.equal(answer.usage, { prompt_tokens: 55, total_tokens: 55 });
    assert.equal(answer.meta, { billed_units: { input_tokens: 55 } });
    assert.is(answer.model, 'jina-reranker');
    assert.is(answer.results.length, 2);
    assert.ok(answer.results[0].relevance_score >= answer.results[1].relevance_score);
    assert.is(answer.results[0].document, undefined);
  }
  for (const row of await harness.rows()) assert.equal([row.quota, row.promptTokens], [55, 55]);
});

test('takes a ranking for one whatever is said beside it, and nothing but words for a refusal', async (context) => {
  const { harness, upstream } = context;
  serve(context, 38);
  const results = [{ index: 1, relevance_score: 0.5 }];
  upstream.script(jsonAnswer({ code: 200, message: 'success', results }));
  const ranked = await harness.post('/v1/rerank', { model: 'jina-reranker', ...question });
  assert.equal((await ranked.json()).results, results);
  for (const refusal of [{ message: 'no such model' }, { error: { message: 'no such model' }, results: [] }]) {
    upstream.script(jsonAnswer(refusal));
    const refused = await harness.post('/v1/rerank', { model: 'jina-reranker', ...question });
    assert.ok(refused.status >= 400);
    assert.match((await refused.json()).error.message, 'no such model');
  }
  assert.equal(
    (await harness.rows()).map(({ quota }) => quota > 0),
    [true, false, false],
  );
});

test('asks Cohere for texts, bills by search, and returns documents that were asked for', async (context) => {
  const { harness, upstream } = context;
  serve(context, 34);
  upstream.script(recordedAnswer('cohere/cohere-rerank--rerank-reranking-with-cohere-rerank-v3-5-limits-results'));
  const response = await harness.post('/rerank', { model: 'rerank-v3.5', ...question, return_documents: true });
  const { results, usage, meta } = await response.json();
  assert.is(upstream.requests[0]?.url, '/v2/rerank');
  const sent = JSON.parse(upstream.requests[0]?.body.toString() ?? '');
  assert.equal(sent, { model: 'rerank-v3.5', query: 'which', documents: ['first', 'second', 'third'] });
  assert.equal(results, [
    { index: 0, relevance_score: 0.75809944, document: { text: 'first' } },
    { index: 2, relevance_score: 0.5515985, document: { text: 'third' } },
  ]);
  assert.ok(usage.total_tokens > 0);
  assert.equal(meta, { billed_units: { search_units: 1 } });
  // 120 documents are two units of search (relay.md 19.1, 16).
  upstream.script(
    jsonAnswer({ results: [{ index: 0, relevance_score: 1 }], meta: { billed_units: { search_units: 2 } } }),
  );
  const many = Array(120).fill('a');
  await harness.post('/v2/rerank', { model: 'rerank-v3.5', query: 'q', documents: many, max_tokens_per_doc: 500 });
  assert.equal(JSON.parse(upstream.requests[1]?.body.toString() ?? ''), {
    model: 'rerank-v3.5',
    query: 'q',
    documents: many,
    max_tokens_per_doc: 500,
  });
  assert.equal(
    (await harness.rows()).map(({ quota }) => quota),
    [1000, 2000],
  );
});

test('asks DashScope in its own words, and takes its refusal for what it is', async (context) => {
  const { harness, upstream } = context;
  serve(context, 17);
  upstream.script(recordedAnswer('ali/dashscope-rerank--text-rerank-return-documents'));
  const response = await harness.post('/v1/rerank', {
    model: 'gte-rerank',
    ...question,
    top_n: 2,
    return_documents: true,
  });
  const answer = await response.json();
  assert.is(upstream.requests[0]?.url, '/api/v1/services/rerank/text-rerank/text-rerank');
  assert.equal(JSON.parse(upstream.requests[0]?.body.toString() ?? ''), {
    model: 'gte-rerank',
    input: { query: 'which', documents: ['first', 'second', 'third'] },
    parameters: { return_documents: false, top_n: 2 },
  });
  assert.equal(answer.usage, { prompt_tokens: 34, total_tokens: 34 });
  assert.equal(answer.results[1].document, { text: 'second' });
  upstream.script(recordedAnswer('ali/dashscope-rerank--text-rerank-error-handling'));
  const refused = await harness.post('/v1/rerank', { model: 'gte-rerank', ...question });
  // It says that there is no such model.
  assert.is(refused.status, 404);
  assert.equal(
    (await harness.rows()).map(({ quota }) => quota),
    [34, 0],
  );
});

// Bodies: docs.nvidia.com/nim/nemo-retriever/text-reranking, read 2026-11.
test('asks NVIDIA for passages and makes shares of its logits', async (context) => {
  const { harness, upstream } = context;
  serve(context, 108);
  const rankings = [
    { index: 2, logit: 0 },
    { index: 0, logit: -2.5 },
    { index: 1, logit: -16.6 },
  ];
  upstream.script(jsonAnswer({ rankings, usage: { prompt_tokens: 41, total_tokens: 41 } }));
  const model = 'nvidia/llama-3.2-nv-rerankqa-1b-v2';
  const answer = await (await harness.post('/v1/rerank', { model, ...question, top_n: 2 })).json();
  assert.is(upstream.requests[0]?.url, '/v1/ranking');
  assert.equal(JSON.parse(upstream.requests[0]?.body.toString() ?? ''), {
    model,
    query: { text: 'which' },
    passages: [{ text: 'first' }, { text: 'second' }, { text: 'third' }],
    truncate: 'END',
  });
  assert.equal(
    answer.results.map(({ index, relevance_score: score }: Record<string, number>) => [index, score?.toFixed(4)]),
    [
      [2, '0.5000'],
      [0, '0.0759'],
    ],
  );
  upstream.script(jsonAnswer({ detail: [{ loc: ['body', 'passages'], msg: 'too many', type: 'value_error' }] }, 422));
  assert.is((await harness.post('/v1/rerank', { model, ...question })).status, 422);
  assert.equal(
    (await harness.rows()).map(({ quota }) => quota),
    [41, 0],
  );
});

// Bodies: developers.cloudflare.com/workers-ai/models/bge-reranker-base, read 2026-11.
test('runs Cloudflare’s reranker, counts where it reports nothing, and looks into its successes', async (context) => {
  const { harness, upstream } = context;
  serve(context, 39, 'account|token');
  const response = [
    { id: 1, score: 0.9 },
    { id: 0, score: 0.2 },
  ];
  upstream.script(jsonAnswer({ result: { response }, success: true, errors: [], messages: [] }));
  const model = '@cf/baai/bge-reranker-base';
  const asked = { model, ...question, top_n: 2, return_documents: true };
  const answer = await (await harness.post('/v1/rerank', asked)).json();
  assert.is(upstream.requests[0]?.url, '/client/v4/accounts/account/ai/run/@cf/baai/bge-reranker-base');
  assert.equal(JSON.parse(upstream.requests[0]?.body.toString() ?? ''), {
    query: 'which',
    contexts: [{ text: 'first' }, { text: 'second' }, { text: 'third' }],
    top_k: 2,
  });
  assert.equal(answer.results, [
    { index: 1, relevance_score: 0.9, document: { text: 'second' } },
    { index: 0, relevance_score: 0.2, document: { text: 'first' } },
  ]);
  const [counted] = await harness.rows();
  assert.ok((counted?.quota ?? 0) > 2 && counted?.quota === counted?.promptTokens);
  upstream.script(jsonAnswer({ result: null, success: false, errors: [{ code: 5007, message: 'No such model' }] }));
  assert.is((await harness.post('/v1/rerank', { model, ...question })).status, 404);
  assert.is((await harness.rows())[1]?.quota, 0);
});

test('asks the Cohere models of an Azure resource where they stand', async (context) => {
  const { harness, upstream } = context;
  serve(context, 101);
  upstream.script(recordedAnswer('cohere/cohere-rerank--rerank-reranking-with-cohere-rerank-v3-5-limits-results'));
  const response = await harness.post('/v1/rerank', { model: 'rerank-v3.5', ...question });
  assert.is(response.status, 200);
  assert.is(upstream.requests[0]?.url, '/providers/cohere/v2/rerank');
  assert.is(upstream.requests[0]?.headers['api-key'], 'sk-upstream');
  assert.is((await harness.rows())[0]?.quota, 1000);
});

test('refuses a question without query or documents before anybody is asked', async (context) => {
  const { harness, upstream } = context;
  serve(context, 38);
  const model = 'jina-reranker';
  for (const [body, code] of [
    [{ model, documents }, 'invalid_query'],
    [{ model, query: ' ', documents }, 'invalid_query'],
    [{ model, query: 'q' }, 'invalid_documents'],
    [{ model, query: 'q', documents: [] }, 'invalid_documents'],
    [{ model, query: 'q', documents: [1] }, 'invalid_documents'],
    [{ model, query: 'q', documents: Array(1001).fill('a') }, 'invalid_documents'],
    [{ model, query: 'q', documents, top_n: -1 }, 'invalid_request'],
  ] as const) {
    const response = await harness.post('/v1/rerank', body);
    assert.is(response.status, 400);
    assert.is((await response.json()).error.code, code);
  }
  assert.is(upstream.requests.length, 0);
});

test.run();

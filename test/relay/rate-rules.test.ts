/**
 * Rate rules replace the ratio of the group in whatever is held and charged (REQ-21).
 * Runs once: the harness brings SQLite.
 */
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket, WebSocketServer } from 'ws';
import { billOf } from '../../console/billing/bill.ts';
import type { RateRuleRecord } from '../../daemon/store/rate-rules.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { LedgerInvariants } from '../support/ledger-invariants.ts';
import * as sounds from '../support/sound-files.ts';
import { until } from '../support/until.ts';
import { chunk, completion, finishChunk, roleChunk } from './wire.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const rates = suite<Context>('relay: rate rules');

const models = 'gpt-4o,gpt-4o-mini,dall-e-3,gpt-image-1,tts-1,whisper-1,text-embedding-3-small';
const COHERE = 34;
const MIDJOURNEY = 5;
const SUNO = 36;
/** What a call would cost without its rule is never what it costs with it. */
const dearGroup = { GroupRatio: { default: 3 }, GroupGroupRatio: { default: { default: 5 } } };

rates.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  const { url: baseUrl } = context.upstream;
  const channels = [
    { baseUrl, models, keys: ['sk-upstream'] },
    { baseUrl, models: 'rerank-v3.5', type: COHERE, keys: ['sk-upstream'] },
    { baseUrl, models: 'mj_imagine', type: MIDJOURNEY, keys: ['sk-upstream'] },
    { baseUrl, models: 'suno_music', type: SUNO, keys: ['sk-upstream'] },
  ];
  context.harness = await GatewayHarness.start({ channels, options: dearGroup });
});
rates.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

function rule(subjectKind: RateRuleRecord['subjectKind'], model: string, ratio: number): RateRuleRecord {
  const subject = subjectKind === 'group' ? 'default' : '1';
  return { id: 1, subjectKind, subject, model, ratio, updatedAt: 0, actorId: 1, actorName: 'root' };
}

function form(fields: Record<string, string>): FormData {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  body.set('file', new Blob([new Uint8Array(sounds.wav(4))], { type: 'audio/wav' }), 'a.wav');
  return body;
}

const usage = { prompt_tokens: 1000, completion_tokens: 333, total_tokens: 1333 };
const chat = (model: string, over = {}) => ({ model, messages: [{ role: 'user', content: 'hi' }], ...over });

/** A call of every kind that is billed in its own way. */
const calls: readonly { name: string; path: string; body: unknown; answer: Parameters<FakeUpstream['script']>[0] }[] = [
  {
    name: 'a conversation',
    path: '/v1/chat/completions',
    body: chat('gpt-4o'),
    answer: jsonAnswer({ ...completion(), usage }),
  },
  {
    name: 'a stream',
    path: '/v1/chat/completions',
    body: chat('gpt-4o-mini', { stream: true }),
    answer: sseAnswer([
      roleChunk,
      chunk({ content: 'pong' }),
      finishChunk,
      { ...finishChunk, choices: [], usage },
      '[DONE]',
    ]),
  },
  {
    name: 'pictures at a price',
    path: '/v1/images/generations',
    body: { model: 'dall-e-3', prompt: 'a cat', size: '1792x1024', quality: 'hd' },
    answer: jsonAnswer({ created: 1, data: [{ b64_json: 'aGk=' }] }),
  },
  {
    name: 'pictures by tokens',
    path: '/v1/images/generations',
    body: { model: 'gpt-image-1', prompt: 'a cat' },
    answer: jsonAnswer({
      created: 1,
      data: [{ b64_json: 'aGk=' }],
      usage: { input_tokens: 50, output_tokens: 4160, total_tokens: 4210, input_tokens_details: { text_tokens: 50 } },
    }),
  },
  {
    name: 'speech',
    path: '/v1/audio/speech',
    body: { model: 'tts-1', voice: 'alloy', input: 'hello there' },
    answer: { headers: { 'content-type': 'audio/mpeg' }, chunks: [sounds.mp3(10)] },
  },
  {
    name: 'a transcript',
    path: '/v1/audio/transcriptions',
    body: { model: 'whisper-1' },
    answer: jsonAnswer({ text: 'hello', duration: 4 }),
  },
  {
    name: 'embeddings',
    path: '/v1/embeddings',
    body: { model: 'text-embedding-3-small', input: 'hi' },
    answer: jsonAnswer({
      object: 'list',
      data: [{ index: 0, embedding: [0.1] }],
      usage: { prompt_tokens: 900, total_tokens: 900 },
    }),
  },
  {
    name: 'a ranking',
    path: '/v1/rerank',
    body: { model: 'rerank-v3.5', query: 'q', documents: ['a', 'b'] },
    answer: jsonAnswer({ results: [{ index: 0, relevance_score: 1 }], meta: { billed_units: { search_units: 2 } } }),
  },
  {
    name: 'a drawing',
    path: '/mj/submit/imagine',
    body: { prompt: 'a cat' },
    answer: jsonAnswer({ code: 1, description: 'ok', result: 'd-1', properties: {} }),
  },
  {
    name: 'a song',
    path: '/suno/submit/music',
    body: { prompt: 'a cat' },
    answer: jsonAnswer({ code: 'success', message: '', data: 's-1' }),
  },
];

/** Makes the call, and tells what was held and what its row says. */
async function outcome({ harness, upstream }: Context, { path, body, answer }: (typeof calls)[number]) {
  upstream.script(answer);
  const isForm = path.endsWith('/transcriptions');
  const response = isForm
    ? await fetch(harness.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer sk-${harness.key}` },
        body: form({ model: 'whisper-1' }),
      })
    : await harness.post(path, body);
  const text = await response.text();
  assert.is(response.status, 200, text);
  const rows = await harness.rows();
  const row = rows.at(-1);
  if (!row) throw new Error('no row');
  const hold = await harness.database.stores.reservations.find(row.requestId ?? '');
  return { row, held: hold?.amount ?? 0, charged: hold?.charged ?? 0 };
}

function agreementOf(row: Awaited<ReturnType<typeof outcome>>['row']): string | undefined {
  const { quota, promptTokens: prompt_tokens, completionTokens: completion_tokens, other } = row;
  return billOf({ quota, prompt_tokens, completion_tokens, other }, 500_000)?.agreement;
}

for (const call of calls) {
  rates(`replace the ratio of the group for ${call.name}, in what is held and what is charged`, async (context) => {
    const { harness } = context;
    const invariants = await LedgerInvariants.begin(harness.databaseUrl);
    // What the call comes to in a group with the ratio of the rule is what it comes to by the rule.
    harness.setOptions({ GroupRatio: { default: 0.37 } });
    const plain = await outcome(context, call);
    harness.setOptions(dearGroup);
    const dear = await outcome(context, call);
    harness.view = { ...harness.view, rateRules: [rule('group', '*', 0.37)] };
    const ruled = await outcome(context, call);
    assert.ok(plain.row.quota > 0);
    assert.ok(dear.row.quota > ruled.row.quota);
    assert.equal([ruled.held, ruled.charged, ruled.row.quota], [plain.held, plain.charged, plain.row.quota]);
    const { group_ratio, user_group_ratio, rate_rule } = ruled.row.facts;
    assert.equal([group_ratio, user_group_ratio, rate_rule], [0.37, undefined, 'group:default *']);
    assert.equal([plain.row.facts.rate_rule, agreementOf(ruled.row)], [undefined, 'exact']);
    await invariants.check();
    await invariants.end();
  });
}

rates('charge one key two rates on two models', async (context) => {
  const { harness } = context;
  const [first, second] = calls;
  if (!first || !second) throw new Error('two calls are needed');
  harness.view = { ...harness.view, rateRules: [rule('token', 'gpt-4o', 0.5), rule('token', 'gpt-4o-*', 2)] };
  const dear = await outcome(context, first);
  const cheap = await outcome(context, second);
  // gpt-4o costs 1.25 a token and 4 times as much out, gpt-4o-mini 0.075 and 4 times.
  assert.equal(
    [dear.row.quota, dear.row.facts.rate_rule],
    [Math.round((1000 + 333 * 4) * 1.25 * 0.5), 'token:1 gpt-4o'],
  );
  assert.equal(
    [cheap.row.quota, cheap.row.facts.rate_rule],
    [Math.round((1000 + 333 * 4) * 0.075 * 2), 'token:1 gpt-4o-*'],
  );
});

rates('go back with the charge of a drawing or song that fails', async (context) => {
  const { harness, upstream } = context;
  harness.view = { ...harness.view, rateRules: [rule('token', '*', 0.37)] };
  const before = await harness.user();
  const invariants = await LedgerInvariants.begin(harness.databaseUrl);
  for (const { kind, end } of [
    { kind: 'a drawing', end: jsonAnswer([{ id: 'd-1', status: 'FAILURE', failReason: 'no' }]) },
    {
      kind: 'a song',
      end: jsonAnswer({ code: 'success', data: [{ task_id: 's-1', status: 'FAILED', fail_reason: 'no' }] }),
    },
  ]) {
    const call = calls.find(({ name }) => name === kind);
    if (!call) throw new Error('a call is needed');
    const { row } = await outcome(context, call);
    upstream.script(end);
    await harness.tasks.followUp();
    const refund = (await harness.rows()).find(({ type, requestId }) => type === 4 && requestId === row.requestId);
    assert.is(refund?.quota, row.quota, kind);
    assert.ok(row.quota > 0, kind);
  }
  const after = await harness.user();
  assert.equal([after.quota, after.usedQuota], [before.quota, before.usedQuota]);
  await invariants.check();
  await invariants.end();
});

rates('of nothing make calls free, and hold nothing', async (context) => {
  const { harness } = context;
  const [call] = calls;
  if (!call) throw new Error('a call is needed');
  harness.view = { ...harness.view, rateRules: [rule('user', '*', 0)] };
  const free = await outcome(context, call);
  assert.equal([free.row.quota, free.charged, free.row.facts.rate_rule], [0, 0, 'user:1 *']);
});

rates('replace the ratio of the group turn by turn in a realtime session', async ({ harness }) => {
  const upstream = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(upstream, 'listening');
  const address = upstream.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  upstream.on('connection', (socket) => {
    socket.send(JSON.stringify({ type: 'session.created', session: {} }));
    const turn = { input_tokens: 60, output_tokens: 40, total_tokens: 100 };
    socket.on('message', () =>
      socket.send(JSON.stringify({ type: 'response.done', response: { id: 'r', usage: turn } })),
    );
  });
  const one = { 'gpt-realtime': 1 };
  harness.setChannels([{ baseUrl: url, models: 'gpt-realtime', keys: ['sk-upstream'] }]);
  harness.setOptions({
    ...dearGroup,
    ModelRatio: one,
    CompletionRatio: one,
    AudioRatio: one,
    AudioCompletionRatio: one,
  });
  harness.view = { ...harness.view, rateRules: [rule('user', 'gpt-*', 0.5)] };
  const client = new WebSocket(`${harness.url.replace('http', 'ws')}/v1/realtime?model=gpt-realtime`, ['realtime'], {
    headers: { authorization: `Bearer sk-${harness.key}` },
  });
  let done = 0;
  client.on('message', (data) => {
    if (JSON.parse(String(data)).type === 'response.done') done += 1;
  });
  await once(client, 'open');
  for (const turn of [1, 2]) {
    client.send(JSON.stringify({ type: 'response.create' }));
    await until(() => done === turn);
  }
  client.close();
  await once(client, 'close');
  const rows = await harness.rows();
  assert.equal([rows[0]?.quota, rows[0]?.facts.rate_rule, rows.length], [100, 'user:1 gpt-*', 1]);
  upstream.close();
  for (const socket of upstream.clients) socket.terminate();
});

rates.run();

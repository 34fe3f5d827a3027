/**
 * Every refusal that the vendors' sheets name, sent by an upstream: what clients of each dialect are told, what becomes
 * of the channel, and what its row tells operators (relay.md 4.3, 12.8). Runs once: it looks at what goes over the wire.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { channelTypes } from '../../daemon/contract/channel-types.ts';
import type { Capability } from '../../daemon/relay/format.ts';
import { providers } from '../../daemon/relay/providers/index.ts';
import type { Signer } from '../../daemon/upstream/auth/index.ts';
import { type Answer, type FakeUpstream, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { type DocumentedRefusal, type RefusalKind, refusalBody, refusalsOf } from '../support/refusal-sheets.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: documented refusals');
const model = 'm-1';
/** Tencent's embeddings are told from its chats by the name. */
const embedder = 'm-1-embedding';
const unsigned: Signer = { sign: (draft) => draft };
let channel = 0;

test.before(async (context) => {
  context.upstream = await startFakeUpstream();
  context.harness = await GatewayHarness.start({
    channels: [],
    options: { ModelRatio: { [model]: 1, [embedder]: 1 }, AutomaticDisableChannelEnabled: true },
    signers: { 'zhipu-jwt': unsigned, 'baidu-oauth': unsigned, google: unsigned },
  });
});
test.after(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

const messages = [{ role: 'user', content: 'hi' }];
type Call = readonly [surface: 'openai' | 'anthropic' | 'gemini', path: string, request: object];
const dialects: readonly [Call, ...Call[]] = [
  ['openai', '/v1/chat/completions', { model, messages }],
  ['openai', '/v1/chat/completions', { model, messages, stream: true }],
  ['openai', '/v1/responses', { model, input: 'hi', stream: true, store: false }],
  ['anthropic', '/v1/messages', { model, messages, max_tokens: 9, stream: true }],
  ['gemini', `/v1beta/models/${model}:generateContent`, { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }],
];
/** What else is asked for, whose answers are read in other places. */
const beyondChat: readonly (readonly [Capability, Call])[] = [
  ['embeddings', ['openai', '/v1/embeddings', { model: embedder, input: ['hi'] }]],
  ['rerank', ['openai', '/v1/rerank', { model, query: 'hi', documents: ['ho'] }]],
  ['images', ['openai', '/v1/images/generations', { model, prompt: 'hi' }]],
  ['speech', ['openai', '/v1/audio/speech', { model, input: 'hi', voice: 'alloy' }]],
];

const key = 'AKIACANARY12345678|secret-CANARY-12345678|eu-west-1';

/** A call to a channel that nothing is known of yet. */
function asked({ harness, upstream }: Context, provider: string, [answer, call]: readonly [Answer, number | Call]) {
  const dialect = typeof call === 'number' ? dialects[call % dialects.length] : call;
  const [surface, path, request] = dialect ?? dialects[0];
  channel += 1;
  upstream.script(answer);
  const type = channelTypes.find(({ name }) => name === provider)?.type ?? 0;
  const baseUrl = `${upstream.url}${provider === 'custom' ? '/v1/chat/completions' : ''}`;
  harness.setChannels([
    {
      id: channel,
      type,
      baseUrl,
      models: `${model},${embedder}`,
      keys: [provider === 'xunfei' ? 'canary-password' : key],
      name: 'canary channel',
      other: 'eu',
    },
  ]);
  return harness.post(path, request).then(async (response) => ({ surface, response, text: await response.text() }));
}

/** A refusal as a client is told it, before the first byte. */
async function told(context: Context, provider: string, call: readonly [Answer, number | Call]) {
  const disabledBefore = context.harness.disabled.length;
  const { surface, response, text } = await asked(context, provider, call);
  const { error } = JSON.parse(text);
  const disabled = context.harness.disabled.length - disabledBefore;
  return { surface, status: response.status, error, text, disabled };
}

const credential = { statuses: [502], code: 'upstream_auth_failed' };
const clients = { statuses: [400, 403, 405, 409, 413, 415, 422, 501] };
const expected: Readonly<Record<RefusalKind, { statuses?: readonly number[]; code?: string }>> = {
  key: credential,
  credit: credential,
  stale: credential,
  forbidden: credential,
  model: { statuses: [404, 403, 503] },
  limit: { statuses: [429] },
  request: clients,
  context: { statuses: [400], code: 'context_length_exceeded' },
  content: clients,
  filtered: { statuses: [400], code: 'content_filter' },
  trouble: {},
};

/** Spark's codes are those of its socket, a knowledge base has words of its own, Vertex trades its key first. */
const isToldElsewise = new Set(['xunfei', 'aiproxy-library', 'vertex']);
const spoils = ({ kind }: DocumentedRefusal) => kind === 'key' || kind === 'credit';

async function assertTold(
  context: Context,
  id: string,
  [refusal, call]: readonly [DocumentedRefusal, number | Call],
): Promise<void> {
  const message = `${refusal.message} (${key} at ${context.upstream.url}/v1/x, ops@canary.example)`;
  const chunks = [refusalBody(id, { ...refusal, message })];
  const answer = { status: refusal.status, headers: { 'content-type': 'application/json' }, chunks };
  const { surface, status, error, text, disabled } = await told(context, id, [answer, call]);
  const { statuses = [status], code = error.code } = expected[refusal.kind];
  const seen = `${JSON.stringify(refusal)} ${text}`;
  assert.ok(statuses.includes(status) && status >= 400, seen);
  assert.not.match(text, /canary|127\.0\.0\.1/i);
  if (surface === 'openai') assert.is(error.code, code, seen);
  if (surface === 'gemini') assert.is(error.code, status, seen);
  assert.is(disabled, spoils(refusal) ? 1 : 0, seen);
}

for (const { id, speaks, retired } of providers) {
  if (retired !== undefined || speaks.chat === undefined || isToldElsewise.has(id)) continue;

  test(`what ${id} refuses is told in every dialect, and nothing of its account with it`, async (context) => {
    for (const [index, refusal] of refusalsOf(id).entries()) await assertTold(context, id, [refusal, index]);
  });

  const inSuccesses = refusalsOf(id).filter(({ status }) => status === 200);
  for (const [capability, call] of beyondChat) {
    if (inSuccesses.length === 0 || speaks[capability] === undefined) continue;
    test(`what ${id} refuses inside a success is told where ${capability} are asked for`, async (context) => {
      for (const refusal of inSuccesses) await assertTold(context, id, [refusal, call]);
    });
  }
}

test('Spark and the knowledge base refuse inside a success, too', async (context) => {
  for (const [id, body, status, code] of [
    ['xunfei', { code: 10_907, message: 'too many tokens', sid: 's' }, 400, 'context_length_exceeded'],
    ['xunfei', { code: 10_013, message: 'moderated', sid: 's' }, 400, 'content_filter'],
    [
      'xunfei',
      { error: { message: 'too many tokens', type: 'x', param: null, code: '10907' } },
      400,
      'context_length_exceeded',
    ],
    ['xunfei', { code: 11_202, message: 'slow', sid: 's' }, 429, '11202'],
    ['xunfei', { code: 11_200, message: 'used up', sid: 's' }, 502, 'upstream_auth_failed'],
    ['aiproxy-library', { success: false, errCode: 'x', message: 'no such library' }, 400, 'x'],
  ] as const) {
    for (const type of ['application/json', 'text/event-stream']) {
      const text = JSON.stringify(body);
      const chunks = [type === 'application/json' ? text : `data: ${text}\n\n`];
      const answer = { headers: { 'content-type': type }, chunks };
      const { status: shown, error, text: seen } = await told(context, id, [answer, 1]);
      assert.equal([shown, error.code], [status, code], `${type} ${seen}`);
    }
  }
});

/** Vendors whose code for a conversation that is too long is that of every wrong request, and their words for it. */
const worded: readonly (readonly [provider: string, code: string, message: string])[] = [
  ['anthropic', 'invalid_request_error', 'prompt is too long: 3333404 tokens > 200000 maximum'],
  ['anthropic', 'invalid_request_error', 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000'],
  ['bedrock', 'ValidationException', 'Input is too long for requested model.'],
  [
    'gemini',
    'INVALID_ARGUMENT',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  ],
  ['deepseek', 'invalid_request_error', "This model's maximum context length is 131072 tokens."],
  ['moonshot', 'invalid_request_error', 'Invalid request: Your request exceeded model token limit: 262144'],
  ['openrouter', '', "This endpoint's maximum context length is 200000 tokens."],
  ['xai', '', "This model's maximum prompt length is 131072 but the request contains 200000 tokens."],
];

test("Anthropic's types are the codes of its errors for clients of OpenAI's dialect", async (context) => {
  for (const { kind, status, code, message } of refusalsOf('anthropic')) {
    const { error } = await told(context, 'anthropic', [
      { status, chunks: [refusalBody('anthropic', { kind, status, code, message })] },
      0,
    ]);
    if (error.code !== 'upstream_auth_failed') assert.equal([error.type, error.code], [code, code]);
  }
});

test('a conversation that is too long is told by one code, however its vendor words it', async (context) => {
  for (const [id, code, message] of worded) {
    const body = refusalBody(id, { kind: 'context', status: 400, code, message });
    for (const dialect of [0, 2]) {
      const { status, error } = await told(context, id, [{ status: 400, chunks: [body] }, dialect]);
      assert.equal([status, error.code], [400, 'context_length_exceeded'], message);
      assert.ok(error.message.startsWith(message));
    }
  }
  const named = { error: { message: 'maximum context length', type: 'x', code: 'vendors_own' } };
  const { error } = await told(context, 'mistral', [{ status: 400, chunks: [JSON.stringify(named)] }, 0]);
  assert.is(error.code, 'vendors_own');
});

test('no part of a key is told, whatever the dialect, but the place that it names is', async (context) => {
  const [id = '', secret = '', place = ''] = key.split('|');
  const message = `no ${secret} of ${id} in ${place}`;
  const chunks = [refusalBody('bedrock', { kind: 'request', status: 400, code: 'ValidationException', message })];
  for (const dialect of dialects.keys()) {
    const { error } = await told(context, 'bedrock', [{ status: 400, chunks }, dialect]);
    assert.match(error.message, /^no \*{3} of \*{3} in eu-west-1/, `${dialect}`);
  }
  const row = (await context.harness.rows(5000)).at(-1);
  assert.not.match(JSON.stringify(row), /canary1/i, 'operators are told no more');
});

test('operators read the vendor\u2019s number where clients are told a word', async (context) => {
  const body = JSON.stringify({ error: { code: '1261', message: 'Prompt too long' } });
  await told(context, 'zhipu-v4', [{ status: 400, chunks: [body] }, 0]);
  const row = (await context.harness.rows(5000)).at(-1);
  const { attempts } = JSON.parse(JSON.stringify(row?.facts.admin_info));
  assert.equal([attempts[0].code, attempts[0].message], ['context_length_exceeded', '1261: Prompt too long']);
  assert.match(row?.content ?? '', /^Prompt too long \(request id: /);
});

test('what ends a stream behind its first words names as much, and nothing of the account', async (context) => {
  const said = `(${key} at ${context.upstream.url}/v1/x, ops@canary.example)`;
  const chunk = (content: string) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { content } }],
  });
  const begun = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [],
    model,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  const claude = [
    { type: 'message_start', message: begun },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hello' } },
  ];
  const google = { candidates: [{ content: { role: 'model', parts: [{ text: 'hello' }] } }] };
  const streams = [
    [
      'mistral',
      [chunk('hello'), { error: { message: `maximum context length is 9 ${said}`, type: 'x', code: null } }],
      'context_length_exceeded',
    ],
    ['zhipu-v4', [chunk('hello'), { error: { message: `long ${said}`, code: '1261' } }], 'context_length_exceeded'],
    [
      'anthropic',
      [...claude, { type: 'error', error: { type: 'overloaded_error', message: `busy ${said}` } }],
      'overloaded_error',
    ],
    ['gemini', [google, { error: { code: 503, status: 'UNAVAILABLE', message: `busy ${said}` } }], 'UNAVAILABLE'],
  ] as const;
  for (const [provider, events, code] of streams) {
    // Zhipu is asked in Anthropic's dialect by its clients.
    for (const dialect of provider === 'zhipu-v4' ? [1, 2] : [1, 2, 3]) {
      const chunks = events.map(
        (event) => `${'type' in event ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
      );
      const answer = { headers: { 'content-type': 'text/event-stream' }, chunks };
      const { text } = await asked(context, provider, [answer, dialect]);
      assert.match(text, /hello/, `${provider} ${dialect} ${text}`);
      assert.not.match(text, /canary|127\.0\.0\.1|\[DONE\]|message_stop|response\.completed/i);
      assert.match(text, dialect === 3 ? 'event: error' : `"code":"${code}"`);
    }
  }
});

test.run();

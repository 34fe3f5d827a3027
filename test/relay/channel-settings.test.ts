/** Members of a channel's setting (relay.md 12.7), by what they do to a call; most others stand with what they change. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connectMsOf, proxyOf, timeoutsOf } from '../../daemon/gateway/upstream-request.ts';
import { isObject, type JsonObject } from '../../daemon/relay/json.ts';
import type { UpstreamCall } from '../../daemon/relay/provider.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { chatRequest, claudeMessage, completion, streamOf } from './wire.ts';

interface World {
  upstream: FakeUpstream;
  harness: GatewayHarness;
  /** Sends a call to one channel with this setting; resolves to what the upstream was sent. */
  sent: (setting: JsonObject, call: Call) => Promise<{ body: JsonObject; url: string; answer: Response }>;
}

interface Call {
  readonly type?: number;
  readonly path?: string;
  readonly body: JsonObject;
}

const test = suite<World>('relay: settings of channels');
const models = 'gpt-4o,o3-high,claude-sonnet-4-5,claude-sonnet-4-5-thinking';
const message = claudeMessage();

test.before.each(async (world) => {
  world.upstream = await startFakeUpstream(({ url, body }) => {
    if (url.includes('/messages')) return jsonAnswer(message);
    return body.includes('"stream":true') ? sseAnswer(streamOf(['Hello'])) : jsonAnswer(completion());
  });
  world.harness = await GatewayHarness.start({ channels: [], options: { SelfUseModeEnabled: true } });
  world.sent = async (setting, { type = 1, path = '/v1/chat/completions', body }) => {
    const { harness, upstream } = world;
    harness.setChannels([{ type, baseUrl: upstream.url, models, setting: JSON.stringify(setting), keys: ['k'] }]);
    const answer = await harness.post(path, body);
    const request = upstream.requests.at(-1);
    const json: unknown = JSON.parse(request?.body.toString() ?? 'null');
    return { body: isObject(json) ? json : {}, url: request?.url ?? '', answer };
  };
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

test('keep_suffix leaves names as they are, of every family', async ({ sent }) => {
  const plain = await sent({}, { body: { ...chatRequest, model: 'o3-high' } });
  assert.equal([plain.body.model, plain.body.reasoning_effort], ['o3', 'high']);
  const kept = await sent({ keep_suffix: true }, { body: { ...chatRequest, model: 'o3-high' } });
  assert.equal([kept.body.model, kept.body.reasoning_effort], ['o3-high', undefined]);
  const claude = { type: 14, path: '/v1/messages', body: { ...chatRequest, model: 'claude-sonnet-4-5-thinking' } };
  assert.equal((await sent({}, claude)).body.model, 'claude-sonnet-4-5');
  const whole = await sent({ keep_suffix: true }, claude);
  assert.equal([whole.body.model, whole.body.thinking], ['claude-sonnet-4-5-thinking', undefined]);
});

/** One question in the words of each dialect, for a model of the channel. */
function questions(model: string, stream: boolean): [path: string, body: JsonObject][] {
  const messages = chatRequest.messages.map((message) => ({ ...message }));
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  const action = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  return [
    ['/v1/chat/completions', { model, messages, stream }],
    ['/v1/completions', { model, prompt: 'hi', stream }],
    ['/v1/messages', { model, messages, max_tokens: 9, stream }],
    ['/v1/responses', { model, input: 'hi', stream }],
    [`/v1beta/models/${model}:${action}`, { contents }],
  ];
}

/** Every name of a model that an answer tells, once each. */
function namesIn(answer: string): string[] {
  const named = answer.matchAll(/"(?:model|modelVersion)":"([^"]*)"/g);
  return [...new Set([...named].map(([, name]) => name ?? ''))];
}

test('expose_upstream_model shows what the upstream calls its model, to clients of every dialect', async ({
  sent,
  upstream,
}) => {
  const pieces = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ];
  upstream.script(({ url, body }) => {
    const isStream = body.includes('"stream":true');
    if (url.includes('/messages')) return isStream ? sseAnswer(pieces) : jsonAnswer(message);
    return isStream ? sseAnswer(streamOf(['Hello'])) : jsonAnswer(completion());
  });
  const served = [
    [14, 'claude-sonnet-4-5', 'claude'],
    [1, 'gpt-4o', 'gpt-4o-2024-08-06'],
  ] as const;
  for (const [type, model, name] of served) {
    for (const stream of [false, true]) {
      for (const [path, body] of questions(model, stream)) {
        // Whoever speaks the upstream's dialect is told what it told.
        const isOwn = path.endsWith(type === 14 ? 'messages' : 'completions');
        const hidden = await sent({ responses_native: false }, { type, path, body });
        assert.equal(namesIn(await hidden.answer.text()), [isOwn ? name : model], `${path} of ${type}`);
        const setting = { responses_native: false, expose_upstream_model: true };
        const shown = await sent(setting, { type, path, body });
        assert.equal(namesIn(await shown.answer.text()), [name], `${path} of ${type}, shown`);
      }
    }
  }
});

test('force_stream asks for a stream and gives one body to a client that wants one', async ({ sent }) => {
  const { body, answer } = await sent({ force_stream: true }, { body: chatRequest });
  assert.is(body.stream, true);
  const { choices, model } = await answer.json();
  // The name is the upstream's, as in an answer that came whole.
  assert.equal([choices[0].message.content, model], ['Hello', 'gpt-4o-2024-08-06']);
});

test('the owner’s fields go on only where the channel lets each of them through', async ({ sent }) => {
  const fields = {
    service_tier: 'flex',
    store: true,
    safety_identifier: 'u-1',
    speed: 'fast',
    inference_geo: 'eu',
  };
  const options = { include_usage: true, include_obfuscation: false };
  const body = { ...chatRequest, ...fields, stream: true, stream_options: options };
  const plain = await sent({}, { body });
  for (const name of Object.keys(fields)) assert.is(plain.body[name], undefined, name);
  assert.equal(plain.body.stream_options, { include_usage: true });
  for (const [name, value] of Object.entries(fields)) {
    const { body: allowed } = await sent({ [`allow_${name}`]: true }, { body });
    assert.equal(allowed[name], value, name);
    const others = Object.keys(fields).filter((other) => other !== name && allowed[other] !== undefined);
    assert.equal(others, [], name);
  }
  const shown = await sent({ allow_include_obfuscation: true }, { body });
  assert.equal(shown.body.stream_options, options);
});

test('stream_options says whether usage is asked for, of clients of another dialect too', async ({ sent }) => {
  const body = { ...chatRequest, stream: true };
  const asked = { include_usage: true };
  for (const call of [{ body }, { path: '/v1/messages', body: { ...body, max_tokens: 9 } }]) {
    assert.equal((await sent({}, call)).body.stream_options, asked);
    assert.is((await sent({ stream_options: false }, call)).body.stream_options, undefined);
    // Nothing is known of what stands at an address of the operator's own.
    assert.is((await sent({}, { type: 8, ...call })).body.stream_options, undefined);
    assert.equal((await sent({ stream_options: true }, { type: 8, ...call })).body.stream_options, asked);
  }
});

test('allow_safety_identifier lets the user through to another dialect, and nothing else does', async ({ sent }) => {
  const body = { ...chatRequest, model: 'claude-sonnet-4-5', user: 'u-1' };
  assert.is((await sent({}, { type: 14, body })).body.metadata, undefined);
  const { body: told } = await sent({ allow_safety_identifier: true }, { type: 14, body });
  assert.equal(told.metadata, { user_id: 'u-1' });
});

test('claude_beta_query asks for the beta interface', async ({ sent }) => {
  const call = { type: 14, path: '/v1/messages', body: { ...chatRequest, model: 'claude-sonnet-4-5', max_tokens: 9 } };
  assert.is((await sent({}, call)).url, '/v1/messages');
  assert.is((await sent({ claude_beta_query: true }, call)).url, '/v1/messages?beta=true');
});

test('a version of Azure that the client names goes before the channel’s, and names nothing else', async (world) => {
  const { harness, upstream } = world;
  const channel = { type: 3, baseUrl: upstream.url, models, other: '2024-10-21', keys: ['k'] };
  const asked = async (type: number, query: string) => {
    harness.setChannels([{ ...channel, type }]);
    const told: (string | undefined)[] = [];
    for (const path of [`/v1/chat/completions?${query}`, '/v1/chat/completions']) {
      assert.is((await harness.post(path, chatRequest)).status, 200);
      told.push(upstream.requests.at(-1)?.url);
    }
    return told;
  };
  const dated = (version: string) => `/openai/deployments/${chatRequest.model}/chat/completions?api-version=${version}`;
  assert.equal(await asked(3, 'api-version=2025-04-01-preview'), [dated('2025-04-01-preview'), dated('2024-10-21')]);
  assert.equal(await asked(3, 'api-version=v1'), ['/openai/v1/chat/completions', dated('2024-10-21')]);
  assert.equal(await asked(3, 'api-version=2024-10-21%26x%3D..%2F'), [dated('2024-10-21'), dated('2024-10-21')]);
  assert.equal(await asked(1, 'api-version=v1'), ['/v1/chat/completions', '/v1/chat/completions']);
});

test('a channel’s deadlines and proxy take the place of the installation’s', () => {
  const defaults = { connectMs: 10_000, headersMs: 0, firstTokenMs: 0, idleMs: 300_000, answerMaxMs: 60_000 };
  const call: UpstreamCall = {
    capability: 'chat',
    format: 'openai-chat',
    model: 'gpt-4o',
    stream: true,
    baseUrl: 'https://api.example.com',
    organization: undefined,
    other: '',
    setting: {},
    settings: {},
    options: {},
  };
  assert.equal([connectMsOf(defaults, {}), connectMsOf(defaults, { timeout_connect: 2.5 })], [10_000, 2500]);
  const own = { timeout_first_byte: 3, timeout_first_token: 4, timeout_idle: 0 };
  assert.equal(timeoutsOf(defaults, own, call), { headersMs: 3000, firstTokenMs: 4000, idleMs: 0, totalMs: 60_000 });
  assert.equal(timeoutsOf(defaults, { timeout_idle: '9' }, call).idleMs, 300_000);
  assert.equal(timeoutsOf(defaults, own, { ...call, stream: false }), {
    headersMs: 3000,
    firstTokenMs: 0,
    idleMs: 0,
    totalMs: 60_000,
  });
  assert.equal([proxyOf({}), proxyOf({ proxy: ' http://p:1 ' })], [undefined, 'http://p:1']);

  // Models that think are silent for twice as long, by whatever name a host has them.
  const idleOf = (model: string, setting: JsonObject = {}) => timeoutsOf(defaults, setting, { ...call, model }).idleMs;
  const thinkers = ['o1', 'o3-mini', 'o4-mini', 'gpt-5-nano', 'claude-sonnet-4-5-thinking', 'deepseek-reasoner'];
  thinkers.push('openai/o3', 'openai/gpt-5', 'gpt-6-astra', 'openai/gpt-6.1-sol', 'Qwen/Qwen3-235B-A22B-Thinking-2507');
  assert.equal(
    thinkers.filter((model) => idleOf(model) !== 600_000),
    [],
  );
  const others = ['gpt-4o', 'gpt-4.1', 'claude-sonnet-4-5', 'qwen/qwen3-coder'];
  assert.equal(
    others.filter((model) => idleOf(model) !== 300_000),
    [],
  );
  // A channel that says how long it may be means all of its models.
  assert.is(idleOf('o3', { timeout_idle: 9 }), 9000);
});

test.run();

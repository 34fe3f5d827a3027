import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../../../../daemon/contract/client.ts';
import { startTestDaemon, type TestDaemon } from '../../../../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../../../../support/fake-upstream.ts';
import { assertRefused } from '../../../../support/refusals.ts';
import { untilThere } from '../../../../support/until.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
}

const checks = suite<World>('http/routes/management (tests of channels)');

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const choice = { index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' };
const chat = jsonAnswer({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [choice], usage });

checks.before(async (world) => {
  world.upstream = await startFakeUpstream(chat);
  world.daemon = await startTestDaemon();
});
checks.before.each(({ upstream }) => {
  upstream.script(chat);
  upstream.requests.length = 0;
});
checks.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

const bodyOf = (upstream: FakeUpstream, index = 0): Record<string, unknown> =>
  JSON.parse(upstream.requests[index]?.body.toString() ?? '{}');

checks('a failed test is an answer with its time, a channel that is gone a refusal', async ({ daemon, upstream }) => {
  const { root } = daemon;
  const id = await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o' });
  const good = await root.channels.test({ id });
  assert.equal([good.success, good.message, good.code], [true, '', undefined]);
  upstream.script(jsonAnswer({ error: { message: 'no such key', type: 'x', code: 'invalid_api_key' } }, 401));
  const bad = await root.channels.test({ id });
  assert.equal([bad.success, bad.code, bad.tokens], [false, 'channel_test_failed', 0]);
  assert.match(bad.message, 'no such key');
  assert.type(bad.time, 'number');
  await assertRefused(root.channels.test({ id: 9999 }), 'channel_not_found');
  assert.equal(
    (await root.channels.tests({ id, limit: 1 })).map(({ ok }) => ok),
    [false],
  );
});

checks(
  'why a test failed is told in the reader’s language, but for what an upstream says',
  async ({ daemon, upstream }) => {
    const id = await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o' });
    const said = async (language: 'en' | 'zh') => {
      const credentials = () => ({ accessToken: daemon.accessToken });
      const client = createClient({ baseUrl: daemon.url, retries: 0, credentials, language: () => language });
      return (await client.channels.test({ id })).message;
    };
    upstream.script({ headers: { 'content-type': 'application/json' }, chunks: ['no JSON'] });
    assert.is(await said('en'), 'The test failed: The upstream answer could not be read');
    assert.is(await said('zh'), '测试失败：无法解析上游响应');
    // What is kept has the site's language, whoever asked.
    const kept = (await daemon.root.channels.tests({ id })).map(({ message }) => message);
    assert.equal(kept, ['无法解析上游响应', '无法解析上游响应']);
    upstream.script(jsonAnswer({ error: { message: 'no such model', type: 'x' } }, 404));
    assert.is(await said('zh'), '测试失败：no such model');
  },
);

checks('a balance that no number can hold is none', async ({ daemon, upstream }) => {
  const id = await daemon.addChannel({ type: 25, base_url: upstream.url, models: 'kimi-k2' });
  upstream.script({ ...jsonAnswer({}), chunks: ['{"data":{"available_balance":1e999}}'] });
  await assertRefused(daemon.root.channels.updateBalance({ id }), 'channel_balance_failed');
});

checks(
  'a test’s row says what it would have cost, under the price of the model behind an alias',
  async ({ daemon, upstream }) => {
    const model_mapping = '{"nobody-prices-me":"gpt-4o"}';
    const id = await daemon.addChannel({ base_url: upstream.url, models: 'nobody-prices-me', model_mapping });
    assert.is((await daemon.root.channels.test({ id })).success, true);
    const row = await untilThere(async () => (await daemon.root.logs.list({ channel: id })).items[0]);
    const facts = JSON.parse(row.other);
    // gpt-4o: 1.25 a token, four times as much for output.
    assert.equal([row.quota, facts.is_test, facts.test_quota], [0, true, Math.round((1 + 4) * 1.25)]);
  },
);

checks('asks no model that was switched off alone whether the channel answers', async ({ daemon, upstream }) => {
  const setting = '{"disabled_models":["gone","also-gone"]}';
  const models = 'gone,also-gone,gpt-4o';
  const id = await daemon.addChannel({ base_url: upstream.url, models, setting, test_model: 'also-gone' });
  assert.is((await daemon.root.channels.test({ id })).success, true);
  await daemon.root.channels.test({ id, model: 'gone' });
  assert.equal(
    upstream.requests.map((_, index) => bodyOf(upstream, index).model),
    ['gpt-4o', 'gone'],
  );
});

checks('asks the first model that can be tested where a channel begins with others', async ({ daemon, upstream }) => {
  const models = 'gpt-image-1,tts-1,gpt-realtime,gpt-4o,gpt-4o-mini';
  const id = await daemon.addChannel({ base_url: upstream.url, models });
  assert.is((await daemon.root.channels.test({ id })).success, true);
  const vectors = await daemon.addChannel({
    type: 38,
    base_url: upstream.url,
    models: 'nobody-speaks-tts,jina-clip-v2',
  });
  await daemon.root.channels.test({ id: vectors });
  assert.equal(
    upstream.requests.map((_, index) => bodyOf(upstream, index).model),
    ['gpt-4o', 'jina-clip-v2'],
  );
  // Whoever chose one means it.
  const chosen = await daemon.addChannel({ base_url: upstream.url, models, test_model: 'tts-1' });
  assert.is((await daemon.root.channels.test({ id: chosen })).code, 'channel_test_unsupported');
  assert.is((await daemon.root.channels.test({ id, model: 'gpt-image-1' })).code, 'channel_test_unsupported');
  const silent = await daemon.addChannel({ base_url: upstream.url, models: 'gpt-image-1,tts-1' });
  assert.is((await daemon.root.channels.test({ id: silent })).code, 'channel_test_unsupported');
  assert.is(upstream.requests.length, 2);
});

checks('makes no picture to find out whether a channel answers', async ({ daemon, upstream }) => {
  const models = [
    'black-forest-labs/flux-schnell',
    'google/nano-banana',
    '@cf/leonardo/phoenix-1.0',
    'stabilityai/stable-diffusion-xl',
    'nova-canvas',
    'us.stability.stable-outpaint-v1:0',
    'ernie-irag-edit',
  ];
  const id = await daemon.addChannel({ type: 109, base_url: upstream.url, models: models.join(',') });
  for (const model of models) {
    assert.is((await daemon.root.channels.test({ id, model })).code, 'channel_test_unsupported', model);
  }
  assert.is(upstream.requests.length, 0);
});

checks('asks what suits the model behind an alias or a prefix', async ({ daemon, upstream }) => {
  const asked = async (model: string, rest: Record<string, unknown>) => {
    upstream.requests.length = 0;
    const id = await daemon.addChannel({ base_url: upstream.url, models: model, ...rest });
    const { code } = await daemon.root.channels.test({ id, model: `${rest.model_prefix ?? ''}${model}` });
    return upstream.requests.length === 0 ? code : [upstream.requests[0]?.url, bodyOf(upstream).max_completion_tokens];
  };
  const alias = (model_mapping: string) => ({ model_mapping });
  assert.equal(await asked('vectors', alias('{"vectors":"text-embedding-3-small"}')), ['/v1/embeddings', undefined]);
  assert.equal(await asked('clever', alias('{"clever":"gpt-5"}')), ['/v1/chat/completions', 64]);
  assert.equal(await asked('gpt-5', { model_prefix: 'team-' }), ['/v1/chat/completions', 64]);
  const painter = { type: 109, ...alias('{"draw":"black-forest-labs/flux-schnell"}') };
  assert.is(await asked('draw', painter), 'channel_test_unsupported');
});

checks('asks a model for what it does, and none that sings or films for words', async ({ daemon, upstream }) => {
  const asked = async (type: number, model: string, rest: Record<string, unknown> = {}) => {
    upstream.requests.length = 0;
    const id = await daemon.addChannel({ type, base_url: upstream.url, models: model, ...rest });
    const { code } = await daemon.root.channels.test({ id });
    return upstream.requests.at(-1)?.url ?? code;
  };
  assert.is(await asked(1, 'omni-moderation-latest'), '/v1/moderations');
  assert.is(await asked(42, 'mistral-moderation-latest'), '/v1/moderations');
  assert.is(await asked(26, 'moderation'), '/api/paas/v4/moderations');
  assert.is(await asked(1, 'gpt-3.5-turbo-instruct'), '/v1/completions');
  assert.is(await asked(38, 'jina-clip-v2'), '/v1/embeddings');
  assert.is(await asked(104, 'thenlper/gte-large'), '/v1/embeddings');
  assert.is(await asked(47, 'tao-8k'), '/v1/embeddings');
  assert.is(await asked(40, 'Qwen/Qwen3-235B-A22B-Instruct-2507'), '/v1/chat/completions');
  for (const [type, model] of [
    [35, 'speech-2.8-hd'],
    [40, 'FunAudioLLM/SenseVoiceSmall'],
    [45, 'doubao-seedance-1-0-pro'],
  ] as const) {
    assert.is(await asked(type, model), 'channel_test_unsupported', model);
  }
  // Bedrock has embeddings, but not of this maker.
  const key = 'AKIAIOSFODNN7EXAMPLE|secret-of-the-key|eu-west-1';
  assert.is(await asked(33, 'twelvelabs.marengo-embed-2-7-v1:0', { key }), 'channel_test_unsupported');
});

checks('asks in the wire format that is wished, streamed or not', async ({ daemon, upstream }) => {
  const { root } = daemon;
  const id = await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o,text-embedding-3-small,bge-reranker' });
  await root.channels.test({ id, stream: 'on' });
  await root.channels.test({ id, endpoint: 'responses' });
  await root.channels.test({ id, model: 'text-embedding-3-small' });
  await root.channels.test({ id, endpoint: 'embeddings' });
  await root.channels.test({ id, endpoint: 'messages' });
  await root.channels.test({ id, endpoint: 'gemini' });
  assert.equal(
    upstream.requests.map(({ url }) => url),
    [
      '/v1/chat/completions',
      '/v1/responses',
      '/v1/embeddings',
      '/v1/embeddings',
      '/v1/chat/completions',
      '/v1/chat/completions',
    ],
  );
  assert.is(bodyOf(upstream).stream, true);
  assert.equal(bodyOf(upstream, 4).messages, [{ role: 'user', content: 'hi' }]);
  upstream.script(jsonAnswer({ results: [{ index: 0, relevance_score: 0.9 }], usage: { total_tokens: 3 } }));
  const ranking = await daemon.addChannel({ type: 38, base_url: upstream.url, models: 'jina-reranker-v3' });
  const ranked = await root.channels.test({ id: ranking });
  assert.equal([ranked.success, upstream.requests.at(-1)?.url], [true, '/v1/rerank'], ranked.message);
  assert.equal(bodyOf(upstream, 6).documents, ['hello world', 'goodbye']);
  const anthropic = await daemon.addChannel({ type: 14, base_url: upstream.url, models: 'claude-sonnet-4-5' });
  const unsupported = await root.channels.test({ id: anthropic, endpoint: 'embeddings' });
  assert.equal([unsupported.success, unsupported.code], [false, 'channel_test_unsupported']);
});

checks('tests a channel before it is saved, and saves nothing', async ({ daemon, upstream }) => {
  const { root } = daemon;
  const before = (await root.channels.list({})).total;
  const mapping = JSON.stringify({ 'gpt-4o': 'gpt-4o-2024' });
  const draft = { type: 1, key: 'sk-of-the-draft', base_url: upstream.url, models: 'gpt-4o', model_mapping: mapping };
  const result = await root.channels.testDraft({ channel: draft });
  assert.is(result.success, true, result.message);
  assert.is(upstream.requests[0]?.headers.authorization, 'Bearer sk-of-the-draft');
  assert.is(bodyOf(upstream).model, 'gpt-4o-2024');
  assert.is((await root.channels.list({})).total, before);
  const { testDraft } = root.channels;
  await assertRefused(testDraft({ channel: { ...draft, type: 999 } }), 'channel_type_unknown');
  await assertRefused(testDraft({ channel: { ...draft, key: '' } }), 'channel_key_required');
  await assertRefused(testDraft({ channel: { ...draft, setting: '[]' } }), 'channel_json_invalid');
  const metadata = 'http://169.254.169.254';
  await assertRefused(testDraft({ channel: { ...draft, base_url: metadata } }), 'channel_base_url_refused');
  assert.is(upstream.requests.length, 1);
});

checks('a server without a login is saved, tested and asked for its models without a key', async (world) => {
  const { daemon, upstream } = world;
  const { root } = daemon;
  for (const type of [4, 47]) {
    const channel = { type, name: `no login ${type}`, base_url: upstream.url, models: 'qwen3' };
    assert.is((await root.channels.testDraft({ channel })).success, true);
    const made = await root.channels.create(channel);
    assert.is((await root.channels.test({ id: 'id' in made ? made.id : 0 })).success, true);
    upstream.script(jsonAnswer({ data: [{ id: 'qwen3' }], models: [{ name: 'qwen3', model: 'qwen3' }] }));
    assert.equal(await root.channels.fetchModelsDraft({ type, key: '', base_url: upstream.url }), ['qwen3']);
    upstream.script(chat);
  }
  const needy = root.channels.create({ type: 43, name: 'with a login', models: 'deepseek-chat' });
  await assertRefused(needy, 'channel_key_required');
});

checks('tests an edit with the stored key, and sends that key to no other host', async ({ daemon, upstream }) => {
  const { root } = daemon;
  const channel_id = await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o', key: 'sk-stored' });
  const edit = { param_override: JSON.stringify({ temperature: 0.25 }) };
  assert.is((await root.channels.testDraft({ channel_id, channel: edit })).success, true);
  assert.is(upstream.requests[0]?.headers.authorization, 'Bearer sk-stored');
  assert.is(bodyOf(upstream).temperature, 0.25);
  assert.is((await root.channels.get({ id: channel_id })).param_override, '');
  assert.equal(await root.channels.tests({ id: channel_id }), []);
  const other = await startFakeUpstream(chat);
  try {
    const moved = root.channels.testDraft({ channel_id, channel: { base_url: other.url } });
    await assertRefused(moved, 'channel_key_required');
    const own = { base_url: other.url, key: 'sk-another' };
    assert.is((await root.channels.testDraft({ channel_id, channel: own })).success, true);
    assert.equal(
      other.requests.map(({ headers }) => headers.authorization),
      ['Bearer sk-another'],
    );
  } finally {
    await other.close();
  }
  await assertRefused(root.channels.testDraft({ channel_id: 9999, channel: edit }), 'channel_not_found');
});

checks.run();

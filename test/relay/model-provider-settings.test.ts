/**
 * What an operator sets for the vendors' models (relay.md 6.1, 7.2, 12.3, 12.7, 17.8), by what reaches the upstream
 * and the client through a whole daemon.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject, type JsonObject } from '../../daemon/relay/json.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { jsonAnswer, type RecordedRequest, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { logRowOf } from '../support/log-row.ts';
import { type RelayWorld, tidyBetween } from '../support/relay-world.ts';
import { claudeMessage, completion, finishChunk, roleChunk } from './wire.ts';

const test = suite<RelayWorld>('relay/model-provider settings');

const claudeModels = [
  'claude-sonnet-4-5',
  'claude-sonnet-4-5-thinking',
  'claude-opus-4-6-thinking',
  'claude-opus-4-6-low',
  'claude-alias-thinking',
];
const geminiModels = [
  'gemini-2.5-flash',
  'gemini-2.5-flash-thinking',
  'gemini-2.5-flash-nothinking',
  'gemini-3-flash-preview-low',
  'gemini-2.5-flash-image',
  'gemini-1.0-pro',
];
const openaiModels = ['gpt-5.1-high', 'gpt-4o', 'o3-low'];

/** Answers any dialect. */
function answers(request: RecordedRequest) {
  if (request.url.includes('/messages')) {
    return jsonAnswer(claudeMessage({ usage: { input_tokens: 1000, output_tokens: 100 } }));
  }
  if (!request.url.includes('/models/')) return jsonAnswer(completion());
  return jsonAnswer({
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
  });
}

test.before(async (world) => {
  world.upstream = await startFakeUpstream(answers);
  world.daemon = await startTestDaemon({ options: { SelfUseModeEnabled: 'true' } });
  const base_url = world.upstream.url;
  await world.daemon.addChannel({
    type: 14,
    base_url,
    models: claudeModels.join(),
    model_mapping: JSON.stringify({ 'claude-alias-thinking': 'claude-odd-4-5-thinking' }),
  });
  await world.daemon.addChannel({ type: 24, base_url, models: geminiModels.join() });
  await world.daemon.addChannel({ type: 1, base_url, models: openaiModels.join() });
  await world.daemon.addChannel({ type: 43, base_url, models: 'deepseek-chat' });
  world.key = await world.daemon.addKey();
});

tidyBetween(test, answers);

function post(world: RelayWorld, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${world.daemon.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** The body that the upstream was sent last. */
function sent({ upstream }: RelayWorld): JsonObject {
  const body: unknown = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? 'null');
  return isObject(body) ? body : {};
}

/** Runs `work` with options set, and puts them back. */
async function withOptions(
  world: RelayWorld,
  options: Record<string, string>,
  work: () => Promise<void>,
): Promise<void> {
  const { options: client } = world.daemon.root;
  const before = new Map((await client.list({})).map(({ key, value }) => [key, value]));
  try {
    for (const [key, value] of Object.entries(options)) await client.set({ key, value });
    await work();
  } finally {
    for (const key of Object.keys(options)) await client.set({ key, value: before.get(key) ?? '' });
  }
}

const user = [{ role: 'user', content: 'hi' }];
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
const chatPath = '/v1/chat/completions';
const geminiPath = (model: string) => `/v1beta/models/${model}:generateContent`;

test('gemini.safety_settings fill every category of a translated call, and of a native one that names none', async (world) => {
  const own = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_LOW_AND_ABOVE' }];
  const settings = JSON.stringify({ default: 'BLOCK_ONLY_HIGH', HARM_CATEGORY_HATE_SPEECH: 'BLOCK_NONE' });
  await withOptions(world, { 'gemini.safety_settings': settings }, async () => {
    await post(world, chatPath, { model: 'gemini-2.5-flash', messages: user });
    const filled = sent(world).safetySettings;
    assert.equal(filled, [
      { category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_ONLY_HIGH' },
      { category: 'HARM_CATEGORY_HATE_SPEECH', threshold: 'BLOCK_NONE' },
      { category: 'HARM_CATEGORY_SEXUALLY_EXPLICIT', threshold: 'BLOCK_ONLY_HIGH' },
      { category: 'HARM_CATEGORY_DANGEROUS_CONTENT', threshold: 'BLOCK_ONLY_HIGH' },
      { category: 'HARM_CATEGORY_CIVIC_INTEGRITY', threshold: 'BLOCK_ONLY_HIGH' },
    ]);
    await post(world, geminiPath('gemini-2.5-flash'), { contents });
    assert.equal(sent(world).safetySettings, filled);
    await post(world, geminiPath('gemini-2.5-flash'), { contents, safetySettings: own });
    assert.equal(sent(world).safetySettings, own);
  });
});

test('gemini.version_settings choose the version in the path, by model and else for all', async (world) => {
  const settings = JSON.stringify({ default: 'v1', 'gemini-1.0-pro': 'v1alpha' });
  await withOptions(world, { 'gemini.version_settings': settings }, async () => {
    await post(world, chatPath, { model: 'gemini-2.5-flash', messages: user });
    await post(world, geminiPath('gemini-1.0-pro'), { contents });
  });
  await post(world, chatPath, { model: 'gemini-2.5-flash', messages: user });
  assert.equal(
    world.upstream.requests.map(({ url }) => url.split('/')[1]),
    ['v1', 'v1alpha', 'v1beta'],
  );
});

test('gemini.supported_imagine_models are asked for pictures beside text', async (world) => {
  await withOptions(world, { 'gemini.supported_imagine_models': '["gemini-2.5-flash-image"]' }, async () => {
    await post(world, chatPath, { model: 'gemini-2.5-flash-image', messages: user });
    assert.equal(sent(world).generationConfig, { responseModalities: ['TEXT', 'IMAGE'] });
    await post(world, chatPath, { model: 'gemini-2.5-flash', messages: user });
    assert.is(sent(world).generationConfig, undefined);
  });
});

test('a Claude asked for with -thinking gets a share of its limit to think in, on both lanes', async (world) => {
  const model = 'claude-sonnet-4-5-thinking';
  const native = await post(world, '/v1/messages', { model, messages: user, max_tokens: 10_000, temperature: 0.2 });
  assert.is((await native.json()).model, model);
  const { thinking, temperature, model: upstreamModel } = sent(world);
  assert.equal(
    [upstreamModel, thinking, temperature],
    ['claude-sonnet-4-5', { type: 'enabled', budget_tokens: 8000 }, undefined],
  );
  const translated = await post(world, chatPath, { model, messages: user, max_tokens: 10_000 });
  assert.equal(sent(world).thinking, { type: 'enabled', budget_tokens: 8000 });
  assert.is(sent(world).model, 'claude-sonnet-4-5');
  // Without a limit of the client's it is a share of the operator's.
  await post(world, '/v1/messages', { model, messages: user });
  assert.equal([sent(world).thinking, sent(world).max_tokens], [{ type: 'enabled', budget_tokens: 6553 }, 8192]);
  const { facts, quota, model_name } = await logRowOf(world.daemon, translated);
  assert.equal(
    [facts.reasoning_effort, facts.is_model_mapped, model_name],
    ['thinking', undefined, 'claude-sonnet-4-5-thinking'],
  );
  // claude-sonnet-4-5: 1.5, output five times that.
  assert.is(quota, (1000 + 5 * 100) * 1.5);
});

test('the thinking adapter of Claude obeys its options', async (world) => {
  const body = { model: 'claude-sonnet-4-5-thinking', messages: user, max_tokens: 10_000 };
  await withOptions(world, { 'claude.thinking_adapter_budget_tokens_percentage': '0.5' }, async () => {
    await post(world, '/v1/messages', body);
    assert.equal(sent(world).thinking, { type: 'enabled', budget_tokens: 5000 });
  });
  await withOptions(world, { 'claude.thinking_adapter_enabled': 'false' }, async () => {
    await post(world, '/v1/messages', body);
    assert.equal([sent(world).model, sent(world).thinking], [body.model, undefined]);
  });
});

test('a Claude from 4.6 on is told an effort instead', async (world) => {
  await post(world, '/v1/messages', { model: 'claude-opus-4-6-thinking', messages: user, max_tokens: 500 });
  assert.equal([sent(world).thinking, sent(world).output_config], [{ type: 'adaptive' }, { effort: 'high' }]);
  await post(world, chatPath, { model: 'claude-opus-4-6-low', messages: user });
  assert.equal([sent(world).model, sent(world).output_config], ['claude-opus-4-6', { effort: 'low' }]);
});

test('a name that a mapping wrote is taken as it stands', async (world) => {
  await post(world, '/v1/messages', { model: 'claude-alias-thinking', messages: user, max_tokens: 500 });
  assert.equal([sent(world).model, sent(world).thinking], ['claude-odd-4-5-thinking', undefined]);
});

test('Gemini thinks by share, by an exact budget that nobody lists, or not at all, once the adapter is on', async (world) => {
  const asked = async (model: string, config: JsonObject = {}) => {
    await post(world, geminiPath(model), { contents, generationConfig: config });
    const { generationConfig } = sent(world);
    return [world.upstream.requests.at(-1)?.url, isObject(generationConfig) ? generationConfig.thinkingConfig : null];
  };
  const path = '/v1beta/models/gemini-2.5-flash:generateContent';
  const off = await asked('gemini-2.5-flash-thinking');
  assert.equal(off, ['/v1beta/models/gemini-2.5-flash-thinking:generateContent', undefined]);
  await withOptions(world, { 'gemini.thinking_adapter_enabled': 'true' }, async () => {
    const shown = { includeThoughts: true };
    assert.equal(await asked('gemini-2.5-flash-thinking', { maxOutputTokens: 1000 }), [
      path,
      { ...shown, thinkingBudget: 600 },
    ]);
    assert.equal(await asked('gemini-2.5-flash-thinking'), [path, { ...shown, thinkingBudget: 24_576 }]);
    assert.equal(await asked('gemini-2.5-flash-thinking-2048'), [path, { ...shown, thinkingBudget: 2048 }]);
    assert.equal(await asked('gemini-2.5-flash-nothinking'), [path, { thinkingBudget: 0 }]);
    await post(world, chatPath, { model: 'gemini-3-flash-preview-low', messages: user });
    assert.equal(sent(world).generationConfig, { thinkingConfig: { ...shown, thinkingLevel: 'low' } });
    await withOptions(world, { 'gemini.thinking_adapter_budget_tokens_percentage': '0.1' }, async () => {
      const [, config] = await asked('gemini-2.5-flash-thinking', { maxOutputTokens: 1000 });
      assert.equal(config, { ...shown, thinkingBudget: 100 });
    });
    await withOptions(world, { 'gemini.models_supported_thinking_budget': '[]' }, async () => {
      assert.equal((await asked('gemini-2.5-flash-thinking'))[1], undefined);
    });
  });
});

test('an effort behind an OpenAI name reaches it from every dialect', async (world) => {
  for (const [path, body] of [
    [chatPath, { messages: user }],
    ['/v1/messages', { messages: user, max_tokens: 100 }],
    [geminiPath('gpt-5.1-high'), { contents }],
  ] as const) {
    const answer = await post(world, path, { model: 'gpt-5.1-high', ...body });
    assert.is(answer.status, 200, path);
    assert.equal([sent(world).model, sent(world).reasoning_effort], ['gpt-5.1', 'high'], path);
  }
  await post(world, '/v1/responses', { model: 'o3-low', input: 'hi', reasoning: { summary: 'auto' } });
  assert.equal([sent(world).model, sent(world).reasoning], ['o3', { summary: 'auto', effort: 'low' }]);
});

test('claude.model_headers_settings join the headers of the model that the client named', async (world) => {
  const settings = JSON.stringify({
    'claude-sonnet-4-5-thinking': { 'anthropic-beta': ['a-2025', 'b-2025'], 'X-Extra': 'yes' },
  });
  await withOptions(world, { 'claude.model_headers_settings': settings }, async () => {
    const body = { model: 'claude-sonnet-4-5-thinking', messages: user, max_tokens: 5000 };
    await post(world, '/v1/messages', body, { 'anthropic-beta': 'b-2025,c-2025' });
    const { headers } = world.upstream.requests[0] ?? {};
    assert.equal(String(headers?.['anthropic-beta']).split(',').sort(), ['a-2025', 'b-2025', 'c-2025']);
    assert.is(headers?.['x-extra'], 'yes');
    await post(world, '/v1/messages', { ...body, model: 'claude-sonnet-4-5' });
    assert.is(world.upstream.requests[1]?.headers['x-extra'], undefined);
  });
});

test('claude.default_max_tokens stand in for a limit that the client left out', async (world) => {
  const settings = JSON.stringify({ default: 4000, 'claude-sonnet-4-5': 1234 });
  await withOptions(world, { 'claude.default_max_tokens': settings }, async () => {
    await post(world, '/v1/messages', { model: 'claude-sonnet-4-5', messages: user });
    assert.is(sent(world).max_tokens, 1234);
    await post(world, chatPath, { model: 'claude-sonnet-4-5', messages: user });
    assert.is(sent(world).max_tokens, 1234);
    await post(world, chatPath, { model: 'claude-opus-4-6-low', messages: user });
    assert.is(sent(world).max_tokens, 4000);
    // Whoever borrows the dialect demands a limit as well; 0 is none.
    for (const limit of [{}, { max_tokens: 0 }]) {
      await post(world, '/v1/messages', { model: 'deepseek-chat', messages: user, ...limit });
      assert.equal([world.upstream.requests.at(-1)?.url, sent(world).max_tokens], ['/anthropic/v1/messages', 4000]);
    }
  });
});

test('global.pass_through_request_enabled sends a body of the same dialect byte for byte, and translates others', async (world) => {
  await withOptions(world, { 'global.pass_through_request_enabled': 'true' }, async () => {
    const text = '{ "contents":[{"parts":[{"text":"hi"}]}],"x":12345678901234567890 }';
    await post(world, geminiPath('gemini-2.5-flash'), text);
    assert.is(world.upstream.requests[0]?.body.toString(), text);
    const thinking =
      '{"model":"claude-sonnet-4-5-thinking","messages":[{"role":"user","content":"hi"}],"max_tokens":9}';
    await post(world, '/v1/messages', thinking);
    assert.is(world.upstream.requests[1]?.body.toString(), thinking);
    await post(world, chatPath, { model: 'gemini-2.5-flash', messages: user });
    assert.equal(sent(world).contents, contents);
  });
});

test('global.hide_upstream_error_enabled tells clients of every dialect the status alone', async (world) => {
  world.upstream.script(jsonAnswer({ error: { message: 'quota of org-secret', type: 'odd', code: 'odd' } }, 422));
  await withOptions(world, { 'global.hide_upstream_error_enabled': 'true' }, async () => {
    for (const [path, body] of [
      [chatPath, { model: 'gpt-4o', messages: user }],
      ['/v1/messages', { model: 'gpt-4o', messages: user, max_tokens: 9 }],
      [geminiPath('gpt-4o'), { contents }],
    ] as const) {
      const answer = await post(world, path, body);
      const { error } = await answer.json();
      assert.is(answer.status, 422);
      assert.match(error.message, /^Upstream error with status code 422 \(request id: /, path);
    }
  });
});

test('global.block_browser_extension_enabled refuses pages of extensions and nobody else', async (world) => {
  const call = (origin: string) => post(world, chatPath, { model: 'gpt-4o', messages: user }, { origin });
  await withOptions(world, { 'global.block_browser_extension_enabled': 'true' }, async () => {
    const refused = await call('chrome-extension://abc');
    assert.equal([refused.status, (await refused.json()).error.code], [403, 'browser_extension_blocked']);
    for (const path of ['/v1/models', '/v1/models/gpt-4o', '/mj/task/1/fetch', '/suno/fetch/1']) {
      const headers = { authorization: `Bearer ${world.key}`, origin: 'chrome-extension://abc' };
      const asked = await fetch(world.daemon.url + path, { headers });
      assert.is(asked.status, 403, path);
      assert.match(await asked.text(), /browser_extension_blocked/, path);
    }
    const image = await fetch(`${world.daemon.url}/mj/image/1768480200123456`, {
      headers: { origin: 'moz-extension://abc' },
    });
    assert.equal([image.status, await image.json()], [403, { error: 'browser_extension_blocked' }]);
    assert.is((await call('https://example.com')).status, 200);
  });
  assert.is((await call('chrome-extension://abc')).status, 200);
});

test('general_setting.ping_interval keeps a waiting stream alive in the words of its dialect', async (world) => {
  const options = { 'general_setting.ping_interval_enabled': 'true', 'general_setting.ping_interval_seconds': '1' };
  world.upstream.script({ ...sseAnswer([roleChunk, finishChunk, '[DONE]']), headersAfterMs: 1500 });
  await withOptions(world, options, async () => {
    const chat = { model: 'gpt-4o', messages: user, stream: true };
    const [openai, anthropic] = await Promise.all([
      post(world, chatPath, chat).then((answer) => answer.text()),
      post(world, '/v1/messages', { ...chat, max_tokens: 9 }).then((answer) => answer.text()),
    ]);
    assert.match(openai, /^: PING\n\n/);
    assert.match(anthropic, /^event: ping\ndata: \{"type": ?"ping"\}\n\n/);
    // The array that Gemini's clients read without events is kept alive by white space.
    const array = await post(world, '/v1beta/models/gpt-4o:streamGenerateContent', { contents }).then((answer) =>
      answer.text(),
    );
    assert.match(array, /^ +\[\{/);
    assert.ok(JSON.parse(array).length > 0);
  });
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chatFormats } from '../../../../daemon/contract/channel-formats.ts';
import { diffEdits } from '../../../../daemon/relay/body-edit.ts';
import type { FormatId } from '../../../../daemon/relay/format.ts';
import { isObject, type Json, type JsonObject } from '../../../../daemon/relay/json.ts';
import type { UpstreamCall } from '../../../../daemon/relay/provider.ts';
import { providerOf, providers } from '../../../../daemon/relay/providers/index.ts';
import { callId } from '../../../../daemon/relay/providers/mistral/quirks.ts';
import { readResponse, recordedCases } from '../../../conformance/cases.ts';
import { adapterOf, callOf } from '../../../support/adapter-calls.ts';

const test = suite('providers');

function amend(id: string, body: JsonObject, rest: Partial<UpstreamCall> = {}): Json {
  const adapter = adapterOf(id);
  return adapter.amendBody?.(body, callOf(adapter, rest)) ?? body;
}

test('no two have the same type or id, and each is found by its type', () => {
  for (const { id, models } of providers)
    assert.is(new Set(models).size, models.length, `${id} offers each model once`);
  assert.is(new Set(providers.map((entry) => entry.id)).size, providers.length);
  for (const entry of providers) assert.is(providerOf(entry.channelType), entry);
  assert.equal(
    providers.map((entry) => entry.channelType).sort((a, b) => a - b),
    [
      1, 2, 3, 4, 5, 8, 11, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 31, 33, 34, 35, 36, 37, 38, 39, 40,
      41, 42, 43, 44, 45, 46, 47, 48, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110,
    ],
  );
  assert.is(providerOf(9999), undefined);
});

test('chat in the formats that the command line lists', () => {
  const spoken = providers.flatMap(({ channelType, speaks: { chat } }) =>
    chat === undefined ? [] : [[channelType, chat]],
  );
  assert.equal(chatFormats, Object.fromEntries(spoken));
});

test('addresses may end in a slash or in /v1', () => {
  const path = (id: string, baseUrl: string, format: FormatId = 'openai-chat') =>
    adapterOf(id).path(callOf(adapterOf(id), { baseUrl, format }));
  for (const baseUrl of ['https://host', 'https://host/', 'https://openrouter.ai/api']) {
    assert.is(path('openai', baseUrl), '/v1/chat/completions');
  }
  assert.is(path('openai', 'https://host/v1'), '/chat/completions');
  assert.is(path('openai', 'https://gateway.ai.cloudflare.com/v1/a/b/openai'), '/chat/completions');
  assert.is(path('openai', 'https://host', 'openai-responses'), '/v1/responses');
  assert.is(path('mistral', 'https://host', 'openai-completions'), '/v1/fim/completions');
  assert.is(path('deepseek', 'https://host/v1', 'openai-completions'), 'https://host/beta/completions');
  assert.is(path('deepseek', 'https://host/beta', 'openai-completions'), '/completions');
  assert.is(path('deepseek', 'https://host/beta'), '/chat/completions');
  assert.is(path('deepseek', 'https://host/beta', 'openai-responses'), 'https://host/v1/responses');
  assert.is(path('deepseek', 'https://host/v1'), '/chat/completions');
});

test('lists and balances are asked for where they stand, whatever the address ends in', () => {
  const facts = { other: 'account', setting: {}, settings: {}, nowMs: 0 };
  const list = (id: string, baseUrl: string) => adapterOf(id).listModels?.({ ...facts, baseUrl })?.path;
  assert.is(list('deepseek', 'https://host/beta'), 'https://host/v1/models');
  assert.is(list('deepseek', 'https://host/v1'), '/models');
  const query = 'models/search?per_page=100&page=1&hide_experimental=true';
  assert.is(list('cloudflare', 'https://h/accounts/a/ai/v1'), `https://h/accounts/a/ai/${query}`);
  assert.is(list('cloudflare', 'https://h'), `https://h/client/v4/accounts/account/ai/${query}`);
  const balance = (baseUrl: string) => adapterOf('custom').balance?.({ ...facts, baseUrl })[0]?.path;
  assert.is(balance('https://h/api/v1/chat/completions'), 'https://h/api/v1/dashboard/billing/subscription');
  assert.is(balance('https://h/v1/embeddings?key=1'), 'https://h/v1/dashboard/billing/subscription');
});

test('a custom address is taken whole, with the model put in', () => {
  const custom = adapterOf('custom');
  const path = (model: string) => custom.path(callOf(custom, { baseUrl: 'https://h/{model}/chat?key=1&$&', model }));
  assert.is(path('vendor/a b?'), 'https://h/vendor/a%20b%3F/chat?key=1&$&');
  const list = custom.listModels?.({
    baseUrl: 'https://h/v1/chat/completions',
    other: '',
    setting: {},
    settings: {},
  });
  assert.is(list?.path, 'https://h/v1/models');
});

test('every format that is spoken has a path', () => {
  for (const adapter of providers) {
    for (const [capability, formats] of Object.entries(adapter.speaks)) {
      for (const format of formats) {
        assert.ok(adapter.path(callOf(adapter, { format })) !== undefined, `${adapter.id} ${capability}`);
      }
    }
  }
});

test('recorded model lists are read', () => {
  let lists = 0;
  for (const one of recordedCases()) {
    const adapter = providers.find((entry) => entry.id === one.name.split('/')[0]);
    const body = readResponse(one);
    if (adapter === undefined || one.format !== 'models' || one.status >= 400 || body === undefined) continue;
    lists += 1;
    const list = adapter.listModels?.({ baseUrl: adapter.baseUrl, other: '', setting: {}, settings: {} });
    assert.ok((list?.read(body)?.length ?? 0) > 0, one.name);
  }
  assert.ok(lists > 0);
});

test('balances are read from the answers that the sheets show', () => {
  const read = (id: string, body: Json) => {
    const adapter = adapterOf(id);
    const facts = { baseUrl: adapter.baseUrl, other: '', setting: {}, settings: {}, nowMs: 0 };
    return adapter.balance?.(facts)[0]?.read(body);
  };
  assert.is(read('openrouter', { data: { total_credits: 10, total_usage: 4 } }), 6);
  assert.is(read('moonshot', { code: 0, data: { available_balance: 49.58, cash_balance: 3 } }), 49.58);
  assert.is(read('siliconflow', { code: 20_000, data: { balance: '0.88', totalBalance: '88.88' } }), 88.88);
  const infos = [
    { currency: 'CNY', total_balance: '110.00' },
    { currency: 'USD', total_balance: '5.5' },
  ];
  assert.is(read('deepseek', { is_available: true, balance_infos: infos }), 110);
  assert.is(read('openai', { hard_limit_usd: 20 }), 20);
  assert.is(read('deepseek', { unexpected: true }), undefined);
});

test('OpenAI reasoning models get the fields they take', () => {
  const body = { model: 'm', messages: [{ role: 'system', content: 's' }], max_tokens: 5, temperature: 0.2, top_p: 1 };
  assert.equal(amend('openai', body, { model: 'o3-mini' }), {
    model: 'm',
    messages: [{ role: 'developer', content: 's' }],
    max_completion_tokens: 5,
  });
  assert.equal(amend('openai', body, { model: 'gpt-4.1' }), body);
  assert.equal(amend('openai', { n: 2, temperature: 1, stop: 'x' }, { model: 'gpt-4o-search-preview' }), { stop: 'x' });
  const quiet = { reasoning_effort: 'none', temperature: 0.5 };
  assert.equal(amend('openai', quiet, { model: 'gpt-5.4' }), quiet);
});

test('models that always think are asked for no less in either dialect', () => {
  const openai = adapterOf('openai');
  const responses = (model: string) => callOf(openai, { model, format: 'openai-responses' });
  const asked = (reasoning: JsonObject) => amend('openai', { reasoning }, responses('gpt-6.1-sol'));
  assert.ok(openai.amends?.(responses('gpt-6.1-sol')));
  assert.not.ok(openai.amends?.(responses('gpt-6-sol')));
  assert.equal(amend('openai', { reasoning_effort: 'none' }, { model: 'gpt-6-astra' }), {});
  assert.equal(asked({ effort: 'none' }), {});
  assert.equal(asked({ effort: 'minimal', summary: 'auto' }), { reasoning: { summary: 'auto' } });
  assert.equal(asked({ effort: 'low' }), { reasoning: { effort: 'low' } });
});

test("OpenAI's models for images are not asked for the bytes that they always give", () => {
  const asked = (model: string, response_format: string) =>
    amend('openai', { prompt: 'p', response_format }, { model, capability: 'images', format: 'openai-images' });
  assert.equal(asked('gpt-image-2', 'b64_json'), { prompt: 'p' });
  assert.equal(asked('gpt-image-2', 'url'), { prompt: 'p', response_format: 'url' });
  assert.equal(asked('dall-e-3', 'b64_json'), { prompt: 'p', response_format: 'b64_json' });
});

test('a quirk becomes the smallest edit of the bytes', () => {
  const body: JsonObject = {
    messages: [
      { role: 'system', content: 's' },
      { role: 'user', content: 'u' },
    ],
    max_tokens: 5,
  };
  const after = amend('openai', body, { model: 'o3' });
  assert.ok(isObject(after));
  assert.equal(diffEdits(body, after), [
    { path: ['max_tokens'], remove: true },
    { path: ['messages', '0', 'role'], set: 'developer' },
    { path: ['max_completion_tokens'], set: 5 },
  ]);
});

test('Kimi models get no pinned parameter', () => {
  const body = { temperature: 0.1, n: 2, reasoning_effort: 'medium', tool_choice: 'required' };
  assert.equal(amend('moonshot', body, { model: 'kimi-k3' }), { reasoning_effort: 'high', tool_choice: 'required' });
  assert.equal(amend('moonshot', body, { model: 'moonshot-v1-8k' }), { temperature: 0.3, n: 2, tool_choice: 'auto' });
  const tools = [{ type: 'function', function: { name: 'f', strict: true } }];
  assert.equal(amend('moonshot', { tools }), { tools: [{ type: 'function', function: { name: 'f' } }] });
});

test('360 is given temperatures of its own range', () => {
  const sent = (temperature: number) => amend('ai360', { temperature }, { model: '360gpt2-pro' });
  assert.equal(
    [2, 1, 0.3, -1].map(sent),
    [1, 1, 0.3, 0].map((temperature) => ({ temperature })),
  );
});

test('DeepSeek gets its own words', () => {
  const body = {
    max_completion_tokens: 9,
    reasoning_effort: 'none',
    messages: [
      {
        role: 'developer',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c' }] },
    ],
  };
  assert.equal(amend('deepseek', body, { model: 'deepseek-v4-pro' }), {
    max_tokens: 9,
    thinking: { type: 'disabled' },
    messages: [{ role: 'system', content: 'a\nb' }, body.messages[1]],
  });
  const thinking = amend('deepseek', { messages: [body.messages[1] ?? {}] });
  assert.equal(thinking, { messages: [{ ...body.messages[1], reasoning_content: '' }] });
});

test('SiliconFlow gets a budget for an effort', () => {
  assert.equal(amend('siliconflow', { reasoning_effort: 'medium' }), { enable_thinking: true, thinking_budget: 8192 });
  assert.equal(amend('siliconflow', { reasoning_effort: 'none' }), { enable_thinking: false });
});

test('Grok gets only what it takes', () => {
  const body = { max_tokens: 3, stop: 'x', presence_penalty: 1, reasoning_effort: 'low' };
  assert.equal(amend('xai', body, { model: 'grok-4.6' }), { max_completion_tokens: 3, reasoning_effort: 'low' });
  assert.equal(amend('xai', body, { model: 'grok-4.20-0309-non-reasoning' }), {
    max_tokens: 3,
    stop: 'x',
    presence_penalty: 1,
  });
});

test('Mistral gets no field that it refuses', () => {
  const body = {
    model: 'mistral-small-latest',
    seed: 1,
    max_completion_tokens: 4,
    user: 'u',
    logit_bias: {},
    tool_choice: 'required',
    stream_options: { include_usage: true },
    messages: [
      { role: 'developer', content: 's', name: 'n' },
      { role: 'user', content: 'plain' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'call_long_id', type: 'function' }],
        reasoning_content: 'r',
      },
      { role: 'tool', tool_call_id: 'call_long_id', content: 'done' },
    ],
  };
  const id = callId('call_long_id');
  assert.match(id, /^[a-zA-Z0-9]{9}$/);
  assert.is(callId('D681PevKs'), 'D681PevKs');
  assert.equal(amend('mistral', body), {
    model: 'mistral-small-latest',
    random_seed: 1,
    max_tokens: 4,
    tool_choice: 'any',
    messages: [
      { role: 'system', content: 's' },
      { role: 'user', content: 'plain' },
      { role: 'assistant', content: '', tool_calls: [{ id, type: 'function' }] },
      { role: 'tool', content: 'done', tool_call_id: id },
    ],
  });
  assert.equal(amend('mistral', { input: 'x', dimensions: 8, user: 'u' }, { format: 'openai-embeddings' }), {
    input: 'x',
    output_dimension: 8,
  });
});

test('GLM gets no parameter that it refuses', () => {
  const schema = { type: 'object' };
  const body = {
    model: 'GLM-4.6',
    messages: [{ role: 'user', content: 'u' }],
    temperature: 0,
    n: 2,
    user: 'ab',
    reasoning_effort: 'none',
    response_format: { type: 'json_schema', json_schema: { name: 's', schema } },
  };
  const content = `Answer with one JSON value that follows this JSON schema:\n${JSON.stringify(schema)}`;
  assert.equal(amend('zhipu-v4', body, { model: 'GLM-4.6' }), {
    model: 'glm-4.6',
    messages: [
      { role: 'system', content },
      { role: 'user', content: 'u' },
    ],
    do_sample: false,
    thinking: { type: 'disabled' },
    response_format: { type: 'json_object' },
  });
  assert.equal(amend('zhipu-v4', { top_p: 1 }, { model: 'glm-4.6' }), { top_p: 1 });
  assert.equal(amend('zhipu-v4', { top_p: 1 }, { model: 'glm-4-plus' }), { top_p: 0.99 });
  const drawn = (body: JsonObject) => amend('zhipu-v4', body, { capability: 'images', format: 'openai-images' });
  assert.equal(drawn({ prompt: 'p', quality: 'high', size: 'auto', user: 'ann' }), { prompt: 'p' });
  const kept = { quality: 'hd', size: '1024x1024' };
  assert.equal(drawn({ ...kept, user: 'annabel' }), { ...kept, user_id: 'annabel' });
});

test('Qianfan takes lists of stops and Ark one limit, and Qwen and Qianfan embed in one form', () => {
  const asked = (id: string) =>
    amend(id, { input: 'a', encoding_format: 'base64' }, { capability: 'embeddings', format: 'openai-embeddings' });
  assert.equal([asked('ali'), asked('baidu-v2')], [{ input: 'a', encoding_format: 'float' }, { input: ['a'] }]);
  assert.equal(amend('baidu-v2', { stop: 'x' }), { stop: ['x'] });
  assert.equal(amend('volcengine', { max_tokens: 5, max_completion_tokens: 9 }), { max_completion_tokens: 9 });
  assert.equal(amend('volcengine', { max_tokens: 5 }), { max_tokens: 5 });
  assert.equal(adapterOf('volcengine').formatsFor?.({}, 'bot-2024', {}), ['openai-chat']);
});

test("GLM's first models that see get bare images", () => {
  const messages = [
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
  ];
  const bare = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'AAAA' } }] }];
  assert.equal(amend('zhipu-v4', { messages }, { model: 'glm-4v-flash' }), { messages: bare });
  assert.equal(amend('zhipu-v4', { messages }, { model: 'glm-4.6v' }), { messages });
});

test('Groq gets the efforts that its models know', () => {
  const sent = (model: string, effort: string) => amend('groq', { reasoning_effort: effort }, { model });
  assert.equal(sent('qwen/qwen3-32b', 'high'), { reasoning_effort: 'default', reasoning_format: 'parsed' });
  assert.equal(sent('openai/gpt-oss-20b', 'xhigh'), { reasoning_effort: 'high' });
  assert.equal(sent('llama-3.1-8b-instant', 'low'), {});
});

test('Qwen gets thinking by the class of its model', () => {
  const asked = (model: string) => amend('ali', { model, reasoning_effort: 'low' }, { model, stream: true });
  assert.equal(asked('qwen-plus'), { model: 'qwen-plus', enable_thinking: true, thinking_budget: 2048 });
  assert.equal(asked('qwen3.8-max'), { model: 'qwen3.8-max', reasoning_effort: 'low' });
  assert.equal(asked('qwen-flash'), { model: 'qwen-flash', enable_thinking: true });
  assert.equal(asked('qwq-plus'), { model: 'qwq-plus' });
  assert.equal(amend('ali', { model: 'qwen-plus-internet', top_p: 1 }), {
    model: 'qwen-plus',
    enable_search: true,
    top_p: 0.999,
  });
  const chats = (model: string, setting = {}) => {
    const formats = adapterOf('ali').formatsFor?.({}, model, setting) ?? [];
    return adapterOf('ali').speaks.chat?.filter((format) => formats.includes(format));
  };
  assert.equal(chats('qwen-plus'), ['openai-chat', 'openai-responses', 'anthropic-messages']);
  assert.equal(chats('qwen-plus-internet'), ['openai-chat']);
  assert.equal(chats('qwen-plus-internet', { dashscope_native: true }), ['dashscope-chat']);
});

test('a key tells which interface of Hunyuan it opens', () => {
  const tencent = adapterOf('tencent');
  assert.equal(tencent.formatsFor?.({ application: '1', secretId: 'AKID' }, 'm', {}), ['tencent-hunyuan']);
  assert.equal(tencent.formatsFor?.({ secretId: 'AKID' }, 'hunyuan-embedding', {}), ['tencent-embeddings']);
  assert.ok(tencent.formatsFor?.({}, 'm', {}).includes('openai-chat'));
  const native = callOf(tencent, { format: 'tencent-hunyuan' });
  assert.is(tencent.path(native), 'https://hunyuan.tencentcloudapi.com/');
  assert.is(tencent.path({ ...native, baseUrl: 'https://private' }), '/');
});

test('a pair of IAM keys is traded, a permanent key is sent', () => {
  const baidu = adapterOf('baidu-v2');
  assert.equal(baidu.auth(callOf(baidu, { settings: { accessKeyId: 'ak' } })), { kind: 'signed', scheme: 'baidu-iam' });
  assert.equal(baidu.auth(callOf(baidu)), { kind: 'bearer' });
});

test('Spark knows its models by other names', () => {
  const sent = (model: string, other = '') => amend('xunfei', { model }, { model, other });
  assert.equal(sent('SparkDesk-v3.5'), { model: 'generalv3.5' });
  assert.equal(sent('SparkDesk', 'v4.0'), { model: '4.0Ultra' });
  assert.equal(sent('spark-x2.5'), { model: 'spark-x2.5' });
  const xunfei = adapterOf('xunfei');
  assert.is(xunfei.path(callOf(xunfei, { model: 'spark-x2.5' })), '/x2/chat/completions');
});

test('a workflow of Dify gets its question among the inputs', () => {
  const body = { inputs: {}, query: 'q', response_mode: 'streaming', conversation_id: '', user: 'u', files: [] };
  const rest = { response_mode: 'streaming', user: 'u', files: [] };
  assert.equal(amend('dify', body, { other: 'workflow:text' }), { ...rest, inputs: { text: 'q' } });
  assert.equal(amend('dify', body), body);
  const dify = adapterOf('dify');
  assert.equal(dify.traitsFor?.(callOf(dify, { other: 'workflow:text' })), { lastQuestionOnly: true });
  assert.equal(dify.traitsFor?.(callOf(dify)), { lastQuestionOnly: false });
  assert.is(dify.path(callOf(dify, { other: 'workflow:text' })), '/v1/workflows/run');
});

test.run();

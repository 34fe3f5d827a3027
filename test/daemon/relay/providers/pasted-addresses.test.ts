/** Addresses as vendors show them, with the beginning of a path that the adapter names itself. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FormatId } from '../../../../daemon/relay/format.ts';
import { adapterOf, callOf } from '../../../support/adapter-calls.ts';

const test = suite('pasted addresses');

const host = 'https://host.example';
const cases: readonly (readonly [
  id: string,
  format: FormatId,
  model: string,
  path: string,
  ends: readonly string[],
])[] = [
  ['cohere', 'cohere-chat', 'command-a', '/v2/chat', ['', '/v1', '/v2', '/compatibility/v1']],
  ['cohere', 'cohere-v1-chat', 'command-a', '/v1/chat', ['', '/v1', '/v2']],
  ['xunfei', 'xunfei-spark', 'Spark-4.0-Ultra', '/v1/chat/completions', ['', '/v1', '/v2', '/x2']],
  ['xunfei', 'xunfei-spark', 'spark-x2.5', '/x2/chat/completions', ['', '/v1', '/v2', '/x2']],
  ['azure', 'openai-chat', 'gpt-4o', '/openai/v1/chat/completions', ['', '/openai', '/openai/v1']],
  ['azure', 'anthropic-messages', 'claude-sonnet-5', '/anthropic/v1/messages', ['', '/openai/v1', '/anthropic']],
  ['azure-foundry', 'openai-chat', 'grok-4', '/openai/v1/chat/completions', ['', '/openai/v1', '/models']],
  ['deepseek', 'openai-chat', 'deepseek-v4-pro', '/v1/chat/completions', ['', '/v1', '/anthropic']],
  ['deepseek', 'anthropic-messages', 'deepseek-v4-pro', '/anthropic/v1/messages', ['', '/v1', '/beta', '/anthropic']],
  ['minimax', 'openai-chat', 'MiniMax-M3', '/v1/chat/completions', ['', '/v1', '/anthropic', '/anthropic/v1']],
  ['minimax', 'anthropic-messages', 'MiniMax-M3', '/anthropic/v1/messages', ['', '/v1', '/anthropic']],
  ['zhipu-v4', 'openai-chat', 'glm-5', '/api/paas/v4/chat/completions', ['', '/api/paas/v4', '/api/anthropic']],
  ['zhipu-v4', 'anthropic-messages', 'glm-5', '/api/anthropic/v1/messages', ['', '/api/paas/v4', '/api/anthropic']],
  [
    'zhipu-v4',
    'anthropic-messages',
    'glm-5',
    '/api/zhipu/api/anthropic/v1/messages',
    ['/api/zhipu', '/api/zhipu/api/paas/v4', '/api/zhipu/api/coding/paas/v4', '/api/zhipu/api/anthropic'],
  ],
  ['volcengine', 'openai-chat', 'ep-1', '/api/v3/chat/completions', ['', '/api/v3']],
  ['volcengine', 'openai-chat', 'ep-1', '/api/coding/v3/chat/completions', ['/api/coding', '/api/coding/v3']],
  ['ollama', 'openai-chat', 'qwen3', '/v1/chat/completions', ['', '/v1', '/api']],
  ['ollama', 'ollama-chat', 'qwen3', '/api/chat', ['', '/v1', '/api']],
  [
    'ali',
    'openai-chat',
    'qwen3-max',
    '/compatible-mode/v1/chat/completions',
    ['', '/compatible-mode', '/apps/anthropic'],
  ],
  [
    'ali',
    'anthropic-messages',
    'qwen3-max',
    '/apps/anthropic/v1/messages',
    ['', '/compatible-mode', '/apps/anthropic'],
  ],
  ['tencent', 'openai-chat', 'hy3', '/plan/v3/chat/completions', ['/plan/v3']],
  ['tencent', 'anthropic-messages', 'hy3', '/plan/anthropic/v1/messages', ['/plan/v3']],
  ['moonshot', 'openai-chat', 'kimi-k3', '/v1/chat/completions', ['', '/v1', '/anthropic']],
  ['moonshot', 'anthropic-messages', 'kimi-k3', '/anthropic/v1/messages', ['', '/v1', '/anthropic']],
];

for (const [id, format, model, path, ends] of cases) {
  test(`${id} asks ${model} at ${path} by ${format}`, () => {
    for (const end of ends) {
      const baseUrl = host + end;
      const told = adapterOf(id).path(callOf(adapterOf(id), { baseUrl, format, model }));
      assert.is(told.startsWith(host) ? told : baseUrl + told, host + path, end);
    }
  });
}

test('lists of models stand beside pasted paths too', () => {
  for (const [id, end, path] of [
    ['cohere', '/v2', '/v1/models?page_size=1000'],
    ['azure', '/openai/v1', '/openai/v1/models'],
    ['azure-foundry', '/openai/v1', '/openai/v1/models'],
    ['deepseek', '/anthropic', '/v1/models'],
    ['moonshot', '/anthropic', '/v1/models'],
    ['minimax', '/anthropic', '/v1/models'],
    ['zhipu-v4', '/api/anthropic', '/api/paas/v4/models'],
    ['volcengine', '/api/coding', '/api/coding/v3/models'],
    ['ollama', '/api', '/api/tags'],
    ['ali', '/compatible-mode', '/compatible-mode/v1/models'],
    ['tencent', '/plan/v3', '/plan/v3/models'],
  ] as const) {
    const list = adapterOf(id).listModels?.({ baseUrl: host + end, other: '', setting: {}, settings: {} });
    const told = list?.path ?? '';
    assert.is(told.startsWith(host) ? told : host + end + told, host + path, id);
  }
});

test('DashScope’s own address of its own interface is understood, and nobody else’s that looks like it', () => {
  const path = (baseUrl: string) => adapterOf('ali').path(callOf(adapterOf('ali'), { baseUrl, model: 'qwen3-max' }));
  const own = 'https://dashscope-intl.aliyuncs.com';
  assert.is(path(`${own}/api/v1`), `${own}/compatible-mode/v1/chat/completions`);
  assert.is(path(`${host}/api/v1`), '/chat/completions');
});

test('Bedrock signs for the region of the host that is asked, and lists models beside its runtime', () => {
  const bedrock = adapterOf('bedrock');
  const settings = { region: 'us-east-1' };
  const regionAt = (baseUrl: string) => {
    const auth = bedrock.auth(callOf(bedrock, { baseUrl, settings, format: 'anthropic-messages' }));
    return auth.kind === 'signed' ? auth.settings?.region : undefined;
  };
  assert.equal(
    [
      '',
      'http://127.0.0.1:1',
      'https://bedrock-runtime.eu-west-1.amazonaws.com',
      'https://bedrock-mantle.us-gov-west-1.api.aws',
      'https://vpce-1-a.bedrock-runtime.eu-west-3.vpce.amazonaws.com',
    ].map(regionAt),
    ['us-east-1', 'us-east-1', 'eu-west-1', 'us-gov-west-1', 'eu-west-3'],
  );
  const list = (baseUrl: string) => bedrock.listModels?.({ baseUrl, other: '', setting: {}, settings })?.path;
  const beside = 'https://bedrock.eu-west-1.amazonaws.com/foundation-models?byOutputModality=TEXT';
  assert.is(list('https://bedrock-runtime.eu-west-1.amazonaws.com'), beside);
  assert.is(list('https://gateway.example'), '/foundation-models?byOutputModality=TEXT');
});

test.run();

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
  ] as const) {
    const list = adapterOf(id).listModels?.({ baseUrl: host + end, other: '', setting: {}, settings: {} });
    const told = list?.path ?? '';
    assert.is(told.startsWith(host) ? told : host + end + told, host + path, id);
  }
});

test.run();

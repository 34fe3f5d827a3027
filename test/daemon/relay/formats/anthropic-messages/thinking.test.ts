/** Where thinking and sampling of the Messages wire change from one rule to the next (relay.md 13.3). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatItem, ChatRequest } from '../../../../../daemon/relay/canonical/chat.ts';
import { anthropicMessages } from '../../../../../daemon/relay/formats/anthropic-messages/index.ts';
import { testScope } from '../../../../conformance/scope.ts';
import { anyRequest } from '../../../../conformance/translate.ts';
import { at, list } from '../../../../support/checkers/answer.ts';

const test = suite('edges of Messages requests');

const hello: ChatItem = { type: 'user', parts: [{ type: 'text', text: 'Hello' }] };

function encode(part: Partial<ChatRequest>) {
  const scope = testScope();
  const request = { ...anyRequest, stream: false, model: 'claude-sonnet-4-5', items: [hello], ...part };
  return { body: anthropicMessages.encodeRequest(request, scope), lost: scope.lost };
}

test('keep a budget below the limit, also one that is as large, whoever wrote it', () => {
  const planned = (part: Partial<ChatRequest>) => {
    const { body } = encode(part);
    return [at(body, 'thinking', 'budget_tokens'), at(body, 'max_tokens')];
  };
  const medium = { effort: 'medium' } as const;
  assert.equal(planned({ reasoning: medium, maxTokens: 2049 }), [2048, 2049]);
  assert.equal(planned({ reasoning: medium, maxTokens: 2048 }), [1638, 2048]);
  const value = { type: 'enabled', budget_tokens: 4000 };
  const raw = { dialect: 'anthropic-messages', value } as const;
  const own = { dialect: 'anthropic-messages', reasoning: { mode: 'enabled', budgetTokens: 4000, raw } } as const;
  assert.equal(planned({ ...own, maxTokens: 4001 }), [4000, 4001]);
  assert.equal(planned({ ...own, maxTokens: 4000 }), [3200, 4000]);
});

test('take a budget for the nearest word on models that judge for themselves', () => {
  const word = (budgetTokens: number) =>
    at(encode({ model: 'claude-opus-4-6', reasoning: { budgetTokens } }).body, 'output_config', 'effort');
  assert.equal([2048, 2049, 8192, 8193].map(word), ['low', 'medium', 'medium', 'high']);
});

test('keep a top_p of 0.95 and more while a model thinks', () => {
  const sampled = (topP: number) => {
    const { body, lost } = encode({ reasoning: { effort: 'low' }, sampling: { topP } });
    return [at(body, 'top_p'), lost];
  };
  assert.equal(
    [sampled(0.95), sampled(0.94)],
    [
      [0.95, []],
      [undefined, ['top_p']],
    ],
  );
});

test('keep temperature within what the vendor takes, and beside top_p before 4.1 alone', () => {
  assert.is(at(encode({ sampling: { temperature: -0.5 } }).body, 'temperature'), 0);
  const both = (model: string) => encode({ model, sampling: { temperature: 0.5, topP: 0.5 } }).lost;
  assert.equal([both('claude-opus-4-0'), both('claude-opus-4-1')], [[], ['top_p']]);
});

test('offer the allowed tools alone where one of several has to be called', () => {
  const tools = ['f', 'g', 'h'].map((name) => ({ kind: 'function', name }) as const);
  const { body } = encode({ tools, toolChoice: { mode: 'required', names: ['f', 'g'] } });
  assert.equal(
    list(at(body, 'tools')).map((entry) => at(entry, 'name')),
    ['f', 'g'],
  );
  assert.equal(at(body, 'tool_choice'), { type: 'any' });
});

test('search as often as the wanted size of the context is worth', () => {
  const uses = (webSearch: NonNullable<ChatRequest['webSearch']>) =>
    at(encode({ webSearch }).body, 'tools', 0, 'max_uses');
  assert.equal([uses({ contextSize: 'low' }), uses({}), uses({ contextSize: 'high' })], [1, 5, 10]);
});

test('keep every text of a result that has several', () => {
  const texts = ['a', 'b'].map((text) => ({ type: 'text', text }) as const);
  const items: ChatItem[] = [
    hello,
    { type: 'tool-call', kind: 'function', callId: 'c1', name: 'f', input: '{}' },
    { type: 'tool-result', kind: 'function', callId: 'c1', parts: texts },
  ];
  assert.equal(at(encode({ items }).body, 'messages', 2, 'content', 0, 'content'), texts);
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../../../../daemon/errors.ts';
import { openaiChat } from '../../../../../daemon/relay/formats/openai-chat/index.ts';
import type { JsonObject } from '../../../../../daemon/relay/json.ts';
import { isRefusal } from '../../../../support/refusal-code.ts';

const test = suite('chat request decoder');

const hello = { role: 'user', content: 'Hello' };

function decode(body: JsonObject) {
  return openaiChat.decodeRequest({ model: 'm', messages: [hello], ...body });
}

/** The field that a body is refused for. */
function refusedFor(body: JsonObject): string | undefined {
  try {
    decode(body);
  } catch (error) {
    assert.ok(error instanceof TollgateError);
    assert.is(error.code, 'invalid_request');
    return error.field;
  }
  return undefined;
}

test('names the field of whatever is missing or out of its limits', () => {
  assert.is(refusedFor({ model: '' }), 'model');
  assert.is(refusedFor({ messages: [] }), 'messages');
  assert.is(refusedFor({ messages: ['x'] }), 'messages[0]');
  assert.is(refusedFor({ messages: [{ role: 'robot', content: '' }] }), 'messages[0].role');
  assert.is(refusedFor({ max_tokens: 1.5 }), 'max_tokens');
  assert.is(refusedFor({ max_completion_tokens: -1 }), 'max_completion_tokens');
  assert.is(refusedFor({ max_tokens: 1_073_741_824 }), 'max_tokens');
  assert.is(refusedFor({ n: 129 }), 'n');
  assert.is(
    refusedFor({ messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }),
    'messages[0].content[0].image_url',
  );
  assert.is(refusedFor({ messages: [{ role: 'user', content: [{ type: 'tool_result' }] }] }), 'messages[0].content[0]');
});

test('takes a limit of 0 for absent and a missing role for the user', () => {
  assert.is(decode({ max_tokens: 0 }).maxTokens, undefined);
  assert.is(decode({ messages: [{ content: 'x' }] }).items[0]?.type, 'user');
});

test('prefers max_completion_tokens', () => {
  assert.is(decode({ max_tokens: 5, max_completion_tokens: 9 }).maxTokens, 9);
});

test('reads tools in the spelling of other dialects', () => {
  const [anthropic, flat] = decode({
    tools: [
      { name: 'a', description: 'd', input_schema: { type: 'object' } },
      { type: 'function', name: 'b', parameters: { type: 'object' } },
    ],
  }).tools;
  assert.equal(anthropic, { kind: 'function', name: 'a', description: 'd', parameters: { type: 'object' } });
  assert.equal(flat, { kind: 'function', name: 'b', parameters: { type: 'object' } });
});

test('reads from a choice in the words of Messages that calls come one by one, unless its own member says more', () => {
  const tool_choice = { type: 'any', disable_parallel_tool_use: true };
  const { toolChoice, parallelToolCalls } = decode({ tool_choice });
  assert.equal([toolChoice, parallelToolCalls], [{ mode: 'required' }, false]);
  assert.is(decode({ tool_choice, parallel_tool_calls: true }).parallelToolCalls, true);
  assert.is(decode({ tool_choice: { type: 'any' } }).parallelToolCalls, undefined);
});

test('reads a Responses body that was sent here, to be answered as a chat', () => {
  const request = openaiChat.decodeRequest({ model: 'm', input: 'Hello', instructions: 'Be kind', stream: true });
  assert.is(request.dialect, 'openai-chat');
  assert.equal(
    request.items.map((item) => item.type),
    ['system', 'user'],
  );
  assert.throws(
    () => openaiChat.decodeRequest({ model: 'm', input: 'x', previous_response_id: 'resp_1' }),
    isRefusal('invalid_request', 'previous_response_id'),
  );
});

test('pairs the result of an old function with its call by name', () => {
  const { items, legacyFunctions } = decode({
    functions: [{ name: 'f', parameters: {} }],
    messages: [
      hello,
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: 'seen' },
    ],
  });
  const [, call, result] = items;
  assert.is(legacyFunctions, true);
  assert.ok(call?.type === 'tool-call' && result?.type === 'tool-result');
  assert.is(result.callId, call.callId);
});

test('reads signed thoughts, and takes the text of one that a stream left beside it', () => {
  const [, thought, hidden] = decode({
    messages: [
      hello,
      {
        role: 'assistant',
        reasoning_content: 'Hm',
        thinking_blocks: [
          { type: 'thinking', signature: 'S' },
          { type: 'redacted_thinking', data: 'D' },
        ],
        content: 'Hi',
      },
    ],
  }).items;
  assert.equal(thought, {
    type: 'reasoning',
    texts: ['Hm'],
    form: 'full',
    seal: { origin: 'anthropic-messages', data: 'S' },
  });
  assert.equal(hidden, {
    type: 'reasoning',
    texts: [],
    form: 'full',
    seal: { origin: 'anthropic-messages', data: 'D', redacted: true },
  });
});

test('keeps cache marks of parts, messages and tools', () => {
  const cache_control = { type: 'ephemeral', ttl: '1h' };
  const request = decode({
    messages: [
      {
        role: 'system',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
        cache_control,
      },
      hello,
    ],
    tools: [{ type: 'function', function: { name: 'f' }, cache_control }],
  });
  const [system] = request.items;
  assert.ok(system?.type === 'system');
  assert.equal(system.parts, [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b', cache: { ttl: '1h' } },
  ]);
  assert.equal(request.tools[0], { kind: 'function', name: 'f', cache: { ttl: '1h' } });
});

test('carries fields that it does not know', () => {
  assert.equal(decode({ min_p: 0.1, provider: { order: ['x'] } }).extensions['openai-chat'], {
    min_p: 0.1,
    provider: { order: ['x'] },
  });
});

test('hands fields meant for Gemini to its format', () => {
  const { extensions } = decode({ extra_body: { google: { cached_content: 'c' } } });
  assert.equal(extensions, { 'gemini-generate': { cached_content: 'c' } });
  const beside = decode({ extra_body: { google: { cached_content: 'c' }, top_k: 4 } });
  assert.equal(beside.extensions['openai-chat'], { extra_body: { top_k: 4 } });
});

test('reads every way to ask for reasoning', () => {
  assert.is(decode({ reasoning_effort: 'low' }).reasoning?.effort, 'low');
  assert.is(decode({ reasoning: { max_tokens: 2000 } }).reasoning?.budgetTokens, 2000);
  assert.is(decode({ enable_thinking: false }).reasoning?.mode, 'disabled');
  assert.is(decode({ thinking: { type: 'adaptive', display: 'omitted' } }).reasoning?.show, false);
  assert.equal(decode({ thinking: { type: 'enabled', budget_tokens: 3000 } }).reasoning, {
    mode: 'enabled',
    budgetTokens: 3000,
  });
});

test('keeps arguments of a call that are no text, whatever they are', () => {
  const call = (args: unknown) => JSON.parse(JSON.stringify({ id: 'a', function: { name: 'f', arguments: args } }));
  const input = (args: unknown) => {
    const { items } = decode({ messages: [{ role: 'assistant', tool_calls: [call(args)] }] });
    return items[0]?.type === 'tool-call' ? items[0].input : undefined;
  };
  assert.equal([input({ a: 1 }), input([1]), input(null)], ['{"a":1}', '[1]', '']);
});

test('leaves what it cannot read of a known field to upstreams of its own dialect', () => {
  const odd = { temperature: '0.5', stop: 5, response_format: { type: 'grammar' }, thinking: { type: 'auto' } };
  const { extensions, sampling } = decode({ ...odd, reasoning: {}, tool_choice: null, seed: 1 });
  assert.equal(extensions, { 'openai-chat': odd });
  assert.equal(sampling, { seed: 1 });
});

test.run();

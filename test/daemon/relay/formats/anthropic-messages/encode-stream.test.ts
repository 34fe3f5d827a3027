import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError, UpstreamFailure } from '../../../../../daemon/errors.ts';
import type { ChatEvent } from '../../../../../daemon/relay/canonical/chat.ts';
import { anthropicMessages } from '../../../../../daemon/relay/formats/anthropic-messages/index.ts';
import { openaiChat } from '../../../../../daemon/relay/formats/openai-chat/index.ts';
import type { Json, JsonObject } from '../../../../../daemon/relay/json.ts';
import { testScope } from '../../../../conformance/scope.ts';
import { anyRequest, encodeAll } from '../../../../conformance/translate.ts';
import { at } from '../../../../support/checkers/answer.ts';
import { checkAnthropicMessages } from '../../../../support/checkers/anthropic-messages.ts';
import { assertQuick } from '../../../../support/processor-time.ts';

const test = suite('Messages stream encoder');

/** Chunks of a chat upstream, each with what the Messages client is sent for it. */
function follow(chunks: readonly Json[]): Json[][] {
  const decoder = openaiChat.decodeStream(testScope());
  const encoder = anthropicMessages.encodeStream(anyRequest, testScope());
  const told = chunks.map((chunk) =>
    decoder
      .push({ data: typeof chunk === 'string' ? chunk : JSON.stringify(chunk) })
      .flatMap((event) => encoder.push(event)),
  );
  told.push([...decoder.end().flatMap((event) => encoder.push(event)), ...encoder.end()]);
  return told.map((events) => events.map((event): Json => JSON.parse(event.data)));
}

function delta(delta: Json, finish: string | null = null): Json {
  return { id: 'c1', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] };
}

test('tells sources that came before their words with them', () => {
  const annotations = [{ type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A' } }];
  const [, ...told] = follow([
    delta({ role: 'assistant', annotations }),
    delta({ content: 'Hi' }),
    delta({}, 'stop'),
    '[DONE]',
  ]).flat();
  const deltas = told.flatMap((event) => at(event, 'delta', 'type') ?? []);
  assert.equal(deltas, ['citations_delta', 'text_delta']);
});

test('tells the reference transcript of reasoning, text and two parallel calls', () => {
  const told = follow([
    delta({ role: 'assistant', reasoning_content: 'Hm' }),
    delta({ content: 'Let me ' }),
    delta({ tool_calls: [{ index: 0, id: 'call_a', function: { name: 'f', arguments: '' } }] }),
    delta({ tool_calls: [{ index: 1, id: 'call_b', function: { name: 'g', arguments: '{}' } }] }),
    delta({ tool_calls: [{ index: 0, function: { arguments: '{"x":1}' } }] }),
    delta({}, 'tool_calls'),
    {
      choices: [],
      usage: {
        prompt_tokens: 30,
        completion_tokens: 25,
        total_tokens: 55,
        prompt_tokens_details: { cached_tokens: 10 },
      },
    },
    '[DONE]',
  ]);
  const types = told.map((events) => events.map((event) => at(event, 'type')));
  assert.equal(types, [
    ['message_start', 'ping', 'content_block_start', 'content_block_delta'],
    ['content_block_stop', 'content_block_start', 'content_block_delta'],
    ['content_block_stop', 'content_block_start'],
    [],
    ['content_block_delta'],
    ['content_block_stop', 'content_block_start', 'content_block_delta', 'content_block_stop'],
    [],
    [],
    ['message_delta', 'message_stop'],
  ]);
  assert.equal(told[2]?.[1], {
    type: 'content_block_start',
    index: 2,
    content_block: { type: 'tool_use', id: 'call_a', name: 'f', input: {} },
  });
  assert.equal(told[8]?.[0], {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: {
      input_tokens: 20,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 10,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      output_tokens: 25,
    },
  });
});

test('begins with a full usage object that states the local count of the prompt', () => {
  const [first] = follow([delta({ role: 'assistant', content: '' })]);
  assert.equal(at(first?.[0], 'message', 'usage'), {
    input_tokens: 7,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: 0,
  });
});

test('goes on with a second call as soon as the first one is whole', () => {
  const told = follow([
    delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } }] }),
    delta({ tool_calls: [{ index: 1, id: 'b', function: { name: 'g', arguments: '' } }] }),
    delta({ tool_calls: [{ index: 1, function: { arguments: '{"y":' } }] }),
  ]);
  assert.equal(
    told[2]?.map((event) => at(event, 'type')),
    ['content_block_delta'],
  );
});

test('sends arguments that are no object as one, once they are whole, and an object piece by piece', () => {
  const call = (index: number, args: string, name: string | null = null): Json => ({
    index,
    function: { name, arguments: args },
  });
  const told = follow([
    delta({ tool_calls: [call(0, 'not', 'f')] }),
    delta({ tool_calls: [call(0, ' JSON')] }),
    delta({ tool_calls: [call(1, '[1', 'g')] }),
    delta({ tool_calls: [call(1, ']')] }),
    delta({ tool_calls: [call(2, ' ', 'h')] }),
    delta({ tool_calls: [call(2, '{"a"')] }),
    delta({ tool_calls: [call(2, ':1}')] }),
    delta({ tool_calls: [call(3, ' ', 'i')] }),
    delta({}, 'tool_calls'),
    '[DONE]',
  ]);
  const pieces = told.flat().flatMap((event) => {
    const { index, delta } = Object(event);
    return delta?.type === 'input_json_delta' ? [[index, delta.partial_json]] : [];
  });
  assert.equal(pieces, [
    [0, '{"_raw":"not JSON"}'],
    [1, '{"_raw":"[1]"}'],
    [2, ' {"a"'],
    [2, ':1}'],
  ]);
});

test('keeps text that comes after a call', () => {
  const events: ChatEvent[] = [
    { type: 'message-start' },
    { type: 'tool-call-start', choice: 0, block: 0, kind: 'function', callId: 'a', name: 'f' },
    { type: 'tool-call-end', choice: 0, block: 0 },
    { type: 'text-start', choice: 0, block: 1 },
    { type: 'text-delta', choice: 0, block: 1, text: 'after' },
    { type: 'text-end', choice: 0, block: 1 },
    { type: 'finish', choice: 0, finish: { reason: 'tool-calls' } },
  ];
  const { problems, answer } = checkAnthropicMessages(encodeAll(anthropicMessages, anyRequest, events));
  assert.equal(problems, []);
  assert.is(answer.text, 'after');
  assert.equal(answer.calls, [{ name: 'f', input: '' }]);
});

test('sends an empty text block when the answer has nothing in it', () => {
  const told = encodeAll(anthropicMessages, anyRequest, [
    { type: 'message-start' },
    { type: 'finish', choice: 0, finish: { reason: 'stop' } },
  ]);
  assert.equal(checkAnthropicMessages(told).problems, []);
  assert.equal(
    told.map(({ event }) => event),
    ['message_start', 'ping', 'content_block_start', 'content_block_stop', 'message_delta', 'message_stop'],
  );
});

test('leaves a call open that waited behind another and still goes on', () => {
  const call = (block: number, name: string): ChatEvent => {
    return { type: 'tool-call-start', choice: 0, block, kind: 'function', callId: name, name };
  };
  const input = (block: number, text: string): ChatEvent => ({ type: 'tool-call-delta', choice: 0, block, text });
  const events: ChatEvent[] = [
    { type: 'message-start' },
    call(0, 'f'),
    call(1, 'g'),
    input(1, '{"y":'),
    input(0, '{"x":1}'),
    { type: 'tool-call-end', choice: 0, block: 0 },
    input(1, '2}'),
    { type: 'tool-call-end', choice: 0, block: 1 },
    { type: 'finish', choice: 0, finish: { reason: 'tool-calls' } },
  ];
  const { problems, answer } = checkAnthropicMessages(encodeAll(anthropicMessages, anyRequest, events));
  assert.equal(problems, []);
  assert.equal(answer.calls, [
    { name: 'f', input: '{"x":1}' },
    { name: 'g', input: '{"y":2}' },
  ]);
});

test('ends with an error and no message_stop when the upstream broke off', () => {
  const told = follow([delta({ role: 'assistant', content: 'half' })]).at(-1);
  assert.equal(
    told?.map((event) => at(event, 'type')),
    ['error'],
  );
});

test('shows the cleaned text of an upstream failure and a type that fits its status', () => {
  const encoder = anthropicMessages.encodeStream(anyRequest, testScope());
  encoder.push({ type: 'message-start' });
  const [event] = encoder.fail(
    new UpstreamFailure({
      provider: 'p',
      status: 529,
      type: 'overloaded_error',
      code: 'overloaded_error',
      clientText: 'busy',
      operatorText: 'busy at host x',
      retry: 'next-channel',
      health: 'none',
    }),
  );
  assert.is(event?.event, 'error');
  assert.equal(JSON.parse(event?.data ?? '').error, { type: 'overloaded_error', message: 'busy' });
  assert.equal(encoder.end(), []);
});

test('says nothing more after the end, whether it was whole or a failure', () => {
  const late = new TollgateError('upstream_timeout');
  const whole = anthropicMessages.encodeStream(anyRequest, testScope());
  whole.push({ type: 'finish', choice: 0, finish: { reason: 'stop' } });
  const failed = anthropicMessages.encodeStream(anyRequest, testScope());
  for (const wire of [whole.end(), failed.fail(late)]) assert.not.equal(wire, []);
  for (const encoder of [whole, failed]) {
    assert.equal([...encoder.push({ type: 'message-start' }), ...encoder.fail(late), ...encoder.end()], []);
  }
});

test('tells a refusal as text and as the reason of the end', () => {
  const wire = encodeAll(anthropicMessages, anyRequest, [
    { type: 'message-start' },
    { type: 'refusal-delta', choice: 0, text: 'No.' },
    { type: 'finish', choice: 0, finish: { reason: 'stop' } },
  ]);
  const { problems, answer } = checkAnthropicMessages(wire);
  assert.equal(problems, []);
  assert.is(answer.text, 'No.');
  assert.is(answer.finish, 'refusal');
});

test('closes a picture’s words, which are of no block, before another block begins', () => {
  const picture = {
    type: 'image',
    choice: 0,
    block: 0,
    mediaType: 'image/png',
    url: 'https://a.example/1.png',
  } as const;
  for (const next of [
    { type: 'tool-call-start', kind: 'function', choice: 0, block: 1, callId: 'call_a', name: 'f' },
    { type: 'text-delta', choice: 0, block: 1, text: 'Hi' },
    { type: 'reasoning-delta', choice: 0, block: 1, part: 0, text: 'Hm' },
  ] as const) {
    const finish = { type: 'finish', choice: 0, finish: { reason: 'stop' } } as const;
    const wire = encodeAll(anthropicMessages, anyRequest, [{ type: 'message-start' }, picture, next, finish]);
    assert.equal(checkAnthropicMessages(wire).problems, [], next.type);
  }
});

test('takes arguments that are no object in any number of pieces', async () => {
  const piece = (text: string, named: JsonObject = {}) =>
    delta({ tool_calls: [{ index: 0, ...named, function: { name: 'f', arguments: text } }] });
  // A fifth of a second; put together anew for each piece they took ten seconds and more.
  await assertQuick(1_500, () => {
    const pieces = Array.from({ length: 6_000 }, () => piece('1,'.repeat(50)));
    const told = follow([piece(' [', { id: 'c' }), ...pieces, piece('1]'), delta({}, 'tool_calls'), '[DONE]']).flat();
    const inputs = told.flatMap((event) => at(event, 'delta', 'partial_json') ?? []);
    assert.is(inputs.length, 1);
    assert.ok(String(inputs[0]).startsWith('{'));
  });
});

test.run();

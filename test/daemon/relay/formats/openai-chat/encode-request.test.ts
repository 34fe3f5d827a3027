import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatItem, ChatRequest } from '../../../../../daemon/relay/canonical/chat.ts';
import type { Scope } from '../../../../../daemon/relay/format.ts';
import { anthropicMessages } from '../../../../../daemon/relay/formats/anthropic-messages/index.ts';
import { geminiGenerate } from '../../../../../daemon/relay/formats/gemini-generate/index.ts';
import { openaiChat } from '../../../../../daemon/relay/formats/openai-chat/index.ts';
import { openaiResponses } from '../../../../../daemon/relay/formats/openai-responses/index.ts';
import type { Json } from '../../../../../daemon/relay/json.ts';
import { testScope } from '../../../../conformance/scope.ts';
import { anyRequest } from '../../../../conformance/translate.ts';
import { at, list } from '../../../../support/checkers/answer.ts';
import { isRefusal } from '../../../../support/refusal-code.ts';

const test = suite('chat request encoder');

const image = { type: 'image', source: { kind: 'inline', mediaType: 'image/png', data: 'AA==' } } as const;
const call = { type: 'tool-call', kind: 'function', callId: 'a', name: 'f', input: '{}' } as const;
const result = { type: 'tool-result', kind: 'function', callId: 'a', parts: [] } as const;

/** What an Anthropic client's request becomes, and what it lost. */
function encode(part: Partial<ChatRequest>, traits: NonNullable<Scope['traits']> = {}): { body: Json; lost: string[] } {
  const scope = testScope(traits);
  const request: ChatRequest = {
    ...anyRequest,
    dialect: 'anthropic-messages',
    stream: false,
    model: 'gpt-4.1',
    ...part,
  };
  return { body: openaiChat.encodeRequest(request, scope), lost: scope.lost };
}

function messages(...items: ChatItem[]): Json[] {
  return list(at(encode({ items }).body, 'messages'));
}

test('says again what the model said as it said it, block after block', () => {
  const said = ['The sky is ', 'blue'].map((text) => ({ type: 'text', text }) as const);
  const [user, assistant] = messages({ type: 'user', parts: said }, { type: 'assistant', parts: said });
  assert.is(at(user, 'content'), 'The sky is \nblue');
  assert.is(at(assistant, 'content'), 'The sky is blue');
});

test('sends the mark of the whole prompt in each dialect that has one, and notes it for those that have none', () => {
  const mark = { type: 'ephemeral', ttl: '1h' };
  const asked = { model: 'm', messages: [{ role: 'user', content: 'look' }], cache_control: mark };
  const request = openaiChat.decodeRequest(asked);
  for (const format of [openaiChat, anthropicMessages]) {
    const scope = testScope();
    assert.equal(at(format.encodeRequest(request, scope), 'cache_control'), mark);
    assert.equal(scope.lost, []);
  }
  for (const format of [openaiResponses, geminiGenerate]) {
    const scope = testScope();
    format.encodeRequest(request, scope);
    assert.equal(scope.lost, ['cache_control']);
  }
});

test('tells the error of a tool in words, also where cache marks make parts of them', () => {
  const failed: ChatItem = { ...result, isError: true, parts: [{ type: 'text', text: 'no', cache: {} }] };
  assert.is(at(messages(call, failed), 1, 'content'), 'Error: no');
  const { body } = encode({ items: [call, failed] }, { cacheMarks: true });
  assert.equal(at(body, 'messages', 1, 'content'), [
    { type: 'text', text: 'Error: no', cache_control: { type: 'ephemeral' } },
  ]);
});

test('moves images of results to the user message that follows', () => {
  const told = messages(
    call,
    { ...result, parts: [{ type: 'text', text: 'seen' }, image] },
    { type: 'user', parts: [{ type: 'text', text: 'And?' }] },
  );
  assert.equal(told.slice(1), [
    { role: 'tool', tool_call_id: 'a', content: 'seen' },
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        { type: 'text', text: 'And?' },
      ],
    },
  ]);
});

test('gives images of results a user message of their own where none follows', () => {
  assert.is(at(messages(call, { ...result, parts: [image] }).at(-1), 'role'), 'user');
});

test('says in words that a result is an error, and keeps an empty one', () => {
  assert.is(
    at(messages(call, { ...result, isError: true, parts: [{ type: 'text', text: 'no' }] })[1], 'content'),
    'Error: no',
  );
  assert.is(at(messages(call, result)[1], 'content'), '');
});

test('gives a call without arguments an object of none, to upstreams and to clients', () => {
  const bare = { ...call, input: '' };
  const place = ['tool_calls', 0, 'function', 'arguments'] as const;
  assert.is(at(messages(bare, result), 0, ...place), '{}');
  const answer = { choices: [{ index: 0, items: [bare], finish: { reason: 'tool-calls' } as const }] };
  const body = openaiChat.encodeResponse(answer, { ...anyRequest, dialect: 'openai-chat' }, testScope());
  assert.is(at(body, 'choices', 0, 'message', ...place), '{}');
});

test('keeps text and calls of one turn in one message', () => {
  assert.equal(
    messages({ type: 'assistant', parts: [{ type: 'text', text: 'Look' }] }, call, { ...call, callId: 'b' })[0],
    {
      role: 'assistant',
      content: 'Look',
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
        { id: 'b', type: 'function', function: { name: 'f', arguments: '{}' } },
      ],
    },
  );
});

test('returns reasoning only to an upstream that needs it back', () => {
  const items: ChatItem[] = [{ type: 'reasoning', texts: ['Hm'], form: 'full' }, call];
  const forgotten = encode({ items });
  assert.is(at(forgotten.body, 'messages', 0, 'reasoning_content'), undefined);
  assert.equal(forgotten.lost, ['reasoning']);
  assert.is(at(encode({ items }, { replayReasoning: true }).body, 'messages', 0, 'reasoning_content'), 'Hm');
  assert.equal(encode({ items }, { replayReasoning: true }).lost, []);
});

test('tells of a thought that went with its message, which had nothing else to say', () => {
  const items: ChatItem[] = [
    { type: 'reasoning', texts: ['Hm'], form: 'full' },
    { type: 'user', parts: [{ type: 'text', text: 'Go on' }] },
  ];
  const { body, lost } = encode({ items }, { replayReasoning: true });
  assert.equal(at(body, 'messages'), [{ role: 'user', content: 'Go on' }]);
  assert.equal(lost, ['reasoning']);
});

test('joins system blocks by line feeds', () => {
  const parts = [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ] as const;
  assert.equal(messages({ type: 'system', role: 'system', parts })[0], { role: 'system', content: 'a\nb' });
});

test("leaves out another dialect's instructions that say nothing", () => {
  const { body } = encode({
    dialect: 'openai-responses',
    items: [
      { type: 'system', role: 'developer', parts: [] },
      { type: 'user', parts: [{ type: 'text', text: 'a' }] },
    ],
  });
  assert.equal(at(body, 'messages'), [{ role: 'user', content: 'a' }]);
});

test('keeps cache marks only where they are understood', () => {
  const items: ChatItem[] = [{ type: 'user', parts: [{ type: 'text', text: 'x', cache: {} }] }];
  assert.equal(encode({ items }).lost, ['cache_control']);
  assert.equal(at(encode({ items }, { cacheMarks: true }).body, 'messages', 0, 'content', 0), {
    type: 'text',
    text: 'x',
    cache_control: { type: 'ephemeral' },
  });
});

test('keeps or notes the marks of calls, results, tools and the whole prompt', () => {
  const marked = { type: 'text', text: 'seen', cache_control: { type: 'ephemeral' } };
  const seen: ChatItem = { ...result, parts: [{ type: 'text', text: 'seen' }], cache: {} };
  assert.equal(encode({ items: [call, seen] }).lost, ['cache_control']);
  const kept = encode({ items: [call, seen] }, { cacheMarks: true });
  assert.equal([kept.lost, at(kept.body, 'messages', 1, 'content')], [[], [marked]]);
  const own = encode({ dialect: 'openai-chat', items: [{ ...call, cache: {} }, seen] });
  assert.equal([own.lost, at(own.body, 'messages', 1, 'cache_control')], [[], { type: 'ephemeral' }]);
  assert.equal(at(own.body, 'messages', 0, 'tool_calls', 0, 'cache_control'), { type: 'ephemeral' });
  for (const traits of [{}, { cacheMarks: true }]) {
    assert.equal(encode({ items: [{ ...call, cache: {} }] }, traits).lost, ['cache_control']);
    assert.equal(encode({ cache: {} }, traits).lost, ['cache_control']);
    assert.equal(encode({ items: [call, { ...result, cache: {} }] }, traits).lost, ['cache_control']);
  }
  assert.equal(encode({ tools: [{ kind: 'function', name: 'f', cache: {} }] }).lost, ['tools.cache_control']);
});

test('writes limits and drops knobs as a reasoning model wants it', () => {
  const { body, lost } = encode({ model: 'gpt-5.1', maxTokens: 100, sampling: { temperature: 0.5, topP: 1 } });
  assert.is(at(body, 'max_completion_tokens'), 100);
  assert.is(at(body, 'max_tokens'), undefined);
  assert.equal(lost, ['temperature']);
});

test('turns a thinking budget into an effort, for models that know one', () => {
  const reasoning = { mode: 'enabled', budgetTokens: 2000 } as const;
  assert.is(at(encode({ model: 'gpt-5.1', reasoning }).body, 'reasoning_effort'), 'low');
  const { body, lost } = encode({ model: 'gpt-4o', reasoning });
  assert.is(at(body, 'reasoning_effort'), undefined);
  assert.equal(lost, ['reasoning']);
});

test('switches thinking off as far as the model lets it, whatever effort stands beside it', () => {
  const off = (model: string) =>
    at(encode({ model, reasoning: { mode: 'disabled', effort: 'high' } }).body, 'reasoning_effort');
  assert.is(off('gpt-5.1'), 'none');
  assert.is(off('glm-4.6'), 'none');
  for (const model of ['gpt-5', 'openai/gpt-5', 'gpt-5-mini-2025-08-07']) assert.is(off(model), 'minimal');
  for (const model of ['o3', 'gpt-5-codex', 'gpt-5.1-codex-max']) assert.is(off(model), 'low');
  assert.is(off('gpt-5.4-pro'), 'medium');
  assert.is(off('gpt-5-pro'), 'high');
});

test('writes one stop string as a string and at most four', () => {
  assert.is(at(encode({ stop: ['a'] }).body, 'stop'), 'a');
  const { body, lost } = encode({ stop: ['a', 'b', 'c', 'd', 'e'] });
  assert.is(list(at(body, 'stop')).length, 4);
  assert.equal(lost, ['stop[4..]']);
});

test('offers only the named tools where several are allowed', () => {
  const tools = ['a', 'b', 'c'].map((name) => ({ kind: 'function', name }) as const);
  const { body } = encode({ tools, toolChoice: { mode: 'required', names: ['a', 'b'] } });
  assert.is(list(at(body, 'tools')).length, 2);
  assert.is(at(body, 'tool_choice'), 'required');
});

test('offers only the named tool where it may be called and need not be', () => {
  const tools = ['a', 'b'].map((name) => ({ kind: 'function', name }) as const);
  const { body } = encode({ tools, toolChoice: { mode: 'auto', names: ['b'] } });
  assert.equal(
    list(at(body, 'tools')).map((tool) => at(tool, 'function', 'name')),
    ['b'],
  );
  assert.is(at(body, 'tool_choice'), 'auto');
});

test('takes away what a reasoning model refuses, whatever effort it is asked for', () => {
  const asked = { sampling: { temperature: 0.5 }, stop: ['x'], reasoning: { effort: 'none' } } as const;
  const lost = (model: string, part: Partial<ChatRequest> = {}) => encode({ ...asked, model, ...part }).lost;
  assert.equal(lost('gpt-5.4'), []);
  assert.equal(lost('gpt-5.4', { reasoning: { effort: 'low' } }), ['temperature', 'stop']);
  assert.equal(lost('gpt-6-sol'), ['temperature', 'stop']);
  assert.equal(lost('o1', { reasoning: { effort: 'low' } }), ['temperature']);
});

test('refuses what it has no word for', () => {
  const file = { kind: 'file-id', id: 'f', owner: 'anthropic-messages' } as const;
  assert.throws(
    () => encode({ items: [{ type: 'user', parts: [{ type: 'document', source: file }] }] }),
    isRefusal('convert_request_failed', 'file'),
  );
  assert.throws(
    () => encode({ stored: { previous_response_id: 'r' } }),
    isRefusal('convert_request_failed', 'previous_response_id'),
  );
});

test('asks a streaming upstream for usage where it may be asked', () => {
  assert.equal(at(encode({ stream: true, streamUsage: true }).body, 'stream_options'), { include_usage: true });
  assert.is(at(encode({ stream: true, streamUsage: false }).body, 'stream_options'), undefined);
});

test('lets the user show what pictures the model made, for none but users may', () => {
  const text = { type: 'text', text: 'and' } as const;
  const drawn: ChatItem = { type: 'assistant', parts: [text, image] };
  const told = messages({ type: 'user', parts: [text] }, drawn, call, result, { type: 'user', parts: [text] });
  assert.equal(
    told.map((message) => at(message, 'role')),
    ['user', 'assistant', 'tool', 'user'],
  );
  assert.is(at(told, 1, 'content'), 'and');
  const shown = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
  assert.equal(at(told, 3, 'content'), [shown, text]);
  // What nobody spoke after is shown all the same, also to vendors of this dialect's own clients.
  const { body } = encode({ dialect: 'openai-chat', items: [drawn] });
  assert.equal(at(body, 'messages'), [
    { role: 'assistant', content: 'and' },
    { role: 'user', content: [shown] },
  ]);
});

test('gives back in words what the model said aloud, and nothing where there are none', () => {
  const source = { kind: 'inline', mediaType: 'audio/wav', data: 'AA==' } as const;
  const saidAs = (data: string, transcript?: string): Json[] =>
    messages(
      {
        type: 'assistant',
        parts: [
          {
            type: 'audio',
            source: { ...source, data },
            id: 'audio_1',
            ...(transcript === undefined ? {} : { transcript }),
          },
        ],
      },
      { type: 'user', parts: [{ type: 'text', text: 'and' }] },
    );
  assert.equal(at(saidAs('AA==', 'Hi'), 0), { role: 'assistant', content: 'Hi' });
  assert.equal(at(saidAs('', 'Hi'), 0), { role: 'assistant', content: 'Hi' });
  for (const data of ['AA==', '']) assert.equal(saidAs(data), [{ role: 'user', content: 'and' }]);
  const items: ChatItem[] = [{ type: 'assistant', parts: [{ type: 'audio', source }] }];
  assert.equal(encode({ dialect: 'openai-chat', items }), {
    body: { model: 'gpt-4.1', messages: [] },
    lost: ['assistant.audio'],
  });
});

test('takes a budget for the nearest effort, and thinking without either for a medium one', () => {
  const effort = (reasoning: NonNullable<ChatRequest['reasoning']>) =>
    at(encode({ model: 'gpt-5.1', reasoning }).body, 'reasoning_effort');
  assert.equal(
    [2048, 2049, 8192, 8193].map((budgetTokens) => effort({ mode: 'enabled', budgetTokens })),
    ['low', 'medium', 'medium', 'high'],
  );
  assert.equal([effort({ mode: 'adaptive' }), effort({})], ['medium', undefined]);
});

test('returns all thoughts of a turn to an upstream that needs them back', () => {
  const thought = (text: string): ChatItem => ({ type: 'reasoning', texts: [text], form: 'full' });
  const { body } = encode({ items: [thought('Hm. '), thought('Ah.'), call] }, { replayReasoning: true });
  assert.is(at(body, 'messages', 0, 'reasoning_content'), 'Hm. Ah.');
});

test.run();

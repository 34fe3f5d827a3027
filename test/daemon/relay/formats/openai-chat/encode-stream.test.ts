import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatEvent } from '../../../../../daemon/relay/canonical/chat.ts';
import { replayAnswer } from '../../../../../daemon/relay/canonical/replay.ts';
import type { ChatFormat } from '../../../../../daemon/relay/format.ts';
import { anthropicMessages } from '../../../../../daemon/relay/formats/anthropic-messages/index.ts';
import { geminiGenerate } from '../../../../../daemon/relay/formats/gemini-generate/index.ts';
import { openaiChat } from '../../../../../daemon/relay/formats/openai-chat/index.ts';
import { openaiResponses } from '../../../../../daemon/relay/formats/openai-responses/index.ts';
import type { Json } from '../../../../../daemon/relay/json.ts';
import { testScope } from '../../../../conformance/scope.ts';
import { anyRequest, decodeAll, encodeAll } from '../../../../conformance/translate.ts';
import { at, list } from '../../../../support/checkers/answer.ts';
import { assertQuick } from '../../../../support/processor-time.ts';

const test = suite('chat stream encoder');

/** What a chat client reads of an upstream's events: the deltas, finish reasons, usage, and the end marker. */
function tell(format: ChatFormat, wire: readonly Json[], streamUsage: boolean): (Json | undefined)[] {
  const events = decodeAll(
    format,
    wire.map((event) => ({ data: JSON.stringify(event) })),
  );
  return encodeAll(openaiChat, { ...anyRequest, streamUsage }, events).map(({ data }) => {
    if (data === '[DONE]') return data;
    const chunk: Json = JSON.parse(data);
    if (at(chunk, 'error') !== undefined) return chunk;
    const choice = at(chunk, 'choices', 0);
    if (choice === undefined) return at(chunk, 'usage');
    const finish = at(choice, 'finish_reason');
    return finish === null ? at(choice, 'delta') : finish;
  });
}

const messages: Json[] = [
  {
    type: 'message_start',
    message: { id: 'msg_1', model: 'c', usage: { input_tokens: 20, cache_read_input_tokens: 10, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'S' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"x"' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: ':1}' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'toolu_2', name: 'g', input: {} } },
  { type: 'content_block_stop', index: 2 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 25 } },
  { type: 'message_stop' },
];

test('tells the reference transcript of an Anthropic upstream', () => {
  assert.equal(tell(anthropicMessages, messages, true), [
    { role: 'assistant', content: '' },
    { reasoning_content: 'Hm' },
    { thinking_blocks: [{ type: 'thinking', signature: 'S' }] },
    { tool_calls: [{ index: 0, id: 'toolu_1', type: 'function', function: { name: 'f', arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"x"' } }] },
    { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
    { tool_calls: [{ index: 1, id: 'toolu_2', type: 'function', function: { name: 'g', arguments: '' } }] },
    { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
    'tool_calls',
    {
      prompt_tokens: 30,
      completion_tokens: 25,
      total_tokens: 55,
      prompt_tokens_details: { cached_tokens: 10, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 0,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    },
    '[DONE]',
  ]);
});

/** Blocks of one Claude answer as its events, each in pieces as given. */
function claudeBlocks(...blocks: readonly { readonly opens: Json; readonly deltas: readonly Json[] }[]): Json[] {
  return [
    ...messages.slice(0, 1),
    ...blocks.flatMap(({ opens, deltas }, index) => [
      { type: 'content_block_start', index, content_block: opens },
      ...deltas.map((delta): Json => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    ...messages.slice(-2),
  ];
}

const thought = (signature: string, ...pieces: string[]) => ({
  opens: { type: 'thinking', thinking: '', signature: '' },
  deltas: [...pieces.map((thinking) => ({ type: 'thinking_delta', thinking })), { type: 'signature_delta', signature }],
});

test('says a thought that came in pieces again beside its signature, for libraries that keep only the last piece', () => {
  const told = tell(
    anthropicMessages,
    claudeBlocks(thought('S', 'I should', ' look.'), thought('T', 'And there.')),
    false,
  );
  assert.equal(told.slice(1, -2), [
    { reasoning_content: 'I should' },
    { reasoning_content: ' look.' },
    { thinking_blocks: [{ type: 'thinking', signature: 'S', thinking: 'I should look.' }] },
    { reasoning_content: 'And there.' },
    { thinking_blocks: [{ index: 1, type: 'thinking', signature: 'T', thinking: 'And there.' }] },
  ]);
});

test('numbers what follows the first entry of a list, which the official Python library wants', () => {
  const hidden = { opens: { type: 'redacted_thinking', data: 'H' }, deltas: [] };
  const cited = (title: string) => ({
    type: 'citations_delta',
    citation: { type: 'web_search_result_location', url: `https://${title}.example`, title, cited_text: 'a' },
  });
  const words = {
    opens: { type: 'text', text: '' },
    deltas: [{ type: 'text_delta', text: 'Two.' }, cited('one'), cited('two')],
  };
  const told = tell(anthropicMessages, claudeBlocks(thought('S', 'Hm'), hidden, words), false);
  const indexes = (name: string) =>
    told.flatMap((delta) => list(at(delta, name)).map((entry) => at(entry, 'index') ?? 'none'));
  assert.equal(
    [indexes('thinking_blocks'), indexes('annotations')],
    [
      ['none', 1],
      ['none', 1],
    ],
  );
});

test('names sound that its vendor did not name, once, as no longer to be asked for', () => {
  const piece = (data: string): Json => ({
    candidates: [{ content: { parts: [{ inlineData: { mimeType: 'audio/wav', data } }] } }],
  });
  const told = tell(geminiGenerate, [piece('AAAA'), piece('BBBB'), { candidates: [{ finishReason: 'STOP' }] }], false);
  const [, first, second] = told;
  assert.equal(at(first, 'audio', 'data'), 'AAAA');
  assert.match(String(at(first, 'audio', 'id')), /^audio_/);
  assert.is(at(first, 'audio', 'expires_at'), 1_790_000_000);
  assert.equal(second, { audio: { data: 'BBBB' } });
  const whole = geminiGenerate.decodeResponse(
    { candidates: [{ content: { parts: [{ inlineData: { mimeType: 'audio/wav', data: 'AAAA' } }] } }] },
    testScope(),
  );
  const audio = at(openaiChat.encodeResponse(whole, anyRequest, testScope()), 'choices', 0, 'message', 'audio');
  assert.equal(audio, {
    id: `audio_${'1'.padStart(24, '0')}`,
    data: 'AAAA',
    transcript: '',
    expires_at: 1_790_000_000,
  });
});

test('a message of calls has no content, whatever tools its vendor ran before them', () => {
  const output = [
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{}' },
  ];
  const answer = { id: 'resp_1', object: 'response', status: 'completed', output };
  const whole = openaiResponses.decodeResponse(answer, testScope());
  const message = at(openaiChat.encodeResponse(whole, anyRequest, testScope()), 'choices', 0, 'message');
  assert.equal([at(message, 'content'), at(message, 'tool_calls', 0, 'id')], [null, 'call_1']);
});

test('sends the usage chunk only to a client that asked for it', () => {
  const told = tell(anthropicMessages, messages, false);
  assert.equal(told.slice(-2), ['tool_calls', '[DONE]']);
});

test('tells the reference transcript of a Gemini upstream', () => {
  const usageMetadata = { promptTokenCount: 30, candidatesTokenCount: 12, thoughtsTokenCount: 8, totalTokenCount: 50 };
  const told = tell(
    geminiGenerate,
    [
      { candidates: [{ content: { parts: [{ text: 'Hm', thought: true }] } }] },
      {
        candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: { x: 1 } }, thoughtSignature: 'T' }] } }],
      },
      { candidates: [{ content: { parts: [{ functionCall: { name: 'g', args: {} } }] } }] },
      { candidates: [{ content: { parts: [] }, finishReason: 'STOP' }], usageMetadata },
    ],
    true,
  );
  const id = 'call_000000000000000000000000';
  assert.equal(told.slice(0, 4), [
    { role: 'assistant', content: '' },
    { reasoning_content: 'Hm' },
    {
      tool_calls: [
        {
          index: 0,
          id,
          type: 'function',
          function: { name: 'f', arguments: '{"x":1}' },
          extra_content: { google: { thought_signature: 'T' } },
        },
      ],
    },
    {
      tool_calls: [{ index: 1, id: id.replace(/0$/, '1'), type: 'function', function: { name: 'g', arguments: '{}' } }],
    },
  ]);
  assert.is(told[4], 'tool_calls');
  assert.is(at(told[5], 'completion_tokens'), 20);
  assert.is(at(told[5], 'completion_tokens_details', 'reasoning_tokens'), 8);
  assert.is(told[6], '[DONE]');
});

test('ends a broken stream with usage and an error object and without [DONE]', () => {
  const told = tell(anthropicMessages, messages.slice(0, 4), true);
  assert.is(at(told.at(-2), 'prompt_tokens'), 30);
  assert.is(at(told.at(-1), 'error', 'code'), 'upstream_eof');
});

test('answers the old function form with function_call', () => {
  const events = decodeAll(
    anthropicMessages,
    messages.map((event) => ({ data: JSON.stringify(event) })),
  );
  const told = encodeAll(openaiChat, { ...anyRequest, legacyFunctions: true, streamUsage: false }, events);
  const finish = told.flatMap(({ data }) =>
    data === '[DONE]' ? [] : (at(JSON.parse(data), 'choices', 0, 'finish_reason') ?? []),
  );
  assert.is(finish.at(-1), 'function_call');
  assert.ok(told.some(({ data }) => data.includes('"function_call":{"name":"f","arguments":""}')));
});

test('tells a client of the old functions one call, the only one that its form has', () => {
  const call = (id: string, args: string) => ({ type: 'tool_use', id, name: id, input: { x: args } });
  const message = { id: 'm', type: 'message', content: [call('a', '1'), call('b', '2')], stop_reason: 'tool_use' };
  const request = { ...anyRequest, legacyFunctions: true as const };
  const answer = anthropicMessages.decodeResponse(message, testScope());
  const [whole, streamed] = [testScope(), testScope()];
  const body = openaiChat.encodeResponse(answer, request, whole);
  assert.equal(at(body, 'choices', 0, 'message', 'function_call', 'name'), 'a');
  const encoder = openaiChat.encodeStream(request, streamed);
  const told = [...replayAnswer(answer).flatMap((event) => encoder.push(event)), ...encoder.end()];
  const text = told.map(({ data }) => data).join('');
  assert.is(text.match(/"name"/g)?.length, 1);
  assert.not.match(text, '\\"2\\"');
  assert.equal([whole.lost, streamed.lost], [['answer.tool_calls'], ['answer.tool_calls']]);
});

test('tells a client calls of its tools of free text as those, from upstreams that know functions alone', () => {
  const request = {
    ...anyRequest,
    streamUsage: false,
    tools: [
      { kind: 'custom', name: 'patch' },
      { kind: 'function', name: 'look' },
    ],
  } as const;
  const patch = 'line "one"\nline two';
  const content = [
    { type: 'tool_use', id: 'a', name: 'patch', input: { input: patch } },
    { type: 'tool_use', id: 'b', name: 'look', input: { input: 'x' } },
  ];
  const answer = anthropicMessages.decodeResponse({ id: 'm', content, stop_reason: 'tool_use' }, testScope());
  const looked = { id: 'b', type: 'function', function: { name: 'look', arguments: '{"input":"x"}' } };
  const patched = { id: 'a', type: 'custom', custom: { name: 'patch', input: patch } };
  const body = openaiChat.encodeResponse(answer, request, testScope());
  assert.equal(at(body, 'choices', 0, 'message', 'tool_calls'), [patched, looked]);

  const start = { type: 'tool-call-start', choice: 0, block: 0, kind: 'function', callId: 'a', name: 'patch' } as const;
  const pieces = [...JSON.stringify({ input: patch })].map(
    (text) => ({ type: 'tool-call-delta', choice: 0, block: 0, text }) as const,
  );
  const streams: ChatEvent[][] = [
    replayAnswer(answer).filter((event) => !('block' in event) || event.block === 0),
    [{ type: 'message-start' }, start, ...pieces, { type: 'tool-call-end', choice: 0, block: 0 }],
  ];
  for (const events of streams) {
    const calls = encodeAll(openaiChat, request, events).flatMap(({ data }) =>
      data === '[DONE]' ? [] : list(at(JSON.parse(data), 'choices', 0, 'delta', 'tool_calls')),
    );
    assert.equal([at(calls[0], 'type'), at(calls[0], 'custom', 'name')], ['custom', 'patch']);
    assert.is(calls.map((call) => at(call, 'custom', 'input')).join(''), patch);
    assert.not(calls.some((call) => at(call, 'function') !== undefined));
  }
});

test('tells any number of members that stand beside an answer at once, in the order in which they came', async () => {
  const names = Array.from({ length: 4_000 }, (_, index) => `of_vendor_${index}`);
  const beside = Object.fromEntries(names.map((name) => [name, 1]));
  const wire = { id: 'c', choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }], ...beside };
  let chunks: ReturnType<typeof encodeAll> = [];
  // A tenth of a second; written anew for each member they took twenty seconds.
  await assertQuick(2000, () => {
    chunks = encodeAll(openaiChat, anyRequest, decodeAll(openaiChat, [{ data: JSON.stringify(wire) }]));
  });
  const told = chunks.filter(({ data }) => data.includes('of_vendor_0'));
  assert.is(told.length, 1);
  const members = Object.keys(JSON.parse(told[0]?.data ?? '{}'));
  assert.equal(
    members.filter((name) => name.startsWith('of_vendor_')),
    names,
  );
});

test('tells a great many searches in a bounded number of letters, and all that they found at the end', () => {
  const pages = (search: number) =>
    Array.from({ length: 5 }, (_, page) => ({ id: page, title: 'A', url: `https://a.example/${search}/${page}` }));
  const output = Array.from({ length: 800 }, (_, search) => ({
    type: 'search_results',
    queries: ['q'],
    results: pages(search),
  }));
  const wire = { type: 'response.completed', response: { id: 'r', status: 'completed', output } };
  const chunks = encodeAll(openaiChat, anyRequest, decodeAll(openaiResponses, [{ data: JSON.stringify(wire) }]));
  const letters = chunks.reduce((sum, { data }) => sum + data.length, 0);
  assert.ok(letters < 4_000_000, String(letters));
  const last = chunks.findLast(({ data }) => data.includes('search_results'));
  const found: Json = JSON.parse(last?.data ?? '{}');
  assert.is(list(at(found, 'search_results')).length, 4_000);
  assert.is(list(at(found, 'citations')).length, 4_000);
});

test('passes over searches that found nothing, however many they are', async () => {
  const found = { type: 'search_results', results: [{ url: 'https://a.example' }] };
  const output = [found, ...Array(6_000).fill({ type: 'search_results', results: [] })];
  const wire = { type: 'response.completed', response: { id: 'r', status: 'completed', output } };
  const events = decodeAll(openaiResponses, [{ data: JSON.stringify(wire) }]);
  // A tenth of a second; looked through anew for each of them they took twenty.
  await assertQuick(2_000, () => {
    const told = encodeAll(openaiChat, anyRequest, events).filter(({ data }) => data.includes('https://a.example'));
    assert.is(told.length, 1);
  });
});

test.run();

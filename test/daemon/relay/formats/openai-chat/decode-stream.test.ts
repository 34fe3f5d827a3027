import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatEvent } from '../../../../../daemon/relay/canonical/chat.ts';
import { openaiChat } from '../../../../../daemon/relay/formats/openai-chat/index.ts';
import type { Json, JsonObject } from '../../../../../daemon/relay/json.ts';
import { testScope } from '../../../../conformance/scope.ts';
import { decodeAll } from '../../../../conformance/translate.ts';
import { checkCanonical } from '../../../../support/checkers/canonical.ts';
import { assertQuick } from '../../../../support/processor-time.ts';

const test = suite('chat stream decoder');

function decode(...chunks: Json[]): ChatEvent[] {
  return decodeAll(
    openaiChat,
    chunks.map((chunk) => ({ data: typeof chunk === 'string' ? chunk : JSON.stringify(chunk) })),
  );
}

function delta(content: Json, finish: string | null = null, index = 0): Json {
  return { id: 'c', choices: [{ index, delta: content, finish_reason: finish }] };
}

/** Calls of a stream that was legal. */
function calls(...chunks: Json[]): { name: string; input: string }[] {
  const { problems, answer } = checkCanonical(decode(...chunks));
  assert.equal(problems, []);
  return answer.calls;
}

test('takes two ids at one index for two calls', () => {
  const call = (id: string) => delta({ tool_calls: [{ index: 0, id, function: { name: 'f', arguments: '{}' } }] });
  assert.is(calls(call('a'), call('b'), delta({}, 'tool_calls')).length, 2);
});

test('tells calls apart that have neither id nor index of their own', () => {
  const call = (n: number, over: JsonObject = {}): JsonObject => ({
    ...over,
    function: { name: 'f', arguments: JSON.stringify({ n }) },
  });
  const expected = [1, 2, 3].map((n) => ({ name: 'f', input: JSON.stringify({ n }) }));
  for (const over of [{}, { index: 0 }, { index: 0, id: '' }]) {
    const [one, two, three] = [call(1, over), call(2, over), call(3, over)];
    const apart = [delta({ tool_calls: [one] }), delta({ tool_calls: [two] }), delta({ tool_calls: [three] })];
    assert.equal(calls(...apart, delta({}, 'tool_calls')), expected, JSON.stringify(over));
    assert.equal(calls(delta({ tool_calls: [one, two, three] }), delta({}, 'tool_calls')), expected, 'at once');
    const spoken = [apart[0] ?? null, delta({ content: 'and' }), apart[1] ?? null, apart[2] ?? null];
    assert.equal(calls(...spoken, delta({}, 'tool_calls')), expected, 'with words in between');
  }
});

test('takes a name that is repeated with every piece for the same call', () => {
  const piece = (text: string) =>
    delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: text } }] });
  const unnamed = (text: string) => delta({ tool_calls: [{ index: 0, function: { name: 'f', arguments: text } }] });
  for (const told of [piece, unnamed]) {
    const pieces = ['', '{"x":', '{"y":1}', '}', ''].map(told);
    assert.equal(calls(...pieces, delta({}, 'tool_calls')), [{ name: 'f', input: '{"x":{"y":1}}' }]);
  }
});

test('takes calls without an index, and arguments that are an object', () => {
  const told = delta({
    tool_calls: [
      { id: 'a', function: { name: 'f', arguments: { x: 1 } } },
      { id: 'b', function: { name: 'g' } },
    ],
  });
  assert.equal(calls(told, delta({}, 'tool_calls')), [
    { name: 'f', input: '{"x":1}' },
    { name: 'g', input: '' },
  ]);
});

test('waits for the name of a call', () => {
  assert.equal(
    calls(
      delta({ tool_calls: [{ index: 0, id: 'a', function: { arguments: '{"x"' } }] }),
      delta({ tool_calls: [{ index: 0, function: { name: 'f', arguments: ':1}' } }] }),
      delta({}, 'tool_calls'),
    ),
    [{ name: 'f', input: '{"x":1}' }],
  );
});

test('ends with tool calls even when the upstream says stop, unless it says length', () => {
  const call = delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] });
  assert.is(checkCanonical(decode(call, delta({}, 'stop'))).answer.finish, 'tool-calls');
  assert.is(checkCanonical(decode(call, delta({}, 'length'))).answer.finish, 'length');
});

test('tolerates empty and missing choices, null deltas and null usage', () => {
  const { problems, answer } = checkCanonical(
    decode(
      { id: '', choices: [], prompt_filter_results: [] },
      { id: 'c', choices: [{ index: 0, delta: null }] },
      { id: 'c', usage: null },
      delta({ content: 'Hi' }),
      delta({}, 'stop'),
      '[DONE]',
    ),
  );
  assert.equal(problems, []);
  assert.is(answer.text, 'Hi');
});

test('takes nothing behind the end mark for a part of the answer but what was used', () => {
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  const told = decode(delta({ content: 'Hi' }), delta({}, 'stop'), '[DONE]', 'garbage', { junk: 1 }, { usage });
  assert.equal(
    told.map(({ type }) => type),
    ['message-start', 'text-start', 'text-delta', 'text-end', 'finish', 'usage'],
  );
  assert.is(checkCanonical(decode('[DONE]', delta({ content: 'Hi' }), delta({}, 'stop'))).answer.text, 'Hi');
});

test('reads what Mistral writes as parts', () => {
  const { answer } = checkCanonical(
    decode(
      delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }),
      delta({ content: [{ type: 'text', text: 'Hi' }] }),
      delta({}, 'stop'),
    ),
  );
  assert.is(answer.reasoning, 'Hm');
  assert.is(answer.text, 'Hi');
});

test('keeps the blocks of several choices apart', () => {
  const events = decode(
    delta({ content: 'a' }, null, 0),
    delta({ content: 'b' }, null, 1),
    delta({ content: 'c' }, null, 0),
    delta({}, 'stop', 1),
    delta({}, 'stop', 0),
  );
  const { problems, answer } = checkCanonical(events);
  assert.equal(problems, []);
  assert.is(answer.text, 'ac');
});

test('reports an error that stands in the stream, with its status', () => {
  const [event] = decode({ error: { message: 'busy', type: 'server_error', code: 503 } });
  assert.ok(event?.type === 'error');
  assert.is(event.error.status, 503);
  assert.is(event.error.message, 'busy');
});

test('adds up usage that leaves reasoning or cached tokens out', () => {
  const usage = (wire: Json) => {
    const { usageEvent } = checkCanonical(decode({ ...{ id: 'c', choices: [] }, usage: wire }));
    return usageEvent && [usageEvent.prompt, usageEvent.cached, usageEvent.completion, usageEvent.reasoning];
  };
  assert.equal(
    usage({
      prompt_tokens: 10,
      completion_tokens: 2,
      total_tokens: 17,
      completion_tokens_details: { reasoning_tokens: 5 },
    }),
    [10, 0, 7, 5],
  );
  assert.equal(
    usage({ prompt_tokens: 3, prompt_cache_hit_tokens: 8, completion_tokens: 1, total_tokens: 4 }),
    [11, 8, 1, 0],
  );
  assert.equal(usage({ prompt_tokens: 0, completion_tokens: 4, total_tokens: 9 }), [5, 0, 4, 0]);
  assert.is(usage({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }), undefined);
});

test('reads a choice that its vendor gave up on as an error, streamed and whole', () => {
  const error = { code: 503, message: 'provider overloaded' };
  const failed = { index: 0, finish_reason: 'error', error, delta: { content: '' }, message: { content: '' } };
  const [, told] = decode(delta({ content: 'Hal' }), { id: 'c', choices: [failed] }).filter(
    (event) => event.type === 'text-delta' || event.type === 'error',
  );
  assert.is(told?.type === 'error' && told.error.status, 503);
  const whole = openaiChat.decodeResponse({ choices: [failed] }, testScope());
  assert.is(whole.error?.message, 'provider overloaded');
  const bare = openaiChat.decodeResponse({ choices: [{ finish_reason: 'error', message: {} }] }, testScope());
  assert.is(bare.error?.status, 502);
});

const listings: readonly (readonly [vendor: string, listed: JsonObject])[] = [
  ['Ark', { references: [{ url: 'https://a.example', title: 'A' }] }],
  ['Perplexity', { citations: ['https://a.example'], search_results: [{ url: 'https://a.example', title: 'A' }] }],
  ['Zhipu', { web_search: [{ link: 'https://a.example', title: 'A', content: 'a' }] }],
];
for (const [vendor, listed] of listings) {
  test(`takes the sources that ${vendor} lists beside an answer for those of its text`, () => {
    const page = { kind: 'url', url: 'https://a.example', title: 'A' };
    const chunks = [{ ...Object(delta({ content: 'Hi' })), ...listed }, delta({ content: '!' }), delta({}, 'stop')];
    const events = decode(...chunks);
    const order = events.map((event) => event.type);
    assert.equal(order.slice(-3), ['annotation', 'text-end', 'finish']);
    assert.equal(
      events.flatMap((event) => (event.type === 'annotation' ? event.annotation : [])),
      [page],
    );
    const body = { choices: [{ message: { content: 'Hi!' }, finish_reason: 'stop' }], ...listed };
    const [choice] = openaiChat.decodeResponse(body, testScope()).choices;
    const [text, ...beside] = choice?.items ?? [];
    assert.equal(text, { type: 'assistant', parts: [{ type: 'text', text: 'Hi!', annotations: [page] }] });
    const kept = Object.entries(listed).map(([name, raw]) => ({ type: 'hosted', dialect: 'openai-chat', name, raw }));
    assert.equal(beside, kept);
    assert.equal(
      events.flatMap((event) => (event.type === 'hosted' ? event.item : [])),
      kept,
    );
  });
}

test('repeats long lists of sources for some of many choices that end, and tells short ones with each', () => {
  const told = (pages: number, ends: number) => {
    const citations = Array.from({ length: pages }, (_, page) => `https://a.example/${page}`);
    const said = (index: number) => ({
      index,
      finish_reason: 'stop',
      delta: { content: 'a' },
      message: { content: 'a' },
    });
    const body = { id: 'c', citations, choices: Array.from({ length: ends }, (_, index) => said(index)) };
    const [streamed, whole] = [testScope(), testScope()];
    const events = openaiChat.decodeStream(streamed).push({ data: JSON.stringify(body) });
    const { choices } = openaiChat.decodeResponse(body, whole);
    const annotated = choices.flatMap(({ items }) =>
      items
        .flatMap((item) => (item.type === 'assistant' ? item.parts : []))
        .flatMap((part) => ('annotations' in part ? (part.annotations ?? []) : [])),
    );
    const counts = [events.filter(({ type }) => type === 'annotation').length, annotated.length];
    return { counts, lost: [streamed.lost, whole.lost] };
  };
  assert.equal(told(60, 128), { counts: [7_680, 7_680], lost: [[], []] });
  const { counts, lost } = told(2_000, 1_000);
  for (const count of counts) assert.ok(count >= 2_000 && count < 12_000, String(count));
  for (const names of lost) assert.equal(new Set(names), new Set(['answer.annotations']));
});

test('tells what stands beside an answer once the answer has begun, and notes what comes behind it', () => {
  const scope = testScope();
  const decoder = openaiChat.decodeStream(scope);
  const finish = { index: 0, delta: {}, finish_reason: 'stop' };
  const chunks: Json[] = [
    { choices: [], prompt_filter_results: [{ prompt_index: 0 }] },
    delta({ content: 'Hi' }),
    { id: 'c', choices: [finish], content_filter: [{ level: 1 }] },
    { id: 'c', choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 }, late: 1 },
  ];
  const events = chunks.flatMap((chunk) => decoder.push({ data: JSON.stringify(chunk) }));
  assert.equal(checkCanonical(events).problems, []);
  assert.equal(
    events.flatMap((event) => (event.type === 'hosted' ? event.item.name : [])),
    ['prompt_filter_results', 'content_filter'],
  );
  assert.equal(scope.lost, ['answer.late']);
});

test('ends any number of choices, and tells what stands beside them, without looking through all for each event', async () => {
  const choices = Array.from({ length: 30_000 }, (_, index) => ({ index }));
  const marks = Array(30_000).fill('[DONE]');
  const beside = Array.from({ length: 5_000 }, (_, odd) => ({ id: 'c', choices: [], odd }));
  // A fifth of a second; looked through for each mark they took four seconds and more.
  await assertQuick(2_000, () => {
    const events = decode({ id: 'c', choices }, ...marks, delta({ content: 'a' }), ...beside, '[DONE]');
    assert.is(events.filter(({ type }) => type === 'finish').length, 1);
    assert.is(events.filter(({ type }) => type === 'hosted').length, 5_000);
  });
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatEvent } from '../../../../../daemon/relay/canonical/chat.ts';
import { AnswerCollector } from '../../../../../daemon/relay/canonical/collect.ts';
import { anthropicMessages } from '../../../../../daemon/relay/formats/anthropic-messages/index.ts';
import { openaiChat } from '../../../../../daemon/relay/formats/openai-chat/index.ts';
import { openaiResponses } from '../../../../../daemon/relay/formats/openai-responses/index.ts';
import type { Json, JsonObject } from '../../../../../daemon/relay/json.ts';
import { testScope } from '../../../../conformance/scope.ts';
import { anyRequest, decodeAll, encodeAll } from '../../../../conformance/translate.ts';
import { at, list } from '../../../../support/checkers/answer.ts';
import { checkCanonical } from '../../../../support/checkers/canonical.ts';

const test = suite('Messages stream decoder');

const start = (id: string, input: number): JsonObject => ({
  type: 'message_start',
  message: { id, type: 'message', role: 'assistant', content: [], usage: { input_tokens: input, output_tokens: 1 } },
});
const open = (index: number, content_block: JsonObject): JsonObject => ({
  type: 'content_block_start',
  index,
  content_block,
});
const say = (index: number, text: string): JsonObject => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'text_delta', text },
});
const stop = (index: number): JsonObject => ({ type: 'content_block_stop', index });
const ending = (output: number): JsonObject[] => [
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: output } },
  { type: 'message_stop' },
];
const words: JsonObject = { type: 'text', text: '' };

function decode(events: readonly JsonObject[]): ChatEvent[] {
  return decodeAll(
    anthropicMessages,
    events.map((event) => ({ data: JSON.stringify(event) })),
  );
}

const told = (text: string, output: number) => [open(0, words), say(0, text), stop(0), ...ending(output)];

for (const [how, events] of [
  ['behind its end', [start('msg_1', 10), ...told('Hi', 5), start('msg_2', 900), ...told('Hi again', 70)]],
  ['before its words', [start('msg_1', 10), start('msg_2', 900), ...told('Hi', 5)]],
] as const) {
  test(`tells an answer once that begins again ${how}`, () => {
    const { problems, answer } = checkCanonical(decode(events));
    assert.equal(problems, []);
    assert.is(answer.text, 'Hi');
    assert.equal(answer.usage, { prompt: 10, cached: 0, completion: 5 });
  });
}

test('ends words where another block begins, though their host does not say so', () => {
  const call: JsonObject = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
  const { problems, answer } = checkCanonical(
    decode([start('msg_1', 1), open(0, words), say(0, 'Hi'), open(1, call), ...ending(5)]),
  );
  assert.equal(problems, []);
  assert.equal([answer.text, answer.calls], ['Hi', [{ name: 'f', input: '' }]]);
});

test('ends a call where another takes its place, though its host does not say so', () => {
  const call = (name: string): JsonObject => ({ type: 'tool_use', id: `toolu_${name}`, name, input: {} });
  const input = (partial_json: string): JsonObject => {
    return { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json } };
  };
  const { problems, answer } = checkCanonical(
    decode([start('msg_1', 1), open(0, call('f')), input('{"x":1}'), open(0, call('g')), input('{}'), ...ending(5)]),
  );
  assert.equal(problems, []);
  assert.equal(answer.calls, [
    { name: 'f', input: '{"x":1}' },
    { name: 'g', input: '{}' },
  ]);
});

for (const [what, events] of [
  ['a block that was not begun', [start('msg_1', 1), say(0, 'Hi')]],
  ['an answer that was not begun', [open(0, words), say(0, 'Hi'), stop(0)]],
  ['a block that goes on behind the beginning of another', [open(0, words), say(0, 'H'), open(1, words), say(0, 'i')]],
] as const) {
  test(`loses no words of ${what}`, () => {
    const { problems, answer } = checkCanonical(decode([...events, ...ending(5)]));
    assert.equal(problems, []);
    assert.equal([answer.text, answer.finish], ['Hi', 'stop']);
  });
}

test('takes the last event for the end where its host names no reason', () => {
  const { problems, answer } = checkCanonical(
    decode([start('msg_1', 1), open(0, words), say(0, 'Hi'), { type: 'message_stop' }]),
  );
  assert.equal(problems, []);
  assert.equal([answer.text, answer.finish], ['Hi', 'stop']);
  const silent = decode([start('msg_1', 1), { type: 'message_stop' }]);
  assert.not.ok(silent.some(({ type }) => type === 'finish'));
});

const page = { type: 'web_search_result_location', url: 'https://a.example', title: 'A', cited_text: 'c' };
const cite = (index: number): JsonObject => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'citations_delta', citation: page },
});

const cited = [
  start('msg_1', 1),
  open(0, words),
  say(0, 'It is '),
  stop(0),
  // The source stands before the words that stand on it, in the middle of them, or behind them.
  open(1, words),
  cite(1),
  say(1, 'wa'),
  say(1, 'rm'),
  stop(1),
  open(2, words),
  say(2, ' & fair'),
  cite(2),
  stop(2),
  ...ending(5),
];
const whole: Json = {
  content: [
    { type: 'text', text: 'It is ' },
    { type: 'text', text: 'warm', citations: [page] },
    { type: 'text', text: ' & fair', citations: [page] },
  ],
  stop_reason: 'end_turn',
};
const places = [
  [6, 10],
  [10, 17],
];

test('says of a citation which words of the whole answer stand on it, streamed as whole', () => {
  const chunks = encodeAll(openaiChat, anyRequest, decode(cited)).map(
    ({ data }): Json => JSON.parse(data === '[DONE]' ? '{}' : data),
  );
  const streamed = chunks.flatMap((chunk) => list(at(chunk, 'choices', 0, 'delta', 'annotations')));
  const answer = anthropicMessages.decodeResponse(whole, testScope());
  const said = openaiChat.encodeResponse(answer, anyRequest, testScope());
  for (const annotations of [streamed, list(at(said, 'choices', 0, 'message', 'annotations'))]) {
    assert.equal(
      annotations.map((entry) => [at(entry, 'url_citation', 'start_index'), at(entry, 'url_citation', 'end_index')]),
      places,
    );
  }
});

test('counts a citation’s place from its own part for a Responses client, and back', () => {
  const answer = anthropicMessages.decodeResponse(whole, testScope());
  const body = openaiResponses.encodeResponse(answer, anyRequest, testScope());
  const parts = list(at(body, 'output')).flatMap((item) => list(at(item, 'content')));
  const found = parts.flatMap((part) =>
    list(at(part, 'annotations')).map((entry) =>
      String(at(part, 'text')).slice(Number(at(entry, 'start_index')), Number(at(entry, 'end_index'))),
    ),
  );
  assert.equal(found, ['warm', ' & fair']);
  // Behind a call the text goes on in a message of its own, whose places begin anew.
  const call: JsonObject = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
  const parted = [...cited.slice(0, 4), open(9, call), stop(9), ...cited.slice(4)];
  const wire = encodeAll(openaiResponses, anyRequest, decode(parted));
  const added = wire
    .map(({ data }): Json => JSON.parse(data))
    .filter((event) => at(event, 'type') === 'response.output_text.annotation.added');
  assert.equal(
    added.map((event) => at(event, 'annotation', 'start_index')),
    [0, 4],
  );
  const again = decodeAll(openaiResponses, wire).flatMap((event) =>
    event.type === 'annotation' && event.annotation.kind === 'url'
      ? [[event.annotation.start, event.annotation.end]]
      : [],
  );
  assert.equal(again, places);
  const read = openaiResponses.decodeResponse(body, testScope()).choices[0]?.items ?? [];
  const starts = read.flatMap((item) =>
    item.type === 'assistant'
      ? item.parts.flatMap((part) =>
          part.type === 'text' ? (part.annotations ?? []).map((one) => (one.kind === 'url' ? one.start : -1)) : [],
        )
      : [],
  );
  assert.equal(starts, [6, 10]);
});

test('leaves each citation with its words when a stream is collected', () => {
  const collector = new AnswerCollector();
  for (const event of decode(cited)) collector.push(event);
  const body = anthropicMessages.encodeResponse(collector.result(), anyRequest, testScope());
  assert.equal(
    list(at(body, 'content')).map((block) => [at(block, 'text'), list(at(block, 'citations')).length]),
    [
      ['It is ', 0],
      ['warm', 1],
      [' & fair', 1],
    ],
  );
  const told = encodeAll(anthropicMessages, anyRequest, decode(cited)).map(({ data }): Json => JSON.parse(data));
  assert.is(told.filter((event) => at(event, 'delta', 'type') === 'citations_delta').length, 2);
});

test('keeps the summary of a compacted conversation in its block', () => {
  const delta = { type: 'compaction_delta', content: 'They spoke of cats.', encrypted_content: 'E' };
  const events = decode([
    start('msg_1', 1),
    open(0, { type: 'compaction', content: null }),
    { type: 'content_block_delta', index: 0, delta },
    stop(0),
  ]);
  const [block] = events.flatMap((event) => (event.type === 'hosted' ? [event.item.raw] : []));
  assert.equal(block, { ...delta, type: 'compaction' });
});

test.run();

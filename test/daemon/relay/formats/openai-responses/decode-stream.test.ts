import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openaiResponses } from '../../../../../daemon/relay/formats/openai-responses/index.ts';
import type { JsonObject } from '../../../../../daemon/relay/json.ts';
import { decodeAll } from '../../../../conformance/translate.ts';
import { checkCanonical } from '../../../../support/checkers/canonical.ts';
import { assertQuick } from '../../../../support/processor-time.ts';

const test = suite('Responses stream decoder');

function toldOf(events: readonly object[]) {
  return decodeAll(
    openaiResponses,
    events.map((event) => ({ data: JSON.stringify(event) })),
  );
}

test('hears the thoughts that Perplexity tells beside all items', () => {
  const place = { output_index: 1, content_index: 0, item_id: 'msg_1' };
  const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] };
  const events: JsonObject[] = [
    { type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } },
    { type: 'response.reasoning.started', thought: 'Let me look.' },
    { type: 'response.reasoning.search_queries', queries: ['a'], thought: null },
    { type: 'response.reasoning.stopped', thought: 'Found.' },
    { type: 'response.output_text.delta', ...place, delta: 'Hi' },
    { type: 'response.output_item.done', output_index: 1, item: message },
    { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output: [message] } },
  ];
  const told = toldOf(events);
  const { problems, answer } = checkCanonical(told);
  assert.equal(problems, []);
  assert.is(answer.text, 'Hi');
  assert.match(answer.reasoning, /^Let me look\.\s*Found\.$/);
});

test('takes nothing behind the last event for a part of the answer', () => {
  const events = [
    { type: 'response.output_text.delta', output_index: 0, delta: 'Hi' },
    { type: 'response.completed', response: { status: 'completed', output: [] } },
  ].map((event) => ({ data: JSON.stringify(event) }));
  const told = decodeAll(openaiResponses, [...events, { data: 'garbage' }, { data: '{"type":"error"}' }]);
  assert.equal(told, decodeAll(openaiResponses, events));
});

test('tells of a failure that stands beside its response, or in its place', () => {
  const error = { message: 'no room', type: 'server_error', code: 'x' };
  const said = { type: 'response.output_text.delta', output_index: 0, delta: 'Hi' };
  const response = { id: 'resp_1', status: 'in_progress', error: null, output: [] };
  for (const failed of [{ error }, { error, response }, { response: { ...response, error } }]) {
    const told = toldOf([said, { type: 'response.failed', ...failed }]);
    const last = told.at(-1);
    assert.is(last?.type === 'error' && last.error.message, 'no room');
    assert.not.ok(told.some(({ type }) => type === 'finish'));
  }
});

test('knows by its code whose fault a failure is', () => {
  const statuses: Readonly<Record<string, number | undefined>> = {
    server_error: 500,
    rate_limit_exceeded: 429,
    invalid_image: 400,
    image_too_large: 400,
    unsupported_image_media_type: 400,
    empty_image_file: 400,
    failed_to_download_image: 400,
    vector_store_timeout: undefined,
  };
  for (const [code, status] of Object.entries(statuses)) {
    const response = { id: 'resp_1', status: 'failed', error: { code, message: 'no' }, output: [] };
    const last = toldOf([{ type: 'response.failed', response }]).at(-1);
    assert.is(last?.type === 'error' && last.error.status, status, code);
  }
});

test('takes words and finds from the end where the stream left them out, and never twice', () => {
  const search = { type: 'search_results', results: [{ id: 1, title: 'A', url: 'https://a.example' }] };
  const content = [{ type: 'output_text', text: 'Hi' }];
  const message = { type: 'message', id: 'msg_1', role: 'assistant', content };
  const place = { output_index: 1, content_index: 0 };
  const added = { type: 'response.output_item.added', output_index: 1, item: { ...message, content: [] } };
  const said = { type: 'response.output_text.delta', ...place, delta: 'Hi' };
  const textDone = { type: 'response.output_text.done', ...place, text: 'Hi' };
  const itemDone = { type: 'response.output_item.done', output_index: 1, item: message };
  const found = { type: 'response.output_item.done', output_index: 0, item: search };
  const thought = { type: 'response.reasoning.started', thought: 'Hm' };
  const ended = { type: 'response.completed', response: { status: 'completed', output: [search, message] } };
  const bare = { type: 'response.completed', response: { status: 'completed', output: [] } };
  const streams = [
    [thought, added, said, textDone, itemDone, ended],
    [added, said, textDone, ended],
    [added, textDone, ended],
    [added, ended],
    [thought, ended],
    [found, added, textDone, itemDone, ended],
    [found, ended],
    [found, added, textDone, bare],
  ];
  for (const stream of streams) {
    const told = toldOf(stream);
    const { problems, answer } = checkCanonical(told);
    assert.equal([problems, answer.text], [[], 'Hi'], JSON.stringify(stream));
    assert.is(told.filter(({ type }) => type === 'hosted').length, 1);
  }
});

test('takes citations, and whole answers, from the end where nothing told of them before', () => {
  const citation = { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 2 };
  const content = [{ type: 'output_text', text: 'Hi', annotations: [citation] }];
  const message = { type: 'message', id: 'msg_1', role: 'assistant', content };
  const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{"x":1}' };
  const begun = { type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } };
  const ended = (...output: JsonObject[]) => ({
    type: 'response.completed',
    response: { status: 'completed', output },
  });
  const said = { type: 'response.output_text.delta', output_index: 0, delta: 'Hi' };
  const done = { type: 'response.output_item.done', output_index: 0, item: message };
  const added = { type: 'response.output_text.annotation.added', output_index: 0, annotation: citation };
  const streams = [
    [begun, said, done, ended(message)],
    [begun, said, added, done, ended(message)],
    [begun, ended(message, call)],
  ];
  for (const events of streams) {
    const told = toldOf(events);
    const { problems, answer } = checkCanonical(told);
    assert.equal(problems, []);
    assert.is(answer.text, 'Hi');
    assert.is(told.filter(({ type }) => type === 'annotation').length, 1);
    assert.is(told.filter(({ type }) => type === 'tool-call-end').length, events.length === 2 ? 1 : 0);
  }
});

test('completes words and arguments whose deltas stopped short, from every end that tells the whole', () => {
  const content = [
    { type: 'output_text', text: 'Hello ' },
    { type: 'output_text', text: 'world' },
  ];
  const message = { type: 'message', id: 'msg_1', role: 'assistant', content };
  const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{"x":1}' };
  const said = { type: 'response.output_text.delta', output_index: 0, delta: 'Hello wo' };
  const firstSaid = { ...said, content_index: 0, delta: 'Hel' };
  const textDone = { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Hello world' };
  const done = { type: 'response.output_item.done', output_index: 0, item: message };
  const begun = { type: 'response.output_item.added', output_index: 1, item: { ...call, arguments: '' } };
  const asked = { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"x"' };
  const askedDone = { type: 'response.function_call_arguments.done', output_index: 1, arguments: call.arguments };
  const callDone = { type: 'response.output_item.done', output_index: 1, item: call };
  const ended = (...output: JsonObject[]) => ({
    type: 'response.completed',
    response: { status: 'completed', output },
  });
  const streams: JsonObject[][] = [
    [said, done, begun, asked, callDone, ended(message, call)],
    [said, begun, asked, ended(message, call)],
    [said, ended(message, call)],
    [firstSaid, textDone, begun, asked, askedDone, ended()],
    [firstSaid, textDone, done, begun, asked, askedDone, callDone, ended(message, call)],
  ];
  for (const events of streams) {
    const told = toldOf(events);
    const { problems, answer } = checkCanonical(told);
    assert.equal([problems, answer.text], [[], 'Hello world'], JSON.stringify(events));
    const input = told.flatMap((event) => (event.type === 'tool-call-delta' ? [event.text] : [])).join('');
    assert.is(input, call.arguments, JSON.stringify(events));
  }
});

test('leaves words and arguments as they came where the end says others', () => {
  const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Goodbye, all' }] };
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{ "x": 1, "y": 2 }' };
  const told = toldOf([
    { type: 'response.output_text.delta', output_index: 0, delta: 'Hello' },
    { type: 'response.output_item.done', output_index: 0, item: message },
    { type: 'response.output_item.added', output_index: 1, item: { ...call, arguments: '' } },
    { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"x":1}' },
    { type: 'response.output_item.done', output_index: 1, item: call },
    { type: 'response.completed', response: { status: 'completed', output: [message, call] } },
  ]);
  const { problems, answer } = checkCanonical(told);
  assert.equal([problems, answer.text], [[], 'Hello']);
  assert.is(told.flatMap((event) => (event.type === 'tool-call-delta' ? [event.text] : [])).join(''), '{"x":1}');
});

test('reads many calls beside one another in time that grows with their number', async () => {
  const begun = Array.from({ length: 20_000 }, (_, at) => ({
    type: 'response.output_item.added',
    output_index: at,
    item: { type: 'function_call', call_id: `c${at}`, name: 'f', arguments: '' },
  }));
  await assertQuick(1500, () => toldOf(begun));
});

test('tells the tools that ran as their calls end, and the upstream’s own count at the end', () => {
  const call = (id: string) => ({ type: 'web_search_call', id, status: 'completed' });
  const ended = (id: string) => ({ type: 'response.output_item.done', output_index: 0, item: call(id) });
  const usage = { input_tokens: 3, output_tokens: 2, tool_calls_details: { search_web: { invocation: 5 } } };
  const events: JsonObject[] = [
    { type: 'response.created', response: { id: 'resp_1', tools: [{ type: 'web_search_preview' }] } },
    ended('ws_1'),
    ended('ws_2'),
    { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output: [call('ws_1')], usage } },
  ];
  const told = toldOf(events);
  assert.equal(
    told.flatMap((event) => (event.type === 'tools-used' ? [event.tools] : [])),
    [{ web_search_preview: 1 }, { web_search_preview: 2 }, { web_search: 5 }],
  );
});

test.run();

/**
 * Numbers in what is asked of a client's shells, patches and searches, and in calls of Ollama's streams: they keep their
 * digits. Runs once: it looks at what goes over the wire.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { upstreamFormatOf } from '../../daemon/relay/formats/index.ts';
import { testScope } from '../conformance/scope.ts';
import type { Answer } from '../support/fake-upstream.ts';
import { allInDialectWorld, type DialectWorld, message } from './dialect-world.ts';

const test = suite<DialectWorld>('relay: exact numbers of actions');
allInDialectWorld(test);

/** Members with numbers that a double, or the way JSON writes one, would change. */
const exact = '"id":9223372036854775807,"at":1.0,"list":[1e3,-0]';
const usage = '{"input_tokens":1,"output_tokens":1,"total_tokens":2}';

interface Kind {
  /** Name of the tool as a function. */
  readonly name: string;
  readonly tool: string;
  readonly type: string;
  readonly member: 'action' | 'operation' | 'arguments';
  readonly input: string;
}

const kinds: readonly Kind[] = [
  {
    name: 'shell',
    tool: '{"type":"shell"}',
    type: 'shell_call',
    member: 'action',
    input: `{"commands":["ls"],${exact}}`,
  },
  {
    name: 'local_shell',
    tool: '{"type":"local_shell"}',
    type: 'local_shell_call',
    member: 'action',
    input: `{"env":{"A":"b"},"command":["ls"],${exact}}`,
  },
  {
    name: 'apply_patch',
    tool: '{"type":"apply_patch"}',
    type: 'apply_patch_call',
    member: 'operation',
    input: `{"type":"delete_file","path":"a",${exact}}`,
  },
  {
    name: 'tool_search',
    tool: '{"type":"tool_search","execution":"client"}',
    type: 'tool_search_call',
    member: 'arguments',
    input: `{"query":"x",${exact}}`,
  },
];

const typeIn = /"type":"([^"]+)"/;
const events = (told: readonly string[]): Answer => ({
  headers: { 'content-type': 'text/event-stream' },
  chunks: told.map((data) => `event: ${typeIn.exec(data)?.[1]}\ndata: ${data}\n\n`),
});
const json = (body: string): Answer => ({ headers: { 'content-type': 'application/json' }, chunks: [body] });

/** A message of Claude's that calls the function twice. */
function called({ name, input }: Kind): Answer {
  const call = (id: string) => `{"type":"tool_use","id":"${id}","name":"${name}","input":${input}}`;
  const head = JSON.stringify({ ...message, stop_reason: 'tool_use' }).slice(0, -1);
  return json(`${head},"content":[${call('c1')},${call('c2')}],"usage":${usage}}`);
}

function calledInEvents({ name, input }: Kind): Answer {
  const text = JSON.stringify(input);
  const begun = { ...message, content: [], stop_reason: null, usage: { input_tokens: 1, output_tokens: 0 } };
  return events([
    JSON.stringify({ type: 'message_start', message: begun }),
    ...[0, 1].flatMap((at) => [
      `{"type":"content_block_start","index":${at},"content_block":{"type":"tool_use","id":"c${at}","name":"${name}","input":{}}}`,
      `{"type":"content_block_delta","index":${at},"delta":{"type":"input_json_delta","partial_json":${text}}}`,
      `{"type":"content_block_stop","index":${at}}`,
    ]),
    '{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":1}}',
    '{"type":"message_stop"}',
  ]);
}

/** A response of an upstream of the client's own dialect. */
function response({ type, member, input }: Kind): string {
  const execution = type === 'tool_search_call' ? ',"execution":"client"' : '';
  const item = `{"type":"${type}","id":"i1","call_id":"c1","status":"completed","${member}":${input}${execution}}`;
  return `{"id":"resp_1","object":"response","status":"completed","output":[${item}],"usage":${usage}}`;
}

function responseInEvents(kind: Kind): Answer {
  const whole = response(kind);
  const item = whole.slice(whole.indexOf('[') + 1, whole.lastIndexOf(']'));
  const begun = '{"id":"resp_1","object":"response","status":"in_progress","output":[]}';
  return events([
    `{"type":"response.created","sequence_number":0,"response":${begun}}`,
    `{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":${item}}`,
    `{"type":"response.output_item.done","sequence_number":2,"output_index":0,"item":${item}}`,
    `{"type":"response.completed","sequence_number":3,"response":${whole}}`,
  ]);
}

function count(text: string, piece: string): number {
  return text.split(piece).length - 1;
}

/** What the client reads. */
async function answerTo({ harness }: DialectWorld, kind: Kind, asks: { model: string; stream: boolean }) {
  const body = `{"model":"${asks.model}","stream":${asks.stream},"input":"go","tools":[${kind.tool}]}`;
  const answer = await harness.post('/v1/responses', body);
  const text = await answer.text();
  assert.is(answer.status, 200, text);
  assert.match(text, `"type":"${kind.type}"`);
  assert.not.match(text, /[\ue000]|ue000/i);
  return text;
}

for (const kind of kinds) {
  test(`of ${kind.name}, called as a function of another dialect`, async (world) => {
    const asks = { model: 'claude-sonnet-4-5', stream: false };
    world.upstream.script(called(kind));
    assert.is(count(await answerTo(world, kind, asks), exact), 2);
    world.upstream.script(calledInEvents(kind));
    // Each call begins, ends and stands in the whole response.
    assert.is(count(await answerTo(world, kind, { ...asks, stream: true }), exact), 6);
  });

  test(`of ${kind.name}, told in another manner than asked for`, async (world) => {
    const asks = { model: 'gpt-5-pro', stream: false };
    world.upstream.script(responseInEvents(kind));
    assert.is(count(await answerTo(world, kind, asks), exact), 1);
    world.upstream.script(json(response(kind)));
    assert.is(count(await answerTo(world, kind, { ...asks, stream: true }), exact), 3);
  });
}

test('of calls that a chat streams as objects, whoever hears of them', async (world) => {
  const call = (at: number) =>
    `{"index":${at},"id":"c${at}","function":{"name":"shell","arguments":{"a":"b",${exact}}}}`;
  const chunk = (rest: string) => `{"id":"c","created":1.0,"model":"m","choices":[{"index":0,${rest}}]}`;
  world.upstream.script({
    headers: { 'content-type': 'text/event-stream' },
    chunks: [
      chunk(`"delta":{"role":"assistant","tool_calls":[${call(0)},${call(1)}]}`),
      chunk(`"delta":{"function_call":null},"finish_reason":"tool_calls"`),
      '[DONE]',
    ].map((data) => `data: ${data}\n\n`),
  });
  const messages = '"messages":[{"role":"user","content":"go"}]';
  const tools = '"tools":[{"name":"shell","input_schema":{"type":"object"}}]';
  const body = `{"model":"gpt-4o","stream":true,"max_tokens":9,${messages},${tools}}`;
  const text = await (await world.harness.post('/v1/messages', body)).text();
  assert.is(count(text.replaceAll('\\', ''), `"a":"b",${exact}`), 2, text);
});

test('of calls in the lines of Ollama', () => {
  const call = (name: string) => `{"function":{"name":"${name}","arguments":{${exact}}}}`;
  const line = (members: string) => ({ data: `{"model":"m","created_at":"2026-11-22T05:00:00Z",${members}}` });
  const decoder = upstreamFormatOf('ollama-chat')?.decodeStream(testScope());
  const told = [
    line(`"message":{"role":"assistant","content":"","tool_calls":[${call('f')},${call('g')}]},"done":false`),
    line(`"message":{"role":"assistant","content":"","tool_calls":[${call('h')}]},"done":false`),
    line('"message":{"role":"assistant","content":""},"done":true,"prompt_eval_count":1,"eval_count":1'),
  ].flatMap((event) => decoder?.push(event) ?? []);
  const inputs = told.flatMap((event) => (event.type === 'tool-call-delta' ? event.text : []));
  assert.equal(inputs, Array(3).fill(`{${exact}}`));
});

test.run();

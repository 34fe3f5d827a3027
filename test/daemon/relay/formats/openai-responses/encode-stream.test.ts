import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../../../../daemon/errors.ts';
import type { ChatEvent, ChatRequest, ChatResponse, ContentPart } from '../../../../../daemon/relay/canonical/chat.ts';
import { replayAnswer } from '../../../../../daemon/relay/canonical/replay.ts';
import { openaiChat } from '../../../../../daemon/relay/formats/openai-chat/index.ts';
import { openaiResponses } from '../../../../../daemon/relay/formats/openai-responses/index.ts';
import type { Json } from '../../../../../daemon/relay/json.ts';
import { testScope } from '../../../../conformance/scope.ts';
import { anyRequest, encodeAll } from '../../../../conformance/translate.ts';
import { at, list } from '../../../../support/checkers/answer.ts';
import { checkOpenAiResponses } from '../../../../support/checkers/openai-responses.ts';
import { assertQuick } from '../../../../support/processor-time.ts';

const test = suite('Responses stream encoder');

function read(wire: readonly { data: string }[]): Json[] {
  return wire.map((event): Json => JSON.parse(event.data));
}

test('tells the reference transcript of a text answer', () => {
  const decoder = openaiChat.decodeStream(testScope());
  const encoder = openaiResponses.encodeStream(anyRequest, testScope());
  const chunks: Json[] = [
    { id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] },
    { id: 'c', choices: [{ index: 0, delta: { content: 'Hi' } }] },
    { id: 'c', choices: [{ index: 0, delta: { content: '!' } }] },
    { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { id: 'c', choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
  ];
  const told = chunks.map((chunk) =>
    read(decoder.push({ data: JSON.stringify(chunk) }).flatMap((event) => encoder.push(event))),
  );
  told.push(read(encoder.end()));
  assert.equal(
    told.map((events) => events.map((event) => `${at(event, 'type')} ${at(event, 'sequence_number')}`)),
    [
      ['response.created 0', 'response.in_progress 1'],
      ['response.output_item.added 2', 'response.content_part.added 3', 'response.output_text.delta 4'],
      ['response.output_text.delta 5'],
      ['response.output_text.done 6', 'response.content_part.done 7', 'response.output_item.done 8'],
      [],
      ['response.completed 9'],
    ],
  );
  assert.is(at(told[5]?.[0], 'response', 'usage', 'total_tokens'), 5);
});

test('ends with response.failed after a failure, its output what was said so far', () => {
  const encoder = openaiResponses.encodeStream(anyRequest, testScope());
  const wire = [
    ...encoder.push({ type: 'message-start' }),
    ...encoder.push({ type: 'text-start', choice: 0, block: 0 }),
    ...encoder.push({ type: 'text-delta', choice: 0, block: 0, text: 'half' }),
    ...encoder.fail(new TollgateError('upstream_timeout', { message: 'too slow' })),
  ];
  const { problems, answer } = checkOpenAiResponses(wire);
  assert.equal(problems, []);
  assert.is(answer.text, 'half');
  const last = read(wire).at(-1);
  assert.is(at(last, 'type'), 'response.failed');
  assert.equal(at(last, 'response', 'error'), { code: 'upstream_timeout', message: 'too slow' });
});

test('says nothing more after the end, whether it was whole or a failure', () => {
  const late = new TollgateError('upstream_timeout');
  const whole = openaiResponses.encodeStream(anyRequest, testScope());
  whole.push({ type: 'finish', choice: 0, finish: { reason: 'stop' } });
  const failed = openaiResponses.encodeStream(anyRequest, testScope());
  for (const wire of [whole.end(), failed.fail(late)]) assert.not.equal(wire, []);
  for (const encoder of [whole, failed]) {
    const more = [...encoder.push({ type: 'text-delta', choice: 0, block: 0, text: 'x' }), ...encoder.fail(late)];
    assert.equal([...more, ...encoder.end()], []);
  }
});

test('begins the response before it fails, when nothing had been said', () => {
  const wire = openaiResponses.encodeStream(anyRequest, testScope()).fail(new TollgateError('upstream_timeout'));
  assert.equal(checkOpenAiResponses(wire).problems, []);
});

test('lets calls interleave, each with its own index', () => {
  const start = { type: 'tool-call-start', choice: 0, kind: 'function' } as const;
  const wire = encodeAll(openaiResponses, anyRequest, [
    { type: 'message-start' },
    { ...start, block: 0, callId: 'a', name: 'f' },
    { ...start, block: 1, callId: 'b', name: 'g' },
    { type: 'tool-call-delta', choice: 0, block: 1, text: '{}' },
    { type: 'tool-call-delta', choice: 0, block: 0, text: '{"x":1}' },
    { type: 'tool-call-end', choice: 0, block: 0 },
    { type: 'tool-call-end', choice: 0, block: 1 },
    { type: 'finish', choice: 0, finish: { reason: 'tool-calls' } },
  ]);
  const { problems, answer } = checkOpenAiResponses(wire);
  assert.equal(problems, []);
  assert.equal(answer.calls, [
    { name: 'f', input: '{"x":1}' },
    { name: 'g', input: '{}' },
  ]);
});

const clientTools: ChatRequest = {
  ...anyRequest,
  dialect: 'openai-responses',
  tools: [
    { kind: 'custom', name: 'apply_patch' },
    { kind: 'function', name: 'read', namespace: 'files' },
    { kind: 'local-shell', settings: { type: 'local_shell' } },
  ],
};

/** The one item that a function call of an upstream becomes. */
function call(name: string, input: string): Json | undefined {
  const events: ChatEvent[] = [
    { type: 'message-start' },
    { type: 'tool-call-start', choice: 0, block: 0, kind: 'function', callId: 'c', name },
    { type: 'tool-call-delta', choice: 0, block: 0, text: input },
    { type: 'tool-call-end', choice: 0, block: 0 },
    { type: 'finish', choice: 0, finish: { reason: 'tool-calls' } },
  ];
  const wire = encodeAll(openaiResponses, clientTools, events);
  assert.equal(checkOpenAiResponses(wire).problems, []);
  const item = list(at(read(wire).at(-1), 'response', 'output'))[0];
  return item;
}

test('returns the call of a custom tool as its free text', () => {
  const item = call('apply_patch', '{"input":"*** Begin Patch"}');
  assert.is(at(item, 'type'), 'custom_tool_call');
  assert.is(at(item, 'input'), '*** Begin Patch');
});

test('returns the call of a tool in a namespace under both its names', () => {
  const item = call('files__read', '{"path":"a"}');
  assert.is(at(item, 'namespace'), 'files');
  assert.is(at(item, 'name'), 'read');
});

test('returns the call of a shell tool as the item of its kind', () => {
  const item = call('local_shell', '{"command":["ls"]}');
  assert.is(at(item, 'type'), 'local_shell_call');
  assert.equal(at(item, 'action'), { type: 'exec', env: {}, command: ['ls'] });
});

/** The items of a stream that breaks off within a call, as they end and as the last event repeats them. */
function brokenCall(name: string, input: string): { readonly ended: readonly Json[]; readonly output: Json[] } {
  const encoder = openaiResponses.encodeStream(clientTools, testScope());
  const wire = [
    ...encoder.push({ type: 'message-start' }),
    ...encoder.push({ type: 'tool-call-start', choice: 0, block: 0, kind: 'function', callId: 'c', name }),
    ...encoder.push({ type: 'tool-call-delta', choice: 0, block: 0, text: input }),
    ...encoder.fail(new TollgateError('upstream_timeout')),
  ];
  assert.equal(checkOpenAiResponses(wire).problems, []);
  const events = read(wire);
  const ended = events.filter((event) => at(event, 'type') === 'response.output_item.done');
  return { ended, output: list(at(events.at(-1), 'response', 'output')) };
}

test('ends what the stream breaks off in as incomplete, since clients run a call as soon as it is complete', () => {
  const { ended, output } = brokenCall('files__read', '{"path":"/etc');
  assert.equal(
    [...ended.map((event) => at(event, 'item')), ...output].map((item) => at(item ?? null, 'status')),
    ['incomplete', 'incomplete'],
  );
  const encoder = openaiResponses.encodeStream(anyRequest, testScope());
  encoder.push({ type: 'text-delta', choice: 0, block: 0, text: 'half' });
  const last = read(encoder.fail(new TollgateError('upstream_timeout'))).at(-1) ?? null;
  assert.is(at(last, 'response', 'output', 0, 'status'), 'incomplete');
});

test('tells nothing of a shell command, patch or free text that the stream breaks off in', () => {
  for (const [name, input] of [
    ['local_shell', '{"command":["rm","-r","/tmp"]'],
    ['apply_patch', '{"input":"*** Begin'],
  ] as const) {
    assert.equal(brokenCall(name, input), { ended: [], output: [] }, name);
  }
});

/** How the one call of an answer ends that a limit cut: streamed, and whole. */
function cutCall(name: string, input: string): (Json | undefined)[] {
  const call = { type: 'tool-call', kind: 'function', callId: 'c', name, input } as const;
  const response: ChatResponse = { choices: [{ index: 0, items: [call], finish: { reason: 'length' } }] };
  const wire = encodeAll(openaiResponses, clientTools, replayAnswer(response));
  assert.equal(checkOpenAiResponses(wire).problems, []);
  const ended = read(wire).filter((event) => at(event, 'type') === 'response.output_item.done');
  const whole = openaiResponses.encodeResponse(response, clientTools, testScope());
  return [...ended.map((event) => at(event, 'item', 'status')), at(whole, 'output', 0, 'status')];
}

test('ends a call that the limit cut as incomplete, and one that was said to its end before it as complete', () => {
  assert.equal(cutCall('files__read', '{"path":"/etc'), ['incomplete', 'incomplete']);
  assert.equal(cutCall('files__read', '{"path":"/etc"}'), ['completed', 'completed']);
  // Half a shell command is not told at all on the stream.
  assert.equal(cutCall('local_shell', '{"command":["rm","-r","/tmp'), ['incomplete']);
});

test('ends a message that the limit cut as incomplete, but not what was said before it', () => {
  const said = (text: string) => ({ type: 'assistant', parts: [{ type: 'text', text }] }) as const;
  const call = { type: 'tool-call', kind: 'function', callId: 'c', name: 'files__read', input: '{' } as const;
  const items = [said('a'), call, said('b')];
  const response: ChatResponse = { choices: [{ index: 0, items, finish: { reason: 'length' } }] };
  const wire = encodeAll(openaiResponses, clientTools, replayAnswer(response));
  assert.equal(checkOpenAiResponses(wire).problems, []);
  const whole = openaiResponses.encodeResponse(response, clientTools, testScope());
  for (const output of [at(read(wire).at(-1), 'response', 'output'), at(whole, 'output')]) {
    assert.equal(
      list(output).map((item) => at(item, 'status')),
      ['completed', 'completed', 'incomplete'],
    );
  }
});

test('makes no message of the odds of thoughts, nor of sources that come before the text', () => {
  const tokens = [{ token: 'a', logprob: -1, top: [] }];
  const page = { kind: 'url', url: 'https://a.example', title: 'A' } as const;
  const wire = encodeAll(openaiResponses, anyRequest, [
    { type: 'message-start' },
    { type: 'annotation', choice: 0, annotation: page },
    { type: 'reasoning-start', choice: 0, block: 0, form: 'full' },
    { type: 'reasoning-delta', choice: 0, block: 0, text: 'Hm', part: 0 },
    { type: 'logprobs', choice: 0, tokens },
    { type: 'reasoning-delta', choice: 0, block: 0, text: 'm', part: 0 },
    { type: 'reasoning-end', choice: 0, block: 0 },
    { type: 'text-start', choice: 0, block: 1 },
    { type: 'text-delta', choice: 0, block: 1, text: 'a' },
    { type: 'logprobs', choice: 0, tokens },
    { type: 'text-end', choice: 0, block: 1 },
    { type: 'finish', choice: 0, finish: { reason: 'stop' } },
  ]);
  assert.equal(checkOpenAiResponses(wire).problems, []);
  const output = list(at(read(wire).at(-1), 'response', 'output'));
  assert.equal(
    output.map((item) => at(item, 'type')),
    ['reasoning', 'message'],
  );
  assert.is(list(at(output[1], 'content', 0, 'logprobs')).length, 1);
  assert.is(at(output[1], 'content', 0, 'annotations', 0, 'url'), 'https://a.example');
});

test('keeps the odds of a whole answer with its text, whatever follows', () => {
  const tokens = [{ token: 'a', logprob: -1, top: [] }];
  const call = { type: 'tool-call', kind: 'function', callId: 'c', name: 'f', input: '{}' } as const;
  const text = { type: 'assistant', parts: [{ type: 'text', text: 'a' }] } as const;
  const choice = { index: 0, items: [text, call], finish: { reason: 'tool-calls' }, logprobs: tokens } as const;
  const wire = encodeAll(openaiResponses, anyRequest, replayAnswer({ choices: [choice] }));
  const output = list(at(read(wire).at(-1), 'response', 'output'));
  assert.equal(
    output.map((item) => at(item, 'type')),
    ['message', 'function_call'],
  );
  assert.is(list(at(output[0], 'content', 0, 'logprobs')).length, 1);
});

test('shows every picture of an answer where it stood, whole as streamed', () => {
  const picture = (data: string): ContentPart => ({
    type: 'image',
    source: { kind: 'inline', mediaType: 'image/png', data },
  });
  const linked: ContentPart = { type: 'image', source: { kind: 'url', url: 'https://x.test/c.png' } };
  const said = (text: string): ContentPart => ({ type: 'text', text });
  const parts = [said('a'), picture('AA=='), said('b'), picture('BB=='), linked];
  const finish = { reason: 'stop' } as const;
  const response: ChatResponse = { choices: [{ index: 0, items: [{ type: 'assistant', parts }], finish }] };
  const streamed = at(
    read(encodeAll(openaiResponses, anyRequest, replayAnswer(response))).at(-1),
    'response',
    'output',
  );
  const whole = at(openaiResponses.encodeResponse(response, anyRequest, testScope()), 'output');
  for (const output of [whole, streamed]) {
    assert.equal(
      list(output).map((item) => at(item, 'result') ?? at(item, 'content', 0, 'text')),
      ['a', 'AA==', 'b', 'BB==', '![image](https://x.test/c.png)'],
    );
  }
});

test('repeats the choice of tools as it was made', () => {
  const tools = [{ kind: 'function', name: 'f' }] as const;
  const echo = (part: Partial<ChatRequest>) => {
    const encoder = openaiResponses.encodeStream({ ...anyRequest, tools, ...part }, testScope());
    return at(read(encoder.push({ type: 'message-start' }))[0], 'response', 'tool_choice');
  };
  assert.equal(echo({ toolChoice: { mode: 'required', names: ['f'] } }), { type: 'function', name: 'f' });
  assert.is(echo({ toolChoice: { mode: 'none' } }), 'none');
  assert.is(echo({}), 'auto');
});

test('tells exact numbers of any number of calls, in their own events and in the whole answer', async () => {
  const inputs = Array.from({ length: 1_500 }, (_, block) => `{"id":1${String(block).padStart(20, '0')}}`);
  const events = inputs.flatMap((text, block): ChatEvent[] => [
    { type: 'tool-call-start', choice: 0, block, kind: 'tool-search', callId: `c${block}`, name: 'tool_search' },
    { type: 'tool-call-delta', choice: 0, block, text },
    { type: 'tool-call-end', choice: 0, block },
  ]);
  // A tenth of a second; with all inputs looked for in each event they took seven.
  await assertQuick(1_200, () => {
    const finish = { type: 'finish', choice: 0, finish: { reason: 'tool-calls' } } as const;
    const wire = encodeAll(openaiResponses, anyRequest, [...events, finish]);
    const done = wire.filter(({ event }) => event === 'response.output_item.done');
    assert.is(done.length, inputs.length);
    for (const [at, { data }] of done.entries()) assert.ok(data.includes(inputs[at] ?? '-'), data);
    const whole = wire.at(-1)?.data ?? '';
    assert.ok(inputs.every((input) => whole.includes(input)));
  });
});

test.run();

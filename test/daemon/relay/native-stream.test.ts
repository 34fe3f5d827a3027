import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asObject } from '../../../daemon/relay/formats/fields.ts';
import { completionsProfile } from '../../../daemon/relay/native-profile-chat.ts';
import { messagesProfile } from '../../../daemon/relay/native-profile-messages.ts';
import { responsesProfile } from '../../../daemon/relay/native-profile-responses.ts';
import { base, broke, chunk, done, eventsOf, open, put, run, stop, text } from '../../support/native-chat-streams.ts';
import { isRefusal } from '../../support/refusal-code.ts';

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const usageChunk = put({ ...base, choices: [], usage });

const chat = suite('NativeStream of chat');

chat('gives complete events at once and holds back nothing else', () => {
  const stream = open();
  assert.is(stream.push(Buffer.from('data: {"cho')), undefined);
  assert.is(stream.push(Buffer.from('ices":[]}\n\ndata: {"a'))?.toString(), 'data: {"choices":[]}\n\n');
  assert.is(stream.push(Buffer.from('":1}\n\n'))?.toString(), 'data: {"a":1}\n\n');
});

chat('hides the usage chunk from a client that did not ask, wherever it rides', () => {
  const plain = text('a') + stop;
  assert.is(run([plain + usageChunk + done]).out, plain + done);
  const riding = run([text('a') + chunk({}, 'stop', { usage, service_tier: 'x' }) + done]);
  assert.is(riding.out, text('a') + chunk({}, 'stop', { service_tier: 'x' }) + done);
  const inside = put({ ...base, choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] });
  assert.is(run([text('a') + inside + done]).out, text('a') + stop + done);
  for (const { stream } of [riding, run([text('a') + inside + done])]) assert.is(stream.usage()?.completion, 2);
});

chat('hides usage that comes with every chunk, and the last one counts', () => {
  const running = (content: string, completion_tokens: number) =>
    chunk({ content }, null, { usage: { prompt_tokens: 3, completion_tokens, total_tokens: 3 + completion_tokens } });
  const { stream, out } = run([running('a', 1) + running('b', 2), running('c', 3) + stop + done]);
  assert.is(out, text('a') + text('b') + text('c') + stop + done);
  assert.equal([stream.usage()?.prompt, stream.usage()?.completion], [3, 3]);
});

chat('keeps the last value above zero of every field', () => {
  const first = put({ ...base, choices: [], usage: { ...usage, prompt_tokens_details: { cached_tokens: 2 } } });
  const last = put({ ...base, choices: [], usage: { prompt_tokens: 0, completion_tokens: 8, total_tokens: 8 } });
  const { stream } = run([text('a') + first + last + done]);
  assert.equal([stream.usage()?.prompt, stream.usage()?.cached, stream.usage()?.completion], [3, 2, 8]);
});

chat('does not take words of an answer for usage or for an error', () => {
  const tricky =
    text('{"usage":{"prompt_tokens":99,"total_tokens":99}} "error": {"message":"x"}') + text('error": "x"');
  const { stream, out } = run([tricky + stop + done]);
  assert.is(out, tricky + stop + done);
  assert.is(stream.usage(), undefined);
  assert.is(stream.error, undefined);
});

chat('shows one usage chunk to a client that asked, estimated if the upstream sent none', () => {
  const shown = run([text('a') + stop + usageChunk + done], { hideUsage: false });
  assert.is(shown.out, text('a') + stop + usageChunk + done);
  const { stream, out } = run([text('one two three') + stop + done], { hideUsage: false });
  const estimated = eventsOf(out).at(-1);
  assert.equal(estimated?.choices, []);
  assert.equal(asObject(estimated?.usage)?.prompt_tokens, 9);
  assert.equal(asObject(estimated?.usage)?.completion_tokens, stream.counted().completion);
  assert.is(estimated?.id, 'chatcmpl-1');
  assert.ok(out.endsWith(done) && out.split('[DONE]').length === 2);
  assert.is(stream.usage(), undefined);
});

chat('adds a missing end mark after a finished answer', () => {
  const { stream, out } = run([text('a') + stop]);
  assert.is(out, text('a') + stop + done);
  assert.ok(stream.isComplete);
  const spaced = 'data: {"choices": [{"index": 0, "delta": {}, "finish_reason" :  "stop"}]}\n\n';
  assert.ok(run([text('a') + spaced]).stream.isComplete);
});

chat('does not call an answer complete that never finished', () => {
  const { stream, out } = run([text('a') + text('b')]);
  assert.not(stream.isComplete);
  assert.is(out, text('a') + text('b'));
  assert.ok(run([text('a') + done]).stream.isComplete);
});

chat('sends the end mark once, whatever follows it', () => {
  assert.is(run([text('a') + stop + done + done]).out, text('a') + stop + done);
  assert.is(run([text('a') + stop + done, done, text('late')]).out, text('a') + stop + done);
});

chat('drops comments and keeps named events', () => {
  const named = 'event: delta\nid: 4\ndata: {"choices":[]}\n\n';
  const { out } = run([`: PROCESSING\n\n${named}: keep-alive\n\n`, `: more\n\n${stop}`]);
  assert.is(out, named + stop + done);
  assert.is(run(['data: {"choices":[]}\n: inside\n\n']).out, 'data: {"choices":[]}\n\n');
});

chat('stops before an error of the upstream and keeps it to itself', () => {
  for (const error of [
    put({ error: { message: 'canary', code: 500 } }),
    put({ error: 'canary' }),
    `event: error\n${put({ error: { message: 'canary' } })}`,
    put({ object: 'error', message: 'canary' }),
    chunk({}, 'error', { error: { message: 'canary' } }),
    'data: {"error" : {"message" : "canary"}}\n\n',
  ]) {
    const { stream, out } = run([text('a') + error + usageChunk + done, text('late')]);
    assert.is(out, text('a'));
    assert.match(JSON.stringify(stream.error), 'canary');
    assert.not(stream.isComplete);
  }
});

chat('sees an error where the first event should be', () => {
  for (const error of [put({ code: 20_012, message: 'Model does not exist', data: null }), put({ detail: 'no' })]) {
    const { stream, out } = run([error]);
    assert.is(out, '');
    assert.ok(stream.error);
    assert.not(stream.hasOutput);
  }
});

chat('refuses a stream that opens in another dialect', () => {
  const openings = [put({ type: 'response.created', response: {} }), put({ type: 'message_start', message: {} })];
  const unreadable = isRefusal('bad_response_body');
  for (const opening of openings) assert.throws(() => open().push(Buffer.from(opening)), unreadable);
  for (const profile of [responsesProfile, messagesProfile])
    assert.throws(() => open({ profile }).push(Buffer.from(text('a'))), unreadable);
});

chat('knows when output has come, and when it is blank', () => {
  const role = chunk({ role: 'assistant', content: '' });
  const stream = open();
  stream.push(Buffer.from(role));
  assert.not(stream.hasOutput);
  stream.push(Buffer.from(text(' \n')));
  assert.ok(stream.hasOutput);
  assert.ok(stream.isBlank());
  stream.push(Buffer.from(text('x')));
  assert.not(stream.isBlank());
  const call = { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '' } }] };
  for (const delta of [
    { reasoning_content: 'r' },
    { reasoning: 'r' },
    { refusal: 'r' },
    call,
    { audio: { data: '' } },
  ]) {
    const { stream: one } = run([chunk(delta) + stop + done]);
    assert.ok(one.hasOutput && !one.isBlank(), JSON.stringify(delta));
  }
  assert.not(run([text(' ') + chunk({}, 'length') + done]).stream.isBlank());
});

chat('writes the client’s model name over the upstream’s', () => {
  const { out } = run([text('a'), stop + done], { renameModel: true });
  assert.is(out, (text('a') + stop + done).replaceAll('upstream-model', 'client-model'));
  const same = { renameModel: true, model: 'upstream-model' };
  assert.is(run([text('a') + stop + done], same).out, text('a') + stop + done);
  const late = put({ ...base, model: '', choices: [], prompt_filter_results: [] });
  const renamed = run([late, text('a') + stop + done], { renameModel: true, model: 'ünï "quoted"' }).out;
  assert.equal(
    eventsOf(renamed).map((event) => event.model),
    ['', 'ünï "quoted"', 'ünï "quoted"'],
  );
  const picture = text('é'.repeat(1024 * 1024));
  const beside = run([text('a'), picture + stop + done], { renameModel: true, model: 'ünï' }).out;
  assert.ok(beside === (text('a') + picture + stop + done).replaceAll('upstream-model', 'ünï'));
});

chat('ends a broken stream with an error and no end mark', () => {
  const stream = open();
  stream.push(Buffer.from(text('a')));
  const last = stream.fail(broke).toString();
  assert.is(last, put({ error: { message: 'broke', type: 'upstream_error', param: null, code: 'upstream_eof' } }));
  const asked = open({ hideUsage: false });
  asked.push(Buffer.from(text('some words')));
  const events = eventsOf(asked.fail(broke));
  assert.is(asObject(events[0]?.usage)?.prompt_tokens, 9);
  assert.ok(events[1]?.error);
});

chat('counts output of any length in a fixed amount of memory, and counts tool calls', () => {
  const stream = open();
  for (let index = 0; index < 2000; index += 1) stream.push(Buffer.from(text('word ').repeat(5)));
  const expected = Math.ceil(10_000 * (1.02 + 0.42));
  assert.ok(Math.abs(stream.counted().completion - expected) <= 1);
  assert.is(stream.counted().completion, stream.counted().completion);
  const call = chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }] });
  assert.is(run([call + stop]).stream.counted().completion, Math.ceil(1.02 + 2 * 0.4) + 7);
});

chat('finds usage and end of a stream that was long ago forgotten', () => {
  const long = Array.from({ length: 1000 }, (_, index) => text(`word ${index} and some more of it`));
  const { stream, out } = run([...long, stop + usageChunk + done]);
  assert.is(out, `${long.join('')}${stop}${done}`);
  assert.is(stream.usage()?.completion, 2);
  assert.ok(run([...long, stop]).stream.isComplete);
});

chat('passes a line of 40 MiB and refuses one above 64 MiB', () => {
  const stream = open();
  const piece = Buffer.alloc(1024 * 1024, 'a');
  stream.push(Buffer.from('data: {"choices":[{"delta":{"content":"'));
  for (let index = 0; index < 40; index += 1) stream.push(Buffer.from(piece));
  assert.ok((stream.push(Buffer.from('"}}]}\n\n'))?.length ?? 0) > 40 * 1024 * 1024);
  const endless = open();
  assert.throws(() => {
    for (let index = 0; index < 66; index += 1) endless.push(Buffer.from(piece));
  }, isRefusal('bad_response_body'));
});

chat('hides usage that rides on an event of more than a megabyte, and passes the rest of it', () => {
  const large = 'a'.repeat(1_100_000);
  const { stream, out } = run([chunk({ content: large }, null, { usage }) + stop + done]);
  assert.ok(out === text(large) + stop + done, `${out.slice(0, 200)} … ${out.slice(-400)}`);
  assert.is(stream.usage()?.completion, 2);
});

chat.run();

const completions = suite('NativeStream of completions');

completions('reads text, usage and end', () => {
  const part = (words: string, finish: string | null) =>
    put({
      id: 'cmpl-1',
      object: 'text_completion',
      created: 1,
      model: 'm',
      choices: [{ text: words, finish_reason: finish }],
    });
  const { stream, out } = run([part('a', null) + part('', 'stop') + usageChunk], { profile: completionsProfile });
  assert.is(out, part('a', null) + part('', 'stop') + done);
  assert.ok(stream.hasOutput && stream.isComplete);
  assert.is(stream.usage()?.prompt, 3);
  const estimated = run([part('a', 'stop')], { profile: completionsProfile, hideUsage: false }).out;
  assert.is(eventsOf(estimated).at(-1)?.object, 'text_completion');
});

completions.run();

const responses = suite('NativeStream of Responses');

let sequence = 0;
const event = (type: string, fields: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`;
const response = {
  id: 'resp_1',
  object: 'response',
  status: 'in_progress',
  model: 'up',
  error: null,
  output: [],
  usage: null,
};

function opening(): string {
  sequence = 0;
  return (
    event('response.created', { response: { ...response, max_output_tokens: 9 } }) +
    event('response.in_progress', { response }) +
    event('response.output_item.added', {
      output_index: 0,
      item: { type: 'message', id: 'msg_1', status: 'in_progress', role: 'assistant', content: [] },
    }) +
    event('response.content_part.added', { output_index: 0, content_index: 0, part: { type: 'output_text', text: '' } })
  );
}
const delta = (words: string) =>
  event('response.output_text.delta', { output_index: 0, content_index: 0, delta: words });

responses('passes a complete stream untouched and reads its usage', () => {
  const whole =
    opening() +
    delta('hi') +
    event('response.completed', {
      response: { ...response, status: 'completed', usage: { input_tokens: 4, output_tokens: 2, total_tokens: 6 } },
    });
  for (const hideUsage of [true, false]) {
    const { stream, out } = run([whole], { profile: responsesProfile, hideUsage });
    assert.is(out, whole);
    assert.ok(stream.isComplete && stream.hasOutput);
    assert.equal([stream.usage()?.prompt, stream.usage()?.completion], [4, 2]);
    assert.is(stream.stored?.id, 'resp_1');
  }
  assert.is(run([whole + done], { profile: responsesProfile }).out, whole);
});

responses('names the items that have begun, however long the answer and wherever its bytes are split', () => {
  const added = (at: number) =>
    event('response.output_item.added', { output_index: at, item: { id: `rs_${at}`, type: 'reasoning', summary: [] } });
  const words = delta('x'.repeat(20_000)).repeat(4);
  const whole = opening() + added(0) + words + added(1) + words + added(2) + delta('end');
  const expected = ['msg_1', 'rs_0', 'rs_1', 'rs_2'];
  const bytes = Buffer.from(whole);
  for (const size of [bytes.length, 4096, 97]) {
    const stream = open({ profile: responsesProfile });
    for (let at = 0; at < bytes.length; at += size) stream.push(Buffer.from(bytes.subarray(at, at + size)));
    assert.equal(stream.stored?.itemIds(), expected, `${size} bytes at a time`);
    stream.counted().completion;
    assert.equal(stream.stored?.itemIds(), expected, 'after everything was read');
  }
});

responses('has no output before the first delta', () => {
  const stream = open({ profile: responsesProfile });
  stream.push(Buffer.from(opening()));
  assert.not(stream.hasOutput);
  stream.push(Buffer.from(delta('x')));
  assert.ok(stream.hasOutput);
});

responses('ends a broken stream with response.failed and the output so far', () => {
  const stream = open({ profile: responsesProfile });
  stream.push(Buffer.from(opening() + delta('half ') + delta('an answer')));
  assert.not(stream.end());
  assert.not(stream.isComplete);
  const [failed] = eventsOf(stream.fail(broke));
  assert.is(failed?.type, 'response.failed');
  assert.is(failed?.sequence_number, 6);
  const end = asObject(failed?.response);
  assert.equal([end?.id, end?.status, end?.model], ['resp_1', 'failed', 'up']);
  assert.equal(end?.error, { code: 'upstream_eof', message: 'broke' });
  assert.equal(end?.output, [
    {
      type: 'message',
      id: 'msg_1',
      status: 'incomplete',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'half an answer' }],
    },
  ]);
});

responses('opens a stream before it ends one that never began', () => {
  const events = eventsOf(open({ profile: responsesProfile }).fail(broke));
  assert.equal(
    events.map(({ type, sequence_number }) => [type, sequence_number]),
    [
      ['response.created', 0],
      ['response.failed', 1],
    ],
  );
});

responses('shows an upstream’s failure only in the gateway’s words', () => {
  for (const error of [
    event('error', { code: 'x', message: 'canary' }),
    event('response.failed', { response: { ...response, status: 'failed', error: { code: 'x', message: 'canary' } } }),
  ]) {
    const { stream, out } = run([opening() + delta('a') + error], { profile: responsesProfile });
    assert.not.match(out, 'canary');
    assert.match(JSON.stringify(stream.error), 'canary');
    assert.match(stream.fail(broke).toString(), 'broke');
  }
});

responses('counts a cut answer as complete but not as blank', () => {
  const cut = event('response.incomplete', { response: { ...response, status: 'incomplete' } });
  const { stream } = run([opening() + cut], { profile: responsesProfile });
  assert.ok(stream.isComplete);
  assert.not(stream.isBlank());
});

responses.run();

const messages = suite('NativeStream of Messages');

messages('adds the last event after a finished answer that came without, and no other', () => {
  const told = (event: { type: string }) => `event: ${event.type}\n${put(event)}`;
  const delta = (words: string) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: words },
  });
  const open = told({ type: 'message_start' });
  const finished = told({ type: 'message_delta', ...{ delta: { stop_reason: 'end_turn' } } });
  const last = told({ type: 'message_stop' });
  const through = (...pieces: readonly string[]) => run(pieces, { profile: messagesProfile }).out;
  for (const words of ['Hi', 'long '.repeat(20_000)]) {
    const whole = open + told(delta(words)) + finished;
    assert.is(through(whole), whole + last);
    assert.is(through(whole, done), whole + last);
    assert.is(through(whole, last), whole + last);
    const spaced = 'event: message_stop\ndata: { "type" : "message_stop" }\n\n';
    assert.is(through(whole + spaced), whole + spaced);
  }
  const cut = open + told(delta('Hi'));
  const { stream, out } = run([cut], { profile: messagesProfile });
  assert.equal([stream.isComplete, out], [false, cut]);
});

messages.run();

/** What vendors' own chat formats are asked and answer that no recording shows. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatEvent } from '../../../../daemon/relay/canonical/chat.ts';
import type { FormatId, Scope, UpstreamFormat } from '../../../../daemon/relay/format.ts';
import { asObjects } from '../../../../daemon/relay/formats/fields.ts';
import { chatFormatOf, upstreamFormatOf } from '../../../../daemon/relay/formats/index.ts';
import { isObject, type JsonObject } from '../../../../daemon/relay/json.ts';
import { testScope } from '../../../conformance/scope.ts';

const test = suite('cases of vendors');

function formatOf(id: FormatId): UpstreamFormat {
  const format = upstreamFormatOf(id);
  assert.ok(format);
  return format;
}

/** Text and thoughts in the events. */
function said(events: readonly ChatEvent[], type: 'text-delta' | 'reasoning-delta' = 'text-delta'): string {
  return events.map((event) => (event.type === type ? event.text : '')).join('');
}

/** What each payload of a stream is decoded into. */
function decoded(id: FormatId, payloads: readonly JsonObject[]): ChatEvent[][] {
  const decoder = formatOf(id).decodeStream(testScope());
  return payloads.map((payload) => decoder.push({ data: JSON.stringify(payload) }));
}

/** A chat in the vendor's words, and what it has none for. */
function encoded(id: FormatId, body: JsonObject, traits: Scope['traits'] = {}) {
  const request = chatFormatOf('openai-chat')?.decodeRequest({ model: 'm', ...body });
  assert.ok(request);
  const scope = testScope(traits);
  const wire = formatOf(id).encodeRequest(request, scope);
  assert.ok(isObject(wire));
  return { wire, lost: scope.lost };
}

const message = (answer: string): JsonObject => ({ event: 'message', message_id: 'm', answer });
const ended: JsonObject = { event: 'message_end', message_id: 'm' };

test('a workflow of Dify gets the last question, with the instructions beside it', () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: 'Where?' },
    { role: 'user', content: 'Paris.' },
  ];
  const asked = (body: JsonObject, lastQuestionOnly: boolean) => {
    const { wire, lost } = encoded('dify-chat', body, { lastQuestionOnly });
    return [wire.query, wire.inputs, lost];
  };
  assert.equal(asked({ messages }, true), ['Paris.', { system: 'Be brief.' }, ['messages[..2]']]);
  const own = { messages: messages.slice(0, 2), inputs: { system: 'Mine.', city: 'Rome' } };
  assert.equal(asked(own, true), ['Weather?', { system: 'Mine.', city: 'Rome' }, []]);
  const whole = 'SYSTEM: \nBe brief.\nUSER: \nWeather?\n';
  assert.equal(asked({ messages: messages.slice(0, 2) }, false), [whole, {}, []]);
});

test('Dify is told what kind of file each is, office documents included', () => {
  const kindOf = (mediaType: string) => {
    const file = { filename: 'a', file_data: `data:${mediaType};base64,AAAA` };
    const { wire } = encoded('dify-chat', { messages: [{ role: 'user', content: [{ type: 'file', file }] }] });
    return asObjects(wire.files)[0]?.type;
  };
  for (const mediaType of [
    'application/pdf',
    'text/csv',
    'application/msword',
    'application/vnd.ms-excel',
    'application/vnd.ms-outlook',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    'application/epub+zip',
    'message/rfc822',
  ]) {
    assert.is(kindOf(mediaType), 'document', mediaType);
  }
  assert.equal(['video/mp4', 'audio/wav', 'application/zip'].map(kindOf), ['video', 'audio', 'custom']);
});

test('Dify’s pieces are told when they come', () => {
  const pieces = decoded('dify-chat', [message('po'), message('ng'), ended]);
  assert.equal(
    pieces.map((events) => said(events)),
    ['po', 'ng', ''],
  );
});

test('Dify’s unfolded thoughts are told apart from the answer', () => {
  const heading =
    '<details style="color:gray;background-color: #f8f8f8;padding: 8px;border-radius: 4px;" open> <summary> Thinking... </summary>';
  const pieces = decoded('dify-chat', [
    message(heading.slice(0, 40)),
    message(`${heading.slice(40)}\nwh`),
    message('y</det'),
    message('ails>\npong'),
    ended,
  ]);
  assert.equal([said(pieces.flat(), 'reasoning-delta'), said(pieces.flat())], ['why', 'pong']);
  const others = decoded('dify-chat', [message('<details><summary>More</summary>x</details>'), ended]);
  assert.is(said(others.flat()), '<details><summary>More</summary>x</details>');
});

test('what an agent on Dify tells twice is told once', () => {
  const spoken = (answer: string): JsonObject => ({ event: 'agent_message', message_id: 'm', answer });
  const thought = (id: string, words: string, tool = ''): JsonObject => ({
    event: 'agent_thought',
    message_id: 'm',
    id,
    thought: words,
    tool,
  });
  const pieces = decoded('dify-chat', [
    thought('1', ''),
    thought('1', 'Look it up'),
    thought('1', 'Look it up', 'search'),
    thought('1', 'Look it up first', 'search'),
    spoken('It is '),
    spoken('42.'),
    thought('2', 'It is 42.'),
    message('It is 42.'),
    ended,
  ]);
  assert.equal([said(pieces.flat(), 'reasoning-delta'), said(pieces.flat())], ['Look it up first', 'It is 42.']);
});

test('what a filter of Dify puts in the place of an answer ends it', () => {
  const finishes = (payloads: readonly JsonObject[]) => {
    const events = decoded('dify-chat', payloads).flat();
    const ends = events.flatMap((event) => (event.type === 'finish' ? [event.finish.reason] : []));
    return [said(events), ends];
  };
  const replaced: JsonObject = { event: 'message_replace', message_id: 'm', answer: 'No.' };
  assert.equal(finishes([message('ba'), replaced, message('d'), ended]), ['baNo.', ['content-filter']]);
  const run = { event: 'workflow_finished', workflow_run_id: 'w' };
  assert.equal(
    finishes([
      { event: 'text_chunk', workflow_run_id: 'w', data: { text: 'ba' } },
      { event: 'text_replace', workflow_run_id: 'w', data: { text: 'No.' } },
      { ...run, data: { status: 'succeeded', outputs: { text: 'No.' } } },
    ]),
    ['baNo.', ['content-filter']],
  );
});

test('what only clients of a vendor say to it goes on', () => {
  const messages = [{ role: 'user', content: 'hi' }];
  const variables = {
    custom_variables: { city: 'Rome' },
    parameters: { n: 1 },
    meta_data: { a: 'b' },
    extra_params: {},
  };
  const coze = encoded('coze-chat', { messages, ...variables });
  const { custom_variables, parameters, meta_data, extra_params } = coze.wire;
  assert.equal({ custom_variables, parameters, meta_data, extra_params }, variables);
  const wishes = { truncate: false, shift: false, keep_alive: -1 };
  const ollama = encoded('ollama-chat', { messages, ...wishes });
  const { truncate, shift, keep_alive } = ollama.wire;
  assert.equal({ truncate, shift, keep_alive }, wishes);
  assert.equal([coze.lost, ollama.lost], [[], []]);
});

test('Ollama’s usage counts where its prompt was read', () => {
  const answer = { model: 'm', message: { role: 'assistant', content: 'pong' }, done: true, eval_count: 5 };
  const usageOf = (counts: JsonObject) => formatOf('ollama-chat').readUsage({ ...answer, ...counts });
  assert.equal([usageOf({ prompt_eval_count: 26 })?.prompt, usageOf({ prompt_eval_count: 26 })?.completion], [26, 5]);
  // A prompt that was in memory counts as nothing: whoever settles the bill counts it, and nothing else, here.
  for (const counts of [{ prompt_eval_count: 0 }, {}]) {
    assert.equal([usageOf(counts)?.prompt, usageOf(counts)?.completion], [0, 5]);
  }
  assert.is(formatOf('ollama-chat').readUsage({ model: 'm', done: true, done_reason: 'load' }), undefined);
});

test.run();

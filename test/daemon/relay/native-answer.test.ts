import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FormatId } from '../../../daemon/relay/format.ts';
import { isNativeAnswer, type NativeAnswer, readNativeAnswer } from '../../../daemon/relay/native-answer.ts';
import { readResponse, recordedCases } from '../../conformance/cases.ts';
import { assertQuick } from '../../support/processor-time.ts';

const read = (format: FormatId, body: unknown, renameModel = false) =>
  readNativeAnswer(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), {
    format,
    model: 'client-model',
    renameModel,
    promptTokens: () => 7,
  });

function answer(format: FormatId, body: unknown, renameModel = false): NativeAnswer {
  const found = read(format, body, renameModel);
  if (!isNativeAnswer(found)) throw new Error(found.kind);
  return found;
}

const chat = (message: object, rest: object = {}) => ({
  id: 'c',
  model: 'upstream',
  choices: [{ index: 0, message, finish_reason: 'stop' }],
  ...rest,
});

const test = suite('readNativeAnswer');

test('passes the bytes as they came', () => {
  const text = '{ "id":"x", "big":12345678901234567890, "choices":[{"message":{"content":"hi"}}] }';
  assert.is(answer('openai-chat', text).body().toString(), text);
});

test('counts the images of a Gemini that reports no usage', () => {
  const part = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
  const body = { candidates: [{ content: { parts: [part, part] }, finishReason: 'STOP' }] };
  const found = readNativeAnswer(Buffer.from(JSON.stringify(body)), {
    format: 'gemini-generate',
    model: 'gemini-2.5-flash-image',
    renameModel: false,
    promptTokens: () => 7,
  });
  assert.ok(isNativeAnswer(found));
  assert.is(found.counted().completion, 2 * 1290);
});

test('reads many sounds of one answer in the time that reading them takes', async () => {
  const sounds = 20_000;
  const spoken = { message: { audio: { data: 'AAAA' } }, finish_reason: 'stop' };
  const part = { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } };
  // A fifth of a second; where each part copied the list of those before it was half a minute.
  await assertQuick(4000, () => {
    answer('openai-chat', { choices: Array(sounds).fill(spoken) });
    answer('gemini-generate', { candidates: [{ content: { parts: Array(sounds).fill(part) }, finishReason: 'STOP' }] });
  });
});

test('writes the client’s model name over the upstream’s, and nothing else', () => {
  const text = '{"choices":[{"message":{"content":"model"}}],"model":"up","n":1.0}';
  assert.is(answer('openai-chat', text, true).body().toString(), text.replace('"up"', '"client-model"'));
  const nameless = '{"choices":[{"message":{"content":"a"}}]}';
  assert.is(answer('openai-chat', nameless, true).body().toString(), nameless);
});

test('writes the meant words of ends over those of all choices, however many, and over nothing that is no choice', () => {
  const options = { format: 'openai-chat', model: 'm', renameModel: false, promptTokens: () => 7 } as const;
  const reworded = (text: string) => {
    const found = readNativeAnswer(Buffer.from(text), { ...options, endWords: { eos: 'stop' } });
    assert.ok(isNativeAnswer(found));
    return found.body().toString();
  };
  const choice = '{"message":{"content":"a"},"finish_reason":"eos"}';
  const many = `{"choices":[${Array(130_000).fill(choice).join()}]}`;
  assert.is(reworded(many), many.replaceAll('eos', 'stop'));
  const odd = `{"choices":[null,${choice}]}`;
  assert.is(reworded(odd), odd.replace('eos', 'stop'));
});

test('writes the client’s model name into an answer with half a character in it, too', () => {
  const text = '{"model":"up","choices":[{"message":{"content":"cut ? off"}}],"n":1.0}';
  const bytes = Buffer.from(text);
  bytes[bytes.indexOf('?')] = 0xe4;
  const options = { format: 'openai-chat', model: 'client-model', renameModel: true, promptTokens: () => 7 } as const;
  const found = readNativeAnswer(bytes, options);
  assert.ok(isNativeAnswer(found));
  assert.is(found.body().toString(), text.replace('up', 'client-model').replace('?', '\ufffd'));
});

test('names the model of embeddings that do not name it themselves, as those of Baidu', () => {
  const told = { object: 'embedding_list', data: [{ embedding: [1] }], usage: { prompt_tokens: 3, total_tokens: 3 } };
  assert.equal(JSON.parse(answer('openai-embeddings', told).body().toString()), { ...told, model: 'client-model' });
});

test('finds errors inside a success', () => {
  for (const body of [
    { error: { message: 'x' } },
    { error: 'x' },
    { code: 1, message: 'x', data: null },
    { detail: 'x' },
  ]) {
    for (const format of [
      'openai-chat',
      'openai-embeddings',
      'openai-moderations',
      'openai-responses',
      'openai-responses-compact',
    ] as const) {
      const found = read(format, body);
      assert.is('kind' in found && found.kind, 'error', `${format} ${JSON.stringify(body)}`);
    }
  }
  const failed = { object: 'response', status: 'failed', error: { code: 'x', message: 'y' } };
  const found = read('openai-responses', failed);
  assert.is('kind' in found && found.kind, 'error');
});

test('finds answers that say nothing, and bytes that mean nothing', () => {
  const kind = (format: FormatId, body: unknown) => {
    const found = read(format, body);
    return 'kind' in found ? found.kind : 'answer';
  };
  assert.is(kind('openai-chat', chat({ role: 'assistant', content: '' })), 'empty');
  assert.is(kind('openai-chat', {}), 'empty');
  assert.is(
    kind('openai-chat', chat({ content: '' }, { usage: { prompt_tokens: 1, completion_tokens: 0 } })),
    'answer',
  );
  assert.is(kind('openai-embeddings', { object: 'list' }), 'empty');
  assert.is(kind('openai-responses', { object: 'response', status: 'completed', output: [] }), 'empty');
  for (const body of ['', '<html>', '[]', '{"choices":', '"text"'])
    assert.is(kind('openai-chat', body), 'unreadable', body);
});

test('takes an answer of another dialect for none, and keeps what it has used', () => {
  const usage = { prompt_tokens: 3, completion_tokens: 2, input_tokens: 3, output_tokens: 2 };
  const spoken = {
    chat: chat({ content: 'hi' }, { usage }),
    responses: { object: 'response', output: [{ type: 'message', content: [{ text: 'hi' }] }], usage },
    messages: { type: 'message', content: [{ type: 'text', text: 'hi' }], usage },
  };
  for (const [format, body] of [
    ['openai-chat', spoken.responses],
    ['openai-chat', spoken.messages],
    ['openai-completions', spoken.responses],
    ['openai-responses', spoken.chat],
    ['openai-responses', spoken.messages],
    ['anthropic-messages', spoken.responses],
    ['anthropic-messages', spoken.chat],
    ['openai-embeddings', spoken.chat],
  ] as const) {
    const found = read(format, body);
    if (!('kind' in found) || found.kind !== 'unreadable') throw new Error(format);
    assert.is(found.usage?.prompt, 3);
  }
});

test('takes an answer that says nothing where words should be for none, and one with an empty list for an answer', () => {
  const usage = { prompt_tokens: 3, completion_tokens: 2, input_tokens: 3, output_tokens: 2 };
  const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 };
  for (const [format, member] of [
    ['openai-chat', 'choices'],
    ['openai-completions', 'choices'],
    ['openai-responses', 'output'],
    ['anthropic-messages', 'content'],
    ['gemini-generate', 'candidates'],
  ] as const) {
    for (const said of ['hi', { 0: {} }, [null], 7]) {
      const found = read(format, { [member]: said, usage, usageMetadata });
      if (!('kind' in found) || found.kind !== 'unreadable') throw new Error(`${format} ${JSON.stringify(said)}`);
      assert.is(found.usage?.prompt, 3);
    }
    assert.not.ok('kind' in read(format, { [member]: [], usage, usageMetadata }), format);
  }
  assert.not.ok('kind' in read('gemini-generate', { usageMetadata }));
});

test('knows blank answers', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1 };
  assert.ok(answer('openai-chat', chat({ content: ' \n' }, { usage })).isBlank());
  assert.not(answer('openai-chat', chat({ content: ' ', reasoning_content: 'r' })).isBlank());
  assert.not(answer('openai-chat', chat({ content: null, tool_calls: [{ function: { name: 'f' } }] })).isBlank());
  assert.not(answer('openai-chat', { choices: [{ message: { content: ' ' }, finish_reason: 'length' }] }).isBlank());
});

test('does not read vectors', () => {
  const data = Array.from({ length: 500 }, (_, index) => ({
    index,
    embedding: Array.from({ length: 100 }, () => 0.5),
  }));
  const found = answer('openai-embeddings', { object: 'list', data, model: 'up', usage: { prompt_tokens: 7 } }, true);
  assert.is(found.usage()?.prompt, 7);
  assert.equal(found.json.data, [{}]);
  assert.is(JSON.parse(found.body().toString()).model, 'client-model');
});

test('knows where a response is kept', () => {
  const body = {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    output: [
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'a' }] },
      { type: 'function_call', call_id: 'c' },
    ],
  };
  const { stored } = answer('openai-responses', body);
  assert.equal([stored?.id, stored?.isKept, stored?.itemIds()], ['resp_1', undefined, ['rs_1', 'msg_1']]);
  for (const store of [true, false]) {
    assert.is(answer('openai-responses', { ...body, store }).stored?.isKept, store);
  }
  assert.ok(answer('openai-responses', { id: 'resp_2', object: 'response', status: 'queued', output: [] }).hasOutput);
  assert.is(answer('openai-chat', chat({ content: 'a' })).stored, undefined);
});

test('takes every recorded answer for one, and every recorded error inside a 200 for none', () => {
  let answers = 0;
  for (const one of recordedCases()) {
    const body = readResponse(one);
    const format = (
      [
        'openai-chat',
        'openai-completions',
        'openai-embeddings',
        'openai-moderations',
        'openai-responses',
        'openai-responses-compact',
      ] as const
    ).find((name) => name === one.format);
    if (format === undefined || body === undefined || one.status >= 400) continue;
    const found = read(format, body);
    answers += 1;
    assert.is(
      'kind' in found ? found.kind : 'answer',
      one.shows.includes('error_in_body') ? 'error' : 'answer',
      one.name,
    );
  }
  assert.ok(answers > 150);
});

test.run();

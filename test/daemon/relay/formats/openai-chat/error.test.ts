import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openaiChat } from '../../../../../daemon/relay/formats/openai-chat/index.ts';
import type { JsonObject } from '../../../../../daemon/relay/json.ts';
import { isChatError } from '../../../../../daemon/relay/native-profile-chat.ts';
import { testScope } from '../../../../conformance/scope.ts';

const test = suite('errors where an answer was due');

/** Vendor, body, and what it says. */
const errors: readonly (readonly [string, JsonObject, string])[] = [
  ['OpenAI', { error: { message: 'wrong', type: 't' } }, 'wrong'],
  ['Xinference', { error: 'wrong' }, 'wrong'],
  ['FastGPT', { code: 403, statusText: 'unAuthApiKey', message: 'wrong', data: null }, 'wrong'],
  ['SiliconFlow', { code: 20_012, message: 'wrong', data: null }, 'wrong'],
  ['Cerebras', { message: 'wrong', type: 't', param: '', code: 'c' }, 'wrong'],
  ['Mistral', { object: 'error', message: 'wrong', code: '1500' }, 'wrong'],
  ['FastAPI', { detail: 'wrong' }, 'wrong'],
  ['Groq', { choices: [], x_groq: { error: 'wrong' } }, 'wrong'],
  ['MiniMax', { choices: null, base_resp: { status_code: 2013, status_msg: 'wrong' } }, 'wrong'],
  [
    'a filter of MiniMax',
    { choices: null, output_sensitive: true, base_resp: { status_code: 0, status_msg: '' } },
    'the content was filtered',
  ],
];

for (const [vendor, body, message] of errors) {
  test(`${vendor} is understood, whole, streamed and untranslated`, () => {
    assert.is(openaiChat.decodeResponse(body, testScope()).error?.message, message);
    const [event] = openaiChat.decodeStream(testScope()).push({ data: JSON.stringify(body) });
    assert.ok(event?.type === 'error');
    assert.is(event.error.message, message);
    assert.ok(isChatError(body));
  });
}

test('an answer is no error, whatever stands beside it', () => {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'pong' }, finish_reason: 'stop' }];
  for (const beside of [
    { message: 'm' },
    { detail: 'd', data: null },
    { output_sensitive: true },
    { x_groq: { id: 'r' } },
  ]) {
    const body: JsonObject = { choices, ...beside };
    assert.is(openaiChat.decodeResponse(body, testScope()).error, undefined);
    assert.not(isChatError(body));
  }
  assert.not(isChatError({ message: 'm', usage: { prompt_tokens: 1 } }));
  assert.not(isChatError({ message: 'm', data: [{ embedding: [1] }] }));
});

test.run();

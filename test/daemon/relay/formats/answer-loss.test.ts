import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatEvent, Dialect } from '../../../../daemon/relay/canonical/chat.ts';
import { emptyUsage } from '../../../../daemon/relay/canonical/usage.ts';
import type { ChatFormat } from '../../../../daemon/relay/format.ts';
import { AnswerLosses } from '../../../../daemon/relay/formats/answer-loss.ts';
import { geminiGenerate } from '../../../../daemon/relay/formats/gemini-generate/index.ts';
import { openaiChat } from '../../../../daemon/relay/formats/openai-chat/index.ts';
import type { JsonObject } from '../../../../daemon/relay/json.ts';
import { testScope } from '../../../conformance/scope.ts';

const test = suite('answer losses');

const at = { choice: 0, block: 0 };
const hosted = (dialect: Dialect, name: string, text?: string): ChatEvent => ({
  type: 'hosted',
  choice: 0,
  item: { type: 'hosted', dialect, name, raw: {}, ...(text === undefined ? {} : { text }) },
});
const written = { ...emptyUsage(), prompt: 9, cacheCreation1h: 4 };

/** What each client's dialect loses of one event, in the order chat, Responses, Messages, Gemini. */
const cases: readonly (readonly [what: string, event: ChatEvent, ...lost: (string | undefined)[]])[] = [
  ['text', { type: 'text-delta', ...at, text: 'Hi' }],
  [
    'a second answer',
    { type: 'finish', choice: 1, finish: { reason: 'stop' } },
    undefined,
    'answer.choices',
    'answer.choices',
    undefined,
  ],
  ['odds', { type: 'logprobs', choice: 0, tokens: [] }, undefined, undefined, 'answer.logprobs', undefined],
  ['sound', { type: 'audio-delta', choice: 0, data: 'UklG' }, undefined, 'answer.audio', 'answer.audio', undefined],
  ['the words of sound', { type: 'audio-delta', choice: 0, transcript: 'Hi' }],
  ['a cited page', { type: 'annotation', choice: 0, annotation: { kind: 'url', url: 'https://a.example/' } }],
  [
    'a citation in one dialect alone',
    {
      type: 'annotation',
      choice: 0,
      annotation: { kind: 'other', raw: { dialect: 'anthropic-messages', value: {} } },
    },
    'answer.annotations',
    'answer.annotations',
    undefined,
    'answer.annotations',
  ],
  [
    'what a tool of the vendor did',
    hosted('anthropic-messages', 'server_tool_use'),
    'answer.server_tool_use',
    'answer.server_tool_use',
    undefined,
    'answer.server_tool_use',
  ],
  ['a code run that is shown as text', hosted('gemini-generate', 'executableCode', 'print()')],
  ['the item of a picture that is carried beside it', hosted('openai-responses', 'image_generation_call')],
  [
    'tokens written to a cache',
    { type: 'usage', usage: written },
    undefined,
    undefined,
    undefined,
    'answer.usage.cache_creation',
  ],
];

const clients: readonly Dialect[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'];

for (const [what, event, ...lost] of cases) {
  test(`are noted of ${what} for those clients that cannot be told`, () => {
    const told = clients.map((client) => {
      const fields: string[] = [];
      new AnswerLosses(client, { lose: (field) => fields.push(field) }).see(event);
      return fields[0];
    });
    assert.equal(
      told,
      clients.map((_, index) => lost[index]),
    );
  });
}

/** Answers with a part that nobody knows beside one that all know: whole, and as one event. */
const strange: readonly (readonly [format: ChatFormat, whole: JsonObject, streamed: JsonObject])[] = [
  [
    openaiChat,
    { choices: [{ message: { content: [{ type: 'text', text: 'Hi' }, { type: 'smell' }] } }] },
    { id: 'c', choices: [{ delta: { content: [{ type: 'text', text: 'Hi' }, { type: 'smell' }] } }] },
  ],
  [
    geminiGenerate,
    { candidates: [{ content: { parts: [{ text: 'Hi' }, { smell: {} }] } }] },
    { candidates: [{ content: { parts: [{ text: 'Hi' }, { smell: {} }] } }] },
  ],
];

for (const [format, whole, streamed] of strange) {
  test(`are noted of parts that nobody knows, whole and streamed: ${format.id}`, () => {
    const scope = testScope();
    new AnswerLosses('anthropic-messages', scope).seeParts(format.decodeResponse(whole, scope));
    format.decodeStream(scope).push({ data: JSON.stringify(streamed) });
    assert.equal(scope.lost, ['answer.smell', 'answer.smell']);
  });
}

test('tells the pictures among the parts of a streamed message', () => {
  const part = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
  const data = JSON.stringify({ id: 'c', choices: [{ delta: { content: [part] } }] });
  const told = openaiChat.decodeStream(testScope()).push({ data });
  assert.ok(told.some((event) => event.type === 'image' && event.data === 'AA=='));
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openingOf } from '../../../daemon/gateway/conversation-opening.ts';
import type { JsonObject } from '../../../daemon/relay/json.ts';

const opening = suite('gateway/conversation-opening');

/** The same conversation as each dialect writes it, so far as `turns` goes. */
const dialects: Readonly<Record<string, (turns: number, system: string) => JsonObject>> = {
  chat: (turns, system) => ({ messages: [{ role: 'system', content: system }, ...talk.slice(0, turns)] }),
  messages: (turns, system) => ({ system, messages: talk.slice(0, turns) }),
  gemini: (turns, system) => ({
    systemInstruction: { parts: [{ text: system }] },
    contents: talk.slice(0, turns).map(({ role, content }) => ({
      role: role === 'assistant' ? 'model' : role,
      parts: [{ text: content }],
    })),
  }),
  responses: (turns, system) => ({ instructions: system, input: talk.slice(0, turns) }),
};
const talk = [
  { role: 'user', content: 'hello' },
  { role: 'assistant', content: 'hi' },
  { role: 'user', content: 'go on' },
  { role: 'assistant', content: 'and on' },
  { role: 'user', content: 'further' },
];

for (const [dialect, write] of Object.entries(dialects)) {
  opening(`knows a conversation of ${dialect} by its system text and its first turn, once it was answered`, () => {
    const early = openingOf({ json: write(3, 'be kind') });
    assert.ok(early);
    assert.equal(openingOf({ json: write(5, 'be kind') }), early);
    assert.is.not(openingOf({ json: write(5, 'be strict') })?.system, early?.system);
    assert.match(early?.firstUser ?? '', 'hello');
    assert.is(openingOf({ json: write(1, 'be kind') }), undefined);
  });
}

opening('takes calls of tools and thoughts among the items of Responses for turns of the model', () => {
  const input = [
    { role: 'user', content: 'weather?' },
    { type: 'function_call', name: 'weather', arguments: '{}', call_id: 'c' },
    { type: 'function_call_output', call_id: 'c', output: 'sun' },
  ];
  assert.ok(openingOf({ json: { input } }));
});

opening('knows long texts by their length and ends, so that a picture costs no more than a word', () => {
  const long = 'a'.repeat(100_000);
  const written = (text: string) => ({ messages: [{ role: 'system', content: text }, ...talk] });
  const known = (text: string) => openingOf({ json: written(text) })?.system ?? '';
  assert.ok(known(long).length < 3000);
  for (const other of [`${long}a`, `b${long.slice(1)}`, `${long.slice(1)}b`]) assert.is.not(known(other), known(long));
});

opening('sees no conversation in texts to embed', () => {
  assert.is(openingOf({ json: { input: ['one', 'two', 'three'] } }), undefined);
});

opening.run();

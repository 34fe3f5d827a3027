import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatItem } from '../../../../daemon/relay/canonical/chat.ts';
import { withResultsAtCalls } from '../../../../daemon/relay/canonical/result-places.ts';

const test = suite('places of tool results');

/** `u` user, `s` system, `a` assistant, `t` thought; a capital letter is a call, a small one in brackets its result. */
function conversation(words: string): ChatItem[] {
  return words.split(' ').map((word): ChatItem => {
    const parts = [{ type: 'text' as const, text: word }];
    if (word.startsWith('('))
      return { type: 'tool-result', kind: 'function', callId: word[1]?.toUpperCase() ?? '', parts };
    if (word.startsWith('u')) return { type: 'user', parts };
    if (word.startsWith('s')) return { type: 'system', role: 'system', parts };
    if (word.startsWith('a')) return { type: 'assistant', parts };
    if (word.startsWith('t')) return { type: 'reasoning', texts: [word], form: 'full' };
    return { type: 'tool-call', kind: 'function', callId: word[0] ?? '', name: word, input: '{}' };
  });
}

function told(items: readonly ChatItem[]): string {
  return items
    .map((item) => {
      if (item.type === 'tool-call') return item.name;
      if (item.type === 'reasoning') return item.texts.join();
      return 'parts' in item && item.parts[0]?.type === 'text' ? item.parts[0].text : '?';
    })
    .join(' ');
}

test('leaves a conversation alone whose results stand where they belong', () => {
  for (const words of [
    's u a u',
    'u A B (b) (a) u',
    'u t A (a) a B (b) u s A (a)',
    'u A u',
    'u (x) u',
    'u A (a) (a) a',
    'u A (a) A2 (a2) u',
  ]) {
    const items = conversation(words);
    assert.is(withResultsAtCalls(items), items, words);
  }
});

const moved: readonly (readonly [before: string, after: string])[] = [
  ['u A B (b) u2 (a) u3', 'u A B (b) (a) u2 u3'],
  ['u A B (b) s (a)', 'u A B (b) (a) s'],
  ['u A s (a) a', 'u A (a) s a'],
  ['u A B (b) a (a) u2', 'u A B (b) (a) a u2'],
  ['u A B u2 C (a) (c) (b)', 'u A B (a) (b) u2 C (c)'],
  ['u (a) A u2', 'u A (a) u2'],
  ['u A (a1) u2 A3 s (a4)', 'u A (a1) u2 A3 (a4) s'],
  ['u (x) A u2 (a)', 'u (x) A (a) u2'],
];
for (const [before, after] of moved) {
  test(`puts "${before}" in the order "${after}"`, () => {
    assert.is(told(withResultsAtCalls(conversation(before))), after);
  });
}

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { anthropicMessages } from '../../../../../daemon/relay/formats/anthropic-messages/index.ts';
import { testScope } from '../../../../conformance/scope.ts';

const test = suite('Messages answer decoder');

const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
const text = { type: 'text', text: 'Hi' };

for (const [word, content, reason] of [
  ['end_turn', [call], 'tool-calls'],
  ['stop_sequence', [text, call], 'tool-calls'],
  ['stop_sequence', [text], 'stop-sequence'],
  ['max_tokens', [call], 'length'],
  ['refusal', [call], 'refusal'],
  ['pause_turn', [text], 'pause'],
  ['some_new_word', [text], 'other'],
] as const) {
  test(`reads ${word} after ${content.map((block) => block.type).join(' and ')} as ${reason}`, () => {
    const { choices } = anthropicMessages.decodeResponse({ content: [...content], stop_reason: word }, testScope());
    assert.is(choices[0]?.finish.reason, reason);
  });
}

test.run();

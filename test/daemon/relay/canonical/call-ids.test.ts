import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withOwnCallIds } from '../../../../daemon/relay/canonical/call-ids.ts';
import type { ChatItem } from '../../../../daemon/relay/canonical/chat.ts';
import { anthropicMessages } from '../../../../daemon/relay/formats/anthropic-messages/index.ts';
import { openaiChat } from '../../../../daemon/relay/formats/openai-chat/index.ts';
import { testScope } from '../../../conformance/scope.ts';
import { at, list } from '../../../support/checkers/answer.ts';

const test = suite('ids of tool calls');

const call = (callId: string): ChatItem => ({ type: 'tool-call', kind: 'function', callId, name: 'look', input: '{}' });
const result = (callId: string): ChatItem => ({ type: 'tool-result', kind: 'function', callId, parts: [] });
const user: ChatItem = { type: 'user', parts: [{ type: 'text', text: 'hi' }] };

/** Calls as `+id`, results as `-id`. */
function told(items: readonly ChatItem[]): string {
  const ids = withOwnCallIds(items).map((item) => {
    if (item.type === 'tool-call') return `+${item.callId}`;
    return item.type === 'tool-result' ? `-${item.callId}` : '';
  });
  return ids.filter((id) => id !== '').join(' ');
}

test('leaves a conversation alone in which every call has its own', () => {
  const items = [user, call('a'), call('b'), result('b'), result('a'), call('c'), result('unknown')];
  assert.is(withOwnCallIds(items), items);
});

test('gives a call by a known id one of its own, and its result the same', () => {
  assert.is(told([call('a'), result('a'), user, call('a'), result('a')]), '+a -a +a_2 -a_2');
  assert.is(told([call('a'), result('a'), call('a'), result('a'), call('a')]), '+a -a +a_2 -a_2 +a_3');
  assert.is(told([call('a'), call('a'), result('a'), result('a')]), '+a +a_2 -a -a_2');
});

test('takes no id that another call has', () => {
  assert.is(told([call('a'), result('a'), call('a_2'), call('a'), result('a')]), '+a -a +a_2 +a_3 -a_3');
  assert.is(told([call('a'), call('a'), call('a_2'), call('a_2')]), '+a +a_3 +a_2 +a_2_2');
});

test('gives no result of a turn to a call of an earlier one', () => {
  assert.is(told([call('a'), user, call('a'), result('a'), result('a')]), '+a +a_2 -a_2 -a_2');
});

test('tells Anthropic of calls that a chat client numbers anew in every answer', () => {
  const turn = (content: string) => [
    {
      role: 'assistant',
      tool_calls: [{ id: 'call_0', type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_0', content },
  ];
  const messages = [{ role: 'user', content: 'hi' }, ...turn('one'), ...turn('two')];
  const body = anthropicMessages.encodeRequest(openaiChat.decodeRequest({ model: 'claude', messages }), testScope());
  const blocks = list(at(body, 'messages')).flatMap((message) => list(at(message, 'content')));
  assert.equal(
    blocks.map((block) => at(block, 'id') ?? at(block, 'tool_use_id')),
    [undefined, 'call_0', 'call_0', 'call_0_2', 'call_0_2'],
  );
});

test.run();

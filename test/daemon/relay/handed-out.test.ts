/** Ids that answers hand out, by the shapes that tell of them. Runs once: it knows no database. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { handedOutContainer, madeFiles } from '../../../daemon/relay/handed-out.ts';
import { chunk, done, run, stop, text } from '../../support/native-chat-streams.ts';

const test = suite('ids that answers hand out');

test('finds a container in a whole message and in the events that begin and end one', () => {
  const container = { id: 'c_1', expires_at: '2026-12-01T00:00:00Z' };
  assert.is(handedOutContainer({ type: 'message', container }), 'c_1');
  assert.is(handedOutContainer({ type: 'message_start', message: { id: 'msg_1', container } }), 'c_1');
  assert.is(handedOutContainer({ type: 'message_delta', delta: { stop_reason: 'end_turn', container } }), 'c_1');
  assert.is(handedOutContainer({ type: 'message_start', message: { id: 'msg_1', container: null } }), undefined);
  assert.is(handedOutContainer({ type: 'message_stop' }), undefined);
});

test('finds the files in the block of a result, and none in other blocks', () => {
  const content = [{ type: 'code_execution_output', file_id: 'f_1' }, { type: 'text' }, { file_id: 'f_2' }];
  assert.equal(madeFiles({ type: 'code_execution_tool_result', content: { content } }), ['f_1', 'f_2']);
  assert.equal(madeFiles({ type: 'text', text: 'file_id' }), []);
});

test('finds what was said aloud behind the first words of an answer that is to be heard', () => {
  const aloud = text('one') + chunk({ audio: { transcript: 'two' } }) + chunk({ audio: { id: 'a_1', data: 'aGk=' } });
  for (const pieces of [[aloud + stop + done], [...aloud.split(/(?<=\n\n)/), stop + done]]) {
    const { stream, out } = run(pieces, { isHeard: true });
    assert.equal([stream.handedOut, out], ['a_1', aloud + stop + done]);
  }
});

test.run();

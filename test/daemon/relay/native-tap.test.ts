import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { messagesProfile } from '../../../daemon/relay/native-profile-messages.ts';
import { responsesProfile } from '../../../daemon/relay/native-profile-responses.ts';
import { StreamTap } from '../../../daemon/relay/native-tap.ts';
import { broke, chunk, done, put, run, stop, text } from '../../support/native-chat-streams.ts';

const test = suite('StreamTap');

test('counts the words of an event of more than a megabyte by its first ones, however they are written, and sound by its size', () => {
  const isNear = (found: number, meant: number) => assert.ok(Math.abs(found / meant - 1) < 0.1, `${found} of ${meant}`);
  const counted = (event: string) => run([text('a'), event, stop + done]).stream.counted().completion;
  isNear(counted(text('word '.repeat(400_000))), 400_000 * (1.02 + 0.42));
  const said = text('词'.repeat(700_000));
  isNear(counted(said), 700_000 * 0.85);
  isNear(counted(said.replaceAll('词', '\\u8bcd')), 700_000 * 0.85);
  const lines = JSON.stringify({ code: 'x = 1\n'.repeat(300_000) });
  const call = { tool_calls: [{ index: 0, id: 'c', function: { name: 'write', arguments: lines } }] };
  const few = {
    tool_calls: [{ ...call.tool_calls[0], function: { name: 'write', arguments: lines.slice(0, 6_000) } }],
  };
  isNear(counted(chunk(call)), (counted(chunk(few)) - 8) * (lines.length / 6_000));
  const sound = { audio: { id: 'a', data: 'A'.repeat(2_000_000), transcript: '' } };
  isNear(counted(chunk(sound)), (((2_000_000 * 3) / 4 / 48_000) * 1000) / 60);
});

test('takes no empty word for the reason of an end, which some hosts have in every chunk', () => {
  const said = [chunk({ content: 'a' }, ''), chunk({ content: 'b' }, '')];
  const broken = run(said);
  assert.not(broken.stream.isComplete);
  assert.is(broken.out, said.join(''));
  assert.ok(run([...said, stop]).stream.isComplete);
  assert.ok(run([...said, stop, chunk({}, '')]).stream.isComplete);
});

test('names a bounded number of the files of one event, however many it tells of', () => {
  const content = Array(200_000).fill({ type: 'code_execution_output', file_id: 'file_1' });
  const result = { type: 'code_execution_result', content };
  const event = { type: 'content_block_start', content_block: { type: 'code_execution_tool_result', content: result } };
  const tap = new StreamTap(messagesProfile, 'claude');
  tap.keep(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
  assert.is(tap.items().length, 1000);
});

test('repeats no response of more parts than are worth keeping when it breaks', () => {
  const event = (type: string, fields: object) => put({ type, ...fields });
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
  const begun =
    event('response.created', { response: { id: 'resp_1', output: [] } }) +
    event('response.output_item.added', { output_index: 0, item });
  const part = event('response.content_part.added', { output_index: 0, part: { type: 'output_text', text: '' } });
  const broken = (parts: number) => {
    const tap = new StreamTap(responsesProfile, 'openai');
    tap.keep(Buffer.from(begun));
    for (let at = 0; at < parts; at += 1000) tap.keep(Buffer.from(part.repeat(1000)));
    const tail = { first: undefined, model: 'm', isRenamed: false, requestId: 'r', usage: undefined };
    return String(tap.record().end(broke, tail));
  };
  assert.ok(broken(1_000).includes('msg_1'));
  assert.ok(broken(20_000).length < 2_000);
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chatProfile } from '../../../daemon/relay/native-profile-chat.ts';
import { NativeStream } from '../../../daemon/relay/native-stream.ts';
import { assertQuick } from '../../support/processor-time.ts';

const test = suite('events of native streams');

const said = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n';
const stop = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
const done = 'data: [DONE]\n\n';

/** What a client is sent of these pieces, and what the upstream is heard to have failed with. */
function passed(...pieces: string[]): { out: string; error: unknown } {
  const options = { hideUsage: true, renameModel: false, promptTokens: () => 1 };
  const stream = new NativeStream({ profile: chatProfile, model: 'm', ...options });
  const sent = [...pieces.map((piece) => stream.push(Buffer.from(piece))), stream.end()];
  return { out: sent.map((bytes) => bytes?.toString() ?? '').join(''), error: stream.error };
}

test('are not passed on without a payload, at which the official libraries fail', () => {
  const quiet = 'data:\n\ndata: \n\nevent: ping\n\nid: 4\ndata:  \n\n';
  assert.is(passed(quiet + said + quiet, quiet, stop + quiet).out, said + stop + done);
  const spread = `data:\n${said}`;
  assert.is(passed(spread, stop).out, spread + stop + done);
});

test('tell of a failure in whatever words, where no answer is beside', () => {
  for (const told of ['{"code":50505,"message":"canary","data":null}', '{"detail":"canary"}', '{"message":"canary"}']) {
    const { out, error } = passed(`${said}event: error\ndata: ${told}\n\n${done}`, said);
    assert.is(out, said);
    assert.match(JSON.stringify(error), 'canary');
  }
});

test('are read once, however often one speaks of an error or says what ends a stream', async () => {
  const errors = `data: {"choices":[{"index":0,"delta":{"content":"a","z":[${'{"error":1},'.repeat(4000)}0]}}]}\n\n`;
  assert.is(passed(errors, stop, done).out, errors + stop + done);
  // Read anew for each word they took 3 and 24 seconds.
  await assertQuick(300, () => passed(errors, stop));
  const ends = said.replace('"a"', JSON.stringify('[DONE] '.repeat(20_000)));
  assert.is(passed(ends + done).out, ends + done);
  await assertQuick(300, () => passed(ends + done));
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatEvent } from '../../../../daemon/relay/canonical/chat.ts';
import { BlockTrack } from '../../../../daemon/relay/formats/block-track.ts';
import { assertQuick } from '../../../support/processor-time.ts';

const test = suite('BlockTrack');

const call = (callId: string) => ({ kind: 'function', callId, name: 'f' }) as const;
const blocksOf = (type: ChatEvent['type'], events: readonly ChatEvent[]) =>
  events.flatMap((event) => (event.type === type && 'block' in event ? event.block : []));

test('ends the calls that are whole where something begins, in the order of their beginning', () => {
  const track = new BlockTrack<string>(0);
  const out: ChatEvent[] = [];
  for (const key of ['a', 'b', 'c', 'd']) track.startCall(out, key, call(key));
  track.feedCall(out, 'c', '{}');
  track.feedCall(out, 'b', '{"x":');
  track.feedCall(out, 'a', '{}');
  track.feedCall(out, 'd', '{}');
  // What looked whole goes on.
  track.feedCall(out, 'd', '{');
  track.text(out, 'then');
  assert.equal(blocksOf('tool-call-end', out), [0, 2]);
  track.settle(out);
  assert.equal(blocksOf('tool-call-end', out), [0, 2, 1, 3]);
});

test('begins calls as fast among many that are not whole as among few', async () => {
  const calls = 40_000;
  // 400 times as long when each walks all that are open.
  await assertQuick(1500, () => {
    const track = new BlockTrack<number>(0);
    const out: ChatEvent[] = [];
    for (let key = 0; key < calls; key += 1) {
      track.startCall(out, key, call(`call_${key}`));
      track.feedCall(out, key, '{"a":');
    }
    track.settle(out);
    assert.is(blocksOf('tool-call-end', out).length, calls);
  });
});

test.run();

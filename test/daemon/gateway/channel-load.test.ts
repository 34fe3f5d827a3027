import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChannelPick } from '../../../daemon/domain/channel-selection.ts';
import { ChannelLoad } from '../../../daemon/gateway/channel-load.ts';
import type { ChannelKeyView } from '../../../daemon/snapshots/channel-view.ts';
import { channelView } from '../../support/channel-records.ts';

const test = suite('what channels and their keys are serving');

/** A pick whose key is limited, and a clock. */
function world(limits: Partial<Pick<ChannelKeyView, 'tpm' | 'concurrency'>> = {}) {
  const clock = { nowMs: 5_000_500 };
  const channel = channelView({ id: 3 });
  const [first] = channel.keys;
  if (first === undefined) throw new Error('no key');
  const pick: ChannelPick = { channel, key: { ...first, ...limits } };
  return { clock, pick, load: new ChannelLoad(() => clock.nowMs) };
}

const never = () => {
  throw new Error('nobody asks what to expect');
};

test('counts the calls of a channel, and asks nothing of keys without limits', () => {
  const { load, pick } = world();
  load.enter(pick, {}, never);
  load.enter(pick, {}, never);
  assert.is(load.running(3), 2);
  assert.is(load.busyMs(pick.key), 0);
  load.leave(pick);
  load.leave(pick);
  load.used({}, 500);
  assert.is(load.running(3), 0);
});

test('lets so many calls of a key run at once', () => {
  const { load, pick } = world({ concurrency: 2 });
  load.enter(pick, {}, never);
  assert.is(load.busyMs(pick.key), 0);
  load.enter(pick, {}, never);
  assert.is(load.busyMs(pick.key), 1000);
  load.leave(pick);
  assert.is(load.busyMs(pick.key), 0);
  assert.is(load.busyMs({ ...pick.key, concurrency: 1 }), 1000, 'one still runs');
});

test('counts tokens as expected until it is known what was used, for a minute', () => {
  const { clock, load, pick } = world({ tpm: 100 });
  const [one, other] = [{}, {}];
  load.enter(pick, one, () => 60);
  assert.is(load.busyMs(pick.key), 0);
  load.enter(pick, other, () => 60);
  assert.ok(load.busyMs(pick.key) > 60_000, 'all of it came in this second');
  load.used(one, 10);
  load.used(one, 5000);
  assert.is(load.busyMs(pick.key), 0, 'told once: 70 are left');
  clock.nowMs += 30_000;
  load.used(other, 95);
  assert.is(load.busyMs(pick.key), 30_500, 'until the 70 of the first second leave the minute, in whole seconds');
  clock.nowMs += 30_499;
  assert.is(load.busyMs(pick.key), 1);
  clock.nowMs += 1;
  assert.is(load.busyMs(pick.key), 0);
});

test.run();

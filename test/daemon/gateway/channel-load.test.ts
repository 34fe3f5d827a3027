import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ChannelLoad } from '../../../daemon/gateway/channel-load.ts';

const test = suite('what channels are serving');

test('counts the calls of each channel that run', () => {
  const load = new ChannelLoad();
  load.enter(3);
  load.enter(3);
  load.enter(4);
  assert.equal([load.running(3), load.running(4), load.running(5)], [2, 1, 0]);
  load.leave(3);
  load.leave(4);
  load.leave(4);
  assert.equal([load.running(3), load.running(4)], [1, 0]);
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ChannelCooling } from '../../../daemon/domain/channel-cooling.ts';
import { type ChannelChange, ChannelWatch } from '../../../daemon/domain/channel-watch.ts';
import type { ChannelView } from '../../../daemon/snapshots/channel-view.ts';
import { channelView } from '../../support/channel-records.ts';
import { optionsView } from '../../support/options-view.ts';

const watching = suite('watch over channels');

function make(...channels: ChannelView[]) {
  const world = { nowMs: 1000, walks: 0, index: indexOf(channels) };
  function indexOf(views: readonly ChannelView[]) {
    return {
      *all() {
        world.walks += 1;
        yield* views;
      },
      get: (id: number) => views.find(({ record }) => record.id === id),
    };
  }
  const cooling = new ChannelCooling({ now: () => world.nowMs, options: () => optionsView() });
  const watch = new ChannelWatch({ channels: () => world.index, cooling });
  watch.begin();
  return {
    world,
    cooling,
    watch,
    set(...views: ChannelView[]) {
      world.index = indexOf(views);
    },
    look: () => watch.look().map(short),
  };
}

function short({ channelId, change, keyHash, status, cooling }: ChannelChange): string {
  return `${change} ${channelId}${keyHash === '' ? '' : '/key'} status ${status} for ${cooling}`;
}

const view = (id: number, over: Parameters<typeof channelView>[0] = {}, keys = ['a', 'b']) =>
  channelView({ id, ...over }, keys);

watching('tells of channels that go and come, once, with the reason of the system', () => {
  const { set, look, watch } = make(view(1), view(2, { status: 3 }), view(3, { status: 2 }));
  assert.equal(look(), []);
  const otherInfo = '{"status_reason":"quota exceeded"}';
  set(view(1, { status: 3, otherInfo }), view(2), view(3, { status: 3 }), view(4, { status: 2 }));
  const [disabled, recovered, ...rest] = watch.look();
  assert.equal(
    [disabled, recovered].map((change) => change && short(change)),
    ['disabled 1 status 3 for 0', 'recovered 2 status 1 for 0'],
  );
  assert.is(disabled?.reason, 'quota exceeded');
  assert.equal(rest, [], 'channel 3 was out before, channel 4 was never in');
  assert.equal(look(), []);
});

watching('tells of single keys where a channel has several', () => {
  const whole = view(1);
  const { set, look } = make(whole, view(2, {}, ['only']));
  const [first, ...others] = whole.keys;
  assert.ok(first);
  set({ ...whole, keys: first ? [{ ...first, status: 3 }, ...others] : [] }, view(2, {}, ['only']));
  assert.equal(look(), ['disabled 1/key status 3 for 0']);
});

watching('tells of pauses of channels, keys and models, and of their ends', () => {
  const { world, cooling, look, set } = make(view(1), view(2), view(3, {}, ['only']));
  cooling.learn({ channelId: 1, forMs: 5000 });
  cooling.learn({ channelId: 2, keyId: 200, forMs: 9000 });
  cooling.learn({ channelId: 3, keyId: 300, model: 'gpt-4o', forMs: 3000 });
  assert.equal(look(), ['cooling 1 status 1 for 5', 'cooling 2/key status 1 for 9', 'cooling 3/key status 1 for 3']);
  assert.equal(look(), []);
  world.nowMs += 4000;
  assert.equal(look(), ['resumed 3/key status 1 for 0']);
  set(view(2));
  world.nowMs += 9000;
  assert.equal(look(), ['resumed 2/key status 1 for 0'], 'channel 1 is gone');
});

watching('walks the channels again only when one has changed', () => {
  const { world, look, set } = make(view(1));
  look();
  look();
  assert.is(world.walks, 1);
  set(view(1));
  look();
  assert.is(world.walks, 2);
});

watching.run();

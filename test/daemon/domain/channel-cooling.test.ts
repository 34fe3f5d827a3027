import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ChannelCooling,
  type CoolingNews,
  coolingSeconds,
  formatCoolingNews,
  parseCoolingNews,
} from '../../../daemon/domain/channel-cooling.ts';
import { channelRecord } from '../../support/channel-records.ts';
import { optionsView } from '../../support/options-view.ts';

const cooling = suite('domain/channel-cooling');

const target = { channelId: 1, keyId: 10, model: 'gpt-4o' };

function make(maxChannels = 100) {
  const world = { nowMs: 1000, told: [] as CoolingNews[] };
  const table = new ChannelCooling({
    now: () => world.nowMs,
    options: () => optionsView(),
    share: (news) => world.told.push(news),
    maxChannels,
  });
  return { world, table, left: (keyId = 10, model = 'gpt-4o') => table.leftMs(1, keyId, model) };
}

cooling('cools a key for the time its upstream names', () => {
  const { world, table, left } = make();
  table.cool(target, { scope: 'key', cause: 'rate-limit', retryAfterMs: 20_000 });
  assert.is(left(), 20_000);
  assert.is(left(10, 'other'), 20_000);
  assert.is(left(11), 0);
  world.nowMs += 20_000;
  assert.is(left(), 0);
});

cooling('cools one model of a key alone where the refusal names it', () => {
  const { table, left } = make();
  table.cool(target, { scope: 'key-model', cause: 'rate-limit' });
  assert.is(left(), 5000);
  assert.is(left(10, 'other'), 0);
});

cooling('forgets models whose pause is over, however many names clients make up', () => {
  const { world, table } = make();
  for (let budget = 0; budget < 200_000; budget += 1) {
    table.cool(
      { ...target, model: `gemini-2.5-pro-thinking-${budget}` },
      { scope: 'key-model', cause: 'rate-limit', retryAfterMs: 1000 },
    );
    world.nowMs += 20;
  }
  assert.is(table.keyLeftMs(1, 10), 980);
});

cooling('asks for the model that paused first again where clients make up a thousand names in one moment', () => {
  const { table, left } = make();
  for (let budget = 0; budget <= 1000; budget += 1) {
    table.cool(
      { ...target, model: `thinking-${budget}` },
      { scope: 'key-model', cause: 'rate-limit', retryAfterMs: 60_000 },
    );
  }
  assert.equal([left(10, 'thinking-0'), left(10, 'thinking-1'), left(10, 'thinking-1000')], [0, 60_000, 60_000]);
});

cooling('keeps the pause between 1 and 300 seconds', () => {
  const { world, table, left } = make();
  table.cool(target, { scope: 'key', cause: 'rate-limit', retryAfterMs: 1 });
  assert.is(left(), 1000);
  table.cool(target, { scope: 'key', cause: 'rate-limit', retryAfterMs: 9_999_999 });
  assert.is(left(), 300_000);
  assert.equal(
    world.told.map(({ forMs }) => forMs),
    [1000, 300_000],
  );
});

cooling('never makes a pause shorter, be it of a channel, of a key or of a model', () => {
  for (const news of [{}, { keyId: 10 }, { keyId: 10, model: 'gpt-4o' }]) {
    const { table, left } = make();
    table.learn({ channelId: 1, forMs: 9000, ...news });
    table.learn({ channelId: 1, forMs: 2000, ...news });
    assert.is(left(), 9000, JSON.stringify(news));
  }
});

cooling('gives an overload its own pause, which does not grow', () => {
  const { world, table, left } = make();
  table.cool(target, { scope: 'key', cause: 'overload' });
  world.nowMs += 4000;
  table.cool(target, { scope: 'key', cause: 'overload' });
  assert.is(left(), 10_000);
});

cooling('cools the channel at the third failure within 30 seconds', () => {
  const { world, table, left } = make();
  const fail = () => table.cool(target, { scope: 'channel', cause: 'failure' });
  fail();
  world.nowMs += 10_000;
  fail();
  assert.is(left(), 0);
  world.nowMs += 10_000;
  fail();
  assert.is(left(99), 30_000);
});

cooling('forgets failures after 30 seconds or a success', () => {
  const { world, table, left } = make();
  const fail = () => table.cool(target, { scope: 'channel', cause: 'failure' });
  fail();
  fail();
  table.succeeded(1);
  fail();
  fail();
  assert.is(left(), 0);
  world.nowMs += 30_000;
  fail();
  assert.is(left(), 0);
});

cooling('counts anew once a channel cools: calls that were under way do not keep it away for longer', () => {
  const { world, table, left } = make();
  const fail = () => table.cool(target, { scope: 'channel', cause: 'failure' });
  for (let at = 0; at < 3; at += 1) fail();
  world.nowMs += 20_000;
  fail();
  fail();
  assert.is(left(), 10_000);
  fail();
  assert.is(left(), 30_000);
});

cooling('tells other nodes and learns from them', () => {
  const one = make();
  const two = make();
  one.table.cool(target, { scope: 'key', cause: 'rate-limit' });
  for (const news of one.world.told) two.table.learn(news);
  assert.is(two.left(), 5000);
});

cooling('ends every pause of a channel on all nodes when it is cleared', () => {
  const one = make();
  const two = make();
  one.table.cool(target, { scope: 'key', cause: 'rate-limit' });
  one.table.clear(1);
  for (const news of one.world.told) two.table.learn(news);
  assert.equal([one.left(), two.left()], [0, 0]);
});

cooling('keeps an end of pauses against news of older ones that come after it, and learns later ones', () => {
  const one = make();
  const two = make();
  one.table.cool(target, { scope: 'key', cause: 'rate-limit', retryAfterMs: 300_000 });
  two.table.clear(1);
  two.world.nowMs += 2000;
  for (const news of one.world.told) two.table.learn(news);
  assert.is(two.left(), 0);
  two.table.cool(target, { scope: 'key', cause: 'rate-limit' });
  assert.is(two.left(), 5000, 'what this node was told by the upstream itself counts');
  two.table.clear(1);
  two.world.nowMs += 3000;
  for (const news of one.world.told) two.table.learn(news);
  assert.is(two.left(), 300_000);
});

cooling('tells how long a key and its channel are left alone', () => {
  const { world, table } = make();
  const channel = (statuses: readonly (1 | 2)[]) => {
    const keys = statuses.map((status, index) => ({
      id: 10 + index,
      index,
      hash: '',
      status,
      limits: undefined,
      secret: '',
    }));
    return { record: channelRecord(), keys };
  };
  table.cool(target, { scope: 'key-model', cause: 'rate-limit', retryAfterMs: 9000 });
  assert.equal([table.keyLeftMs(1, 10), table.keyLeftMs(1, 11), table.keyLeftMs(2, 10)], [9000, 0, 0]);
  assert.is(coolingSeconds(table, channel([1])), 0, 'one model alone');
  table.cool(target, { scope: 'key', cause: 'rate-limit', retryAfterMs: 20_000 });
  assert.is(coolingSeconds(table, channel([1])), 20);
  assert.is(coolingSeconds(table, channel([1, 1])), 0, 'another key is free');
  assert.is(coolingSeconds(table, channel([1, 2])), 20, 'the other key is disabled');
  table.learn({ channelId: 1, forMs: 40_000 });
  assert.is(coolingSeconds(table, channel([1, 1])), 40);
  world.nowMs += 40_000;
  assert.equal([coolingSeconds(table, channel([1])), coolingSeconds(table, undefined)], [0, 0]);
});

cooling('reads back what it tells other nodes, and nothing else', () => {
  for (const news of [
    { channelId: 1, forMs: 1000 },
    { channelId: 1, forMs: 0 },
    { channelId: 1, keyId: 2, forMs: 1000 },
    { channelId: 1, keyId: 2, model: 'gpt-4o', forMs: 1000 },
  ]) {
    assert.equal(parseCoolingNews(formatCoolingNews(news)), news);
  }
  for (const text of ['', '{}', '[1]', '["a",null,null,5]', '[1,null,null,-5]', '[1,2,null,0]']) {
    assert.is(parseCoolingNews(text), undefined);
  }
});

cooling('holds no more channels than allowed and drops what has run out first', () => {
  const { world, table } = make(3);
  for (const channelId of [1, 2, 3]) {
    table.cool(
      { ...target, channelId },
      { scope: 'key', cause: 'rate-limit', retryAfterMs: channelId === 2 ? 1000 : 60_000 },
    );
  }
  world.nowMs += 2000;
  table.cool({ ...target, channelId: 4 }, { scope: 'key', cause: 'rate-limit' });
  assert.ok(table.leftMs(1, 10, '') > 0 && table.leftMs(3, 10, '') > 0 && table.leftMs(4, 10, '') > 0);
});

cooling('keeps a channel that failed lately where others must make room', () => {
  const { world, table, left } = make(2);
  const fail = () => table.cool(target, { scope: 'channel', cause: 'failure' });
  fail();
  fail();
  table.cool({ ...target, channelId: 2 }, { scope: 'key', cause: 'rate-limit', retryAfterMs: 1000 });
  world.nowMs += 2000;
  table.cool({ ...target, channelId: 3 }, { scope: 'key', cause: 'rate-limit' });
  fail();
  assert.is(left(), 30_000);
});

cooling('believes no node that tells of a pause longer than five minutes', () => {
  const { table, left } = make();
  table.learn({ channelId: 1, forMs: 86_400_000 });
  assert.is(left(), 300_000);
});

cooling('remembers no more ends of pauses than channels', () => {
  const { table, left } = make(2);
  for (const channelId of [1, 2, 3]) table.clear(channelId);
  table.learn({ channelId: 1, forMs: 5000 });
  table.learn({ channelId: 3, forMs: 5000 });
  assert.equal([left(), table.leftMs(3, 10, '')], [5000, 0]);
});

cooling.run();

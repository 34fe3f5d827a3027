import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ChannelLoad, formatLoadNews, type LoadNews, parseLoadNews } from '../../../daemon/gateway/channel-load.ts';
import { until } from '../../support/until.ts';

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

/** A node whose news are handed to the test. */
function node(name: string, isAsked = true) {
  const world = { nowMs: 0, told: [] as LoadNews[] };
  const load = new ChannelLoad({
    node: name,
    now: () => world.nowMs,
    isAsked: () => isAsked,
    tell: (news) => world.told.push(news),
  });
  return { world, load };
}

test('weighs what other nodes tell as one of so many, until they tell something else or are silent', () => {
  const { world, load } = node('a');
  load.enter(3);
  load.learn({
    node: 'b',
    running: [
      [3, 2],
      [4, 1],
    ],
  });
  load.learn({ node: 'c', running: [[4, 5]] });
  assert.equal([load.running(3), load.running(4), load.running(5)], [1 + 2 / 3, 2, 0]);
  load.learn({ node: 'b', running: [[3, 1]] });
  assert.equal([load.running(3), load.running(4)], [1 + 1 / 3, 5 / 3]);
  load.learn({ node: 'b', running: [] });
  assert.is(load.running(3), 1);
  world.nowMs += 10_000;
  assert.is(load.running(4), 0, 'a node that died runs nothing');
});

test('tells the others what runs, and when nothing does any more', async () => {
  const { world, load } = node('a');
  load.enter(3);
  load.enter(3);
  load.enter(4);
  await until(() => world.told.length === 1);
  assert.equal(world.told, [
    {
      node: 'a',
      running: [
        [3, 2],
        [4, 1],
      ],
    },
  ]);
  for (const id of [3, 3, 4]) load.leave(id);
  await until(() => world.told.length === 2);
  assert.equal(world.told[1], { node: 'a', running: [] });
});

test('says again what runs for long before the others take it for dead', async () => {
  const { world, load } = node('a');
  load.enter(3);
  await until(() => world.told.length === 2);
  assert.equal(world.told[1], { node: 'a', running: [[3, 1]] });
});

test('tells nothing while nobody routes by it', async () => {
  const asked = node('a');
  const unasked = node('b', false);
  for (const { load } of [unasked, asked]) load.enter(3);
  await until(() => asked.world.told.length === 1);
  assert.equal(unasked.world.told, []);
});

test('reads back what it tells other nodes, and nothing else', () => {
  const news: LoadNews = {
    node: 'a',
    running: [
      [3, 2],
      [4, 1],
    ],
  };
  assert.equal(parseLoadNews(formatLoadNews(news)), news);
  assert.equal(parseLoadNews('["a",[3,-1],["3",1],7]'), { node: 'a', running: [] });
  for (const text of ['', '{}', '[]', '[3]']) assert.is(parseLoadNews(text), undefined);
});

test.run();

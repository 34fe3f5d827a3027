import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EventQueue } from '../../../daemon/domain/event-queue.ts';

interface World {
  queue: EventQueue<string>;
  ends: number;
}

const queue = suite<World>('queue of events');

queue.before.each((world) => {
  world.ends = 0;
  world.queue = new EventQueue({
    limit: 2,
    skipped: (count) => `skipped ${count}`,
    onEnd: () => {
      world.ends += 1;
    },
  });
});

async function take(events: AsyncIterator<string>, count: number): Promise<(string | undefined)[]> {
  const taken: (string | undefined)[] = [];
  for (let at = 0; at < count; at += 1) {
    const { done, value } = await events.next();
    taken.push(done ? undefined : value);
  }
  return taken;
}

queue('hands events on in order, to a reader who waits and to one who comes later', async ({ queue: events }) => {
  const waiting = take(events, 2);
  events.push('a');
  await Promise.resolve();
  events.push('b');
  assert.equal(await waiting, ['a', 'b']);
  events.push('c');
  events.push('d');
  assert.equal(await take(events, 2), ['c', 'd']);
});

queue('leaves out what has no room, and says how much at the place where it was', async ({ queue: events }) => {
  for (const event of ['a', 'b', 'c', 'd']) events.push(event);
  assert.equal(await take(events, 1), ['a']);
  events.push('e');
  assert.equal(await take(events, 2), ['b', 'skipped 3']);
  events.push('f');
  assert.equal(await take(events, 1), ['f']);
});

queue('puts what is begun with before the rest, without counting it', async ({ queue: events }) => {
  events.push('live');
  events.begin(['1', '2', '3']);
  events.push('more');
  assert.equal(await take(events, 4), ['1', '2', '3', 'live']);
  assert.equal(await take(events, 1), ['skipped 1'], 'the room was full then');
});

queue('ends behind what waits, with a last word, and takes nothing more', async (world) => {
  const { queue: events } = world;
  for (const event of ['a', 'b', 'c']) events.push(event);
  events.end('last');
  events.end('again');
  events.push('late');
  assert.equal(await take(events, 5), ['a', 'b', 'skipped 1', 'last', undefined]);
  assert.is(world.ends, 1);
});

queue('tells a reader who waits that it ends', async (world) => {
  const waiting = take(world.queue, 2);
  world.queue.end('last');
  assert.equal(await waiting, ['last', undefined]);
  assert.is(world.ends, 1);
});

queue('drops everything when its reader goes, even one who waits', async (world) => {
  const waiting = take(world.queue, 1);
  await world.queue.return();
  assert.equal(await waiting, [undefined]);
  world.queue.push('late');
  assert.equal(await take(world.queue, 1), [undefined]);
  assert.is(world.ends, 1);
});

queue.run();

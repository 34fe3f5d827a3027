import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryCounters } from '../../../daemon/cluster/memory-counters.ts';
import { SlidingLog } from '../../../daemon/cluster/sliding-log.ts';

const test = suite('counters in memory');
const window = { limit: 1, windowMs: 1000 };

test('hold a bounded number of keys and forget the one unused for longest', () => {
  const counters = new MemoryCounters({ now: () => 0, maxKeys: 3 });
  for (const key of ['a', 'b', 'c']) counters.slide(key, window);
  counters.slide('a', window);
  counters.slide('d', window);
  assert.is(counters.size, 3);
  assert.is(counters.slide('a', window).allowed, false, 'used again a moment ago');
  assert.is(counters.slide('b', window).allowed, true, 'forgotten');
});

test('hold a bounded number of entries however wide the windows are', () => {
  const counters = new MemoryCounters({ now: () => 0, maxEntries: 1000 });
  for (let key = 0; key < 20; key += 1) {
    for (let at = 0; at < 200; at += 1) counters.slide(`user ${key}`, { limit: 1_000_000, windowMs: 1000 });
  }
  assert.ok(counters.size <= 4, `${counters.size} windows of 256 entries`);
});

test('sweep what nobody asks for any more', () => {
  let now = 0;
  const counters = new MemoryCounters({ now: () => now });
  for (let key = 0; key < 100; key += 1) {
    counters.slide(`w${key}`, window);
    counters.enter(`r${key}`, 5, 1000);
    counters.put(`v${key}`, 'x', 1000);
  }
  assert.is(counters.size, 300);
  now = 61_000;
  counters.read('anything');
  assert.is(counters.size, 0);
});

test('sweep nothing that still counts, though a limit has changed its window', () => {
  let now = 0;
  const counters = new MemoryCounters({ now: () => now });
  counters.slide('w', window);
  counters.slide('w', { limit: 2, windowMs: 3_600_000 });
  counters.draw([{ key: 's', limit: 10, amount: 10 }]);
  now = 60_000;
  assert.is(counters.draw([{ key: 's', limit: 10, amount: 1 }]).slots[0]?.allowed, false);
  assert.is(counters.slide('w', { limit: 1, windowMs: 3_600_000 }).allowed, false);
});

test('sweep windows that let nobody in, and keep none whose places were all given back', () => {
  let now = 0;
  const counters = new MemoryCounters({ now: () => now });
  counters.slide('shut', { limit: 0, windowMs: 1000 });
  const { member } = counters.slide('k', window);
  counters.giveBack('k', member);
  assert.is(counters.size, 1);
  now = 61_000;
  counters.read('anything');
  assert.is(counters.size, 0);
});

test('have the room of what they forgot for others again', () => {
  let now = 0;
  const counters = new MemoryCounters({ now: () => now, maxEntries: 100 });
  for (let minute = 0; minute < 10; minute += 1) {
    for (let key = 0; key < 20; key += 1) counters.slide(`${minute} ${key}`, window);
    now += 61_000;
  }
  counters.slide('kept', window);
  counters.slide('other', window);
  assert.is(counters.slide('kept', window).allowed, false);
});

test('forget what was drawn from the key that is unused for longest', () => {
  const counters = new MemoryCounters({ now: () => 0, maxSums: 2 });
  const draw = (key: string) => counters.draw([{ key, limit: 1, amount: 1 }]).slots[0]?.allowed;
  assert.equal(['a', 'b', 'a', 'c', 'a', 'b'].map(draw), [true, true, false, true, false, true]);
});

test('answer in the same turn, without a promise', () => {
  const counters = new MemoryCounters({ now: () => 0 });
  assert.is(counters.slide('k', window).allowed, true);
});

test('a log keeps order, grows and loses single entries', () => {
  const log = new SlidingLog();
  for (let time = 1; time <= 40; time += 1) log.add(time);
  log.dropUntil(10);
  for (let time = 41; time <= 60; time += 1) log.add(time);
  assert.is(log.length, 50);
  assert.is(log.at(0), 11);
  log.remove(30);
  log.remove(30);
  log.remove(5);
  assert.is(log.length, 49);
  assert.equal([log.at(18), log.at(19), log.at(48)], [29, 31, 60]);
  assert.is(log.add(3), 60, 'a clock that fell does not break the order');
});

test('a log that has gone round keeps order when it grows', () => {
  const log = new SlidingLog();
  for (let time = 1; time <= 4; time += 1) log.add(time);
  log.dropUntil(2);
  for (let time = 5; time <= 9; time += 1) log.add(time);
  assert.equal(
    Array.from({ length: log.length }, (_, place) => log.at(place)),
    [3, 4, 5, 6, 7, 8, 9],
  );
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryCounters } from '../../../daemon/cluster/memory-counters.ts';
import { MinuteSum } from '../../../daemon/cluster/minute-sum.ts';

const test = suite('what was drawn in a minute');

test('is the sum of the last sixty seconds, and of no second twice', () => {
  const sum = new MinuteSum();
  const log: { second: number; amount: number }[] = [];
  let second = 1_000;
  for (let step = 0; step < 5_000; step += 1) {
    second += (step * 7919) % 5 === 0 ? (step * 31) % 40 : (step * 13) % 2;
    const amount = (step * 104_729) % 97;
    log.push({ second, amount });
    sum.add(second, amount);
    const due = log.filter((entry) => entry.second > second - 61).reduce((total, entry) => total + entry.amount, 0);
    assert.is(sum.at(second), due, `step ${step}`);
  }
  assert.is(sum.at(second + 60) > 0, true);
  assert.is(sum.at(second + 61), 0);
});

test('takes back only where something was drawn, and nothing that has left', () => {
  const sum = new MinuteSum();
  sum.add(100, 10);
  sum.add(130, 5);
  sum.add(100, -4);
  assert.is(sum.at(130), 11);
  sum.add(100, -40);
  assert.is(sum.at(130), 5);
  sum.add(60, 9);
  sum.add(69, 9);
  assert.is(sum.at(130), 5);
  sum.add(129, -3);
  assert.is(sum.at(130), 5);
  // A clock that is asked late changes nothing either.
  assert.is(sum.at(120), 5);
});

test('names the second that makes room', () => {
  const sum = new MinuteSum();
  sum.add(100, 10);
  sum.add(110, 20);
  sum.add(120, 30);
  assert.is(sum.secondThatFrees(59), 100);
  assert.is(sum.secondThatFrees(50), 100);
  assert.is(sum.secondThatFrees(49), 110);
  assert.is(sum.secondThatFrees(0), 120);
  const young = new MinuteSum();
  young.add(3, 10);
  assert.is(young.secondThatFrees(9), 3, 'of a clock that has just begun');
});

test('opens again a minute later, and forgets keys that nobody draws from or are too many', () => {
  let now = 5_000_000;
  const counters = new MemoryCounters({ now: () => now, maxSums: 3 });
  const draw = (key: string) => counters.draw([{ key, limit: 1, amount: 1 }]).slots[0];
  assert.is(draw('a')?.allowed, true);
  const refused = draw('a');
  assert.is(refused?.allowed, false);
  now += (refused?.resetMs ?? 0) - 1;
  assert.is(draw('a')?.allowed, false);
  now += 1;
  assert.is(draw('a')?.allowed, true);
  for (const key of ['b', 'c', 'd', 'e']) draw(key);
  assert.is(counters.size, 3);
  now += 200_000;
  draw('f');
  assert.is(counters.size, 1);
});

test.run();

/** Tries that channels failed, by clock hour. Runs once: it knows no database. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addedTries, FailedTries } from '../../../daemon/domain/failed-tries.ts';

const test = suite('failed tries of channels');

const hour = 3600;

test('are told for the running hour with the one before it, and for the day before that, the most first', () => {
  let now = 1000 * hour + 5;
  const tries = new FailedTries(() => now);
  assert.equal(tries.read(), []);
  tries.count(7);
  now += hour;
  tries.count(7);
  tries.count(8);
  const found = [
    { channelId: 7, lastHour: 2, lastDay: 2 },
    { channelId: 8, lastHour: 1, lastDay: 1 },
  ];
  assert.equal(tries.read(), found);
  assert.equal(tries.read(1), found.slice(0, 1));
  now += hour;
  tries.count(8);
  assert.equal(tries.read(), [
    { channelId: 7, lastHour: 1, lastDay: 2 },
    { channelId: 8, lastHour: 2, lastDay: 2 },
  ]);
  now = 1024 * hour;
  assert.equal(
    tries.read().map(({ channelId, lastDay }) => [channelId, lastDay]),
    [
      [7, 2],
      [8, 2],
    ],
  );
  now += hour;
  // What is older than a day counts no more, whether or not something has failed since.
  assert.equal(
    tries.read().map(({ channelId, lastDay }) => [channelId, lastDay]),
    [
      [8, 2],
      [7, 1],
    ],
  );
  now += 30 * hour;
  assert.equal(tries.read(), []);
  tries.count(9);
  assert.equal(tries.read(), [{ channelId: 9, lastHour: 1, lastDay: 1 }]);
});

test('of several nodes are added up', () => {
  const told = [
    { channelId: 7, lastHour: 1, lastDay: 4 },
    { channelId: 8, lastHour: 0, lastDay: 1 },
    { channelId: 7, lastHour: 2, lastDay: 2 },
  ];
  assert.equal(addedTries(told).get(7), { channelId: 7, lastHour: 3, lastDay: 6 });
  assert.is(addedTries(told).get(8)?.lastDay, 1);
});

test.run();

import { mock } from 'node:test';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryCounters } from '../../../daemon/cluster/memory-counters.ts';
import { enterAll } from '../../../daemon/domain/running-limits.ts';

const test = suite('calls that run at once');

test('keep their places for as long as they run, and for a minute and a half when their node dies', () => {
  let nowMs = 1000;
  const counters = new MemoryCounters({ now: () => nowMs });
  const limits = [{ key: 'run:one', limit: 1 }];
  const isFull = () => {
    const running = enterAll(counters, limits);
    if (running instanceof Promise) throw new Error('without shared counters nobody waits');
    running.leave?.();
    return running.refused !== undefined;
  };
  mock.timers.enable({ apis: ['setInterval'] });
  try {
    const running = enterAll(counters, limits);
    if (running instanceof Promise) throw new Error('without shared counters nobody waits');
    for (let half = 0; half < 20; half += 1) {
      nowMs += 30_000;
      mock.timers.tick(30_000);
      assert.ok(isFull(), `after ${nowMs} ms`);
    }
    running.leave?.();
    assert.not(isFull());
    mock.timers.tick(30_000);
    assert.not(isFull(), 'nobody says any more that it runs');

    enterAll(counters, limits);
  } finally {
    mock.timers.reset();
  }
  nowMs += 89_999;
  assert.ok(isFull(), 'a node that died says nothing');
  nowMs += 1;
  assert.not(isFull());
});

test.run();

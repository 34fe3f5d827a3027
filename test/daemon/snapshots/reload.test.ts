import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Reload, type Wish } from '../../../daemon/snapshots/reload.ts';

const reloads = suite('snapshots/reload');

const wishFor = (...ids: number[]): Wish => new Map([['channels', new Set(ids)]]);

reloads('runs one load at a time, whoever asks between the end of one and the beginning of the next', async () => {
  // Whoever asks may do so any number of microtasks after the end.
  for (let ticks = 0; ticks < 12; ticks += 1) {
    const loaded: Wish[] = [];
    let running = 0;
    let mostRunning = 0;
    let late: Promise<void> | undefined;
    const askLate = async () => {
      for (let tick = 0; tick < ticks; tick += 1) await undefined;
      late = reload.run(wishFor(3));
    };
    const reload = new Reload(async (wish) => {
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      await new Promise((resolve) => setImmediate(resolve));
      if (loaded.push(wish) === 1) void askLate();
      running -= 1;
    });
    await Promise.all([reload.run(wishFor(1)), reload.run(wishFor(2))]);
    await late;
    assert.is(mostRunning, 1, `asked ${ticks} microtasks after the end`);
    assert.equal(
      loaded.flatMap((wish) => [...wish.values()].flatMap((ids) => (ids === 'all' ? [] : [...ids]))),
      [1, 2, 3],
    );
  }
});

reloads('begins the next load after one that failed, which answers for itself', async () => {
  let loads = 0;
  const reload = new Reload(async () => {
    loads += 1;
    if (loads === 1) throw new Error('no database');
  });
  const [failed, next] = await Promise.allSettled([reload.run(wishFor(1)), reload.run(wishFor(2))]);
  assert.equal([failed.status, next.status, loads], ['rejected', 'fulfilled', 2]);
});

reloads.run();

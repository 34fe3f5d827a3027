import * as assert from 'uvu/assert';
import { onBothEngines } from './engine-suites.ts';

onBothEngines('store/cooling-ends', (test, database) => {
  test('knows of each channel the last time its pauses ended, and forgets what is long past', async () => {
    const { coolingEnds } = database().stores;
    assert.is(await coolingEnds.latest(), 0);
    await coolingEnds.note([1, 2], 5);
    await coolingEnds.note([2, 3], 7);
    await coolingEnds.note([], 8);
    assert.is(await coolingEnds.latest(), 7);
    assert.equal((await coolingEnds.after(5)).map(({ channelId }) => channelId).sort(), [2, 3]);
    assert.equal(await coolingEnds.after(7), []);
    await coolingEnds.note(
      Array.from({ length: 1000 }, (_, index) => 100 + index),
      10_006,
    );
    const left = (await coolingEnds.after(0)).map(({ channelId }) => channelId);
    assert.is(left.length, 1002, 'channel 1 is forgotten');
    assert.not(left.includes(1));
  });
});

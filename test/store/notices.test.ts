import * as assert from 'uvu/assert';
import { onBothEngines } from './engine-suites.ts';

onBothEngines('store/notices', (test, database) => {
  test('keeps one row of settings', async () => {
    const { notices } = database().stores;
    assert.is(await notices.findSettings(), undefined);
    await notices.saveSettings('first', 1);
    await notices.saveSettings('second', 2);
    assert.is(await notices.findSettings(), 'second');
  });

  test('gives out as many places as a window has, and anew when it is over', async () => {
    const { notices } = database().stores;
    const window = { count: 2, seconds: 100 };
    const taken = [];
    for (const now of [1000, 1050, 1060, 1099, 1100, 1150, 1199]) taken.push(await notices.mark('a', window, now));
    assert.equal(taken, [true, true, false, false, true, true, false]);
    assert.is(await notices.mark('b', window, 1060), true, 'another name has a window of its own');
  });

  test('gives a single place to one of many who ask at once', async () => {
    const { notices } = database().stores;
    const asked = await Promise.all(
      Array.from({ length: 20 }, () => notices.mark('race', { count: 1, seconds: 60 }, 5000)),
    );
    assert.is(asked.filter(Boolean).length, 1);
  });

  test('forgets windows that are over', async () => {
    const { notices } = database().stores;
    await notices.mark('old', { count: 1, seconds: 10 }, 9000);
    assert.ok((await notices.deleteExpiredMarks(9010)) > 0);
    assert.is(await notices.deleteExpiredMarks(9010), 0);
  });
});

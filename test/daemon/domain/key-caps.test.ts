import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatKeyUses, KeyCaps, type KeyUseCount, parseKeyUses } from '../../../daemon/domain/key-caps.ts';
import { until } from '../../support/until.ts';

const caps = suite('domain/key-caps');

function make() {
  const time = { nowMs: 1000 };
  return { time, table: new KeyCaps(() => time.nowMs) };
}

caps('lets a key be used as often as its cap says within any minute', () => {
  const { time, table } = make();
  const key = { id: 1, cap: 2 };
  table.used(key);
  assert.is(table.leftMs(1), 0);
  time.nowMs += 10_000;
  table.used(key);
  assert.is(table.leftMs(1), 50_000);
  time.nowMs += 50_000;
  assert.is(table.leftMs(1), 0);
  table.used(key);
  assert.is(table.leftMs(1), 10_000);
});

caps('counts no key without a cap, and forgets one whose cap was taken away', () => {
  const { table } = make();
  for (let call = 0; call < 100; call += 1) table.used({ id: 1, cap: 0 });
  assert.is(table.leftMs(1), 0);
  table.used({ id: 2, cap: 1 });
  assert.is(table.leftMs(2), 60_000);
  table.used({ id: 2, cap: 0 });
  assert.is(table.leftMs(2), 0);
});

caps('goes by a changed cap from the next use on', () => {
  const { time, table } = make();
  for (let call = 0; call < 3; call += 1) {
    time.nowMs += 1000;
    table.used({ id: 1, cap: 5 });
  }
  assert.is(table.leftMs(1), 0);
  time.nowMs += 1000;
  table.used({ id: 1, cap: 2 });
  assert.is(table.leftMs(1), 59_000, 'the last two uses count');
});

caps('never allows more than the cap in a minute, whatever the rhythm', () => {
  const { time, table } = make();
  const key = { id: 1, cap: 50 };
  const uses: number[] = [];
  for (let step = 0; step < 5000; step += 1) {
    time.nowMs += (step * 7919) % 500;
    if (table.leftMs(1) > 0) continue;
    table.used(key);
    uses.push(time.nowMs);
  }
  assert.ok(uses.length > 500);
  for (const [index, atMs] of uses.entries()) {
    const before = uses[index - key.cap];
    assert.ok(before === undefined || atMs - before >= 60_000, `use ${index}`);
  }
});

caps('tell the others what was used, gathered, and count what the others tell', async () => {
  const told: KeyUseCount[][] = [];
  let nowMs = 0;
  const table = new KeyCaps(
    () => nowMs,
    (counts) => told.push([...counts]),
  );
  for (let call = 0; call < 3; call += 1) table.used({ id: 1, cap: 5 });
  table.used({ id: 2, cap: 1 });
  table.used({ id: 3, cap: 0 });
  await until(() => told.length > 0);
  const counts = [
    { id: 1, cap: 5, uses: 3 },
    { id: 2, cap: 1, uses: 1 },
  ];
  assert.equal(told, [counts]);
  assert.equal(parseKeyUses(formatKeyUses(counts)), counts);
  table.learn([{ id: 1, cap: 5, uses: 2 }]);
  assert.is(table.leftMs(1), 60_000);
  nowMs = 60_000;
  assert.is(table.leftMs(1), 0);
  table.learn([{ id: 9, cap: 2, uses: 1_000_000 }]);
  assert.is(table.leftMs(9), 60_000, 'a key that was never used here');
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.is(told.length, 1, 'what was learnt is not told on');
});

caps('take nothing for uses that is none', () => {
  const noUses = ['', 'x', '{}', '[1]', '[[1]]', '[["1",2,3]]', '[[1,0,3]]', '[[1,2,-3]]', '[null]'];
  for (const text of noUses) assert.equal(parseKeyUses(text), [], text);
  assert.equal(parseKeyUses('[[1,2,300]]'), [{ id: 1, cap: 2, uses: 2 }]);
});

caps.run();

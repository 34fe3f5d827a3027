import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Deadlines } from '../../../daemon/upstream/deadlines.ts';

const test = suite('deadlines');

test('begin a call at the time it is, however long there was none', async () => {
  const deadlines = new Deadlines();
  const first = { check: () => undefined };
  deadlines.forget(first, deadlines.watch(first));
  await sleep(400);
  const askedMs = performance.now();
  const next = { check: () => undefined };
  const place = deadlines.watch(next);
  assert.ok(deadlines.nowMs >= askedMs, `${askedMs - deadlines.nowMs} ms before`);
  deadlines.forget(next, place);
});

test.run();

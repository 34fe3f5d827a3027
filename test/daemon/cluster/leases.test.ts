import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryLeases } from '../../../daemon/cluster/leases.ts';

const test = suite('leases in memory');

test('end at their time to the millisecond, though nobody else has asked for them', async () => {
  let now = 0;
  const leases = new MemoryLeases(() => now);
  const held = await leases.acquire('job', 100);
  now = 99;
  assert.equal([await leases.isHeld('job'), await leases.acquire('job', 100)], [true, undefined]);
  now = 100;
  assert.is(await leases.isHeld('job'), false);
  assert.is(await held?.renew(100), false, 'whoever comes late has lost it');
  assert.ok(await leases.acquire('job', 100));
});

test('are renewed from now on, not from their end', async () => {
  let now = 0;
  const leases = new MemoryLeases(() => now);
  const held = await leases.acquire('job', 100);
  now = 50;
  assert.is(await held?.renew(100), true);
  now = 150;
  assert.is(await leases.isHeld('job'), false);
});

test.run();

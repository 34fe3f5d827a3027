/** The ids that codecs give to what a vendor left without one. */
import { randomBytes } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codecScope } from '../../../daemon/gateway/codec-scope.ts';

const test = suite('gateway: codec scope');
const MANY = 100_000;

/** Microseconds of a processor: what else the machine does takes none of it. */
function processorTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

test('ids are 24 letters and digits behind their prefix, and none comes twice', () => {
  const ids = new Set<string>();
  // Two scopes in turn: what one has used is never given to the other.
  const scopes = [codecScope({ model: 'm' }), codecScope({ model: 'm' })];
  for (let count = 0; count < 1000; count += 1) for (const scope of scopes) ids.add(scope.newId('call_'));
  assert.is(ids.size, 2000);
  for (const id of ids) assert.match(id, /^call_[0-9A-Za-z]{24}$/);
});

test('ids for an answer of very many calls take not even half the time of asking the system for each of them', () => {
  const scope = codecScope({ model: 'm' });
  const asking = processorTimeOf(() => {
    for (let count = 0; count < MANY; count += 1) randomBytes(24);
  });
  const making = processorTimeOf(() => {
    for (let count = 0; count < MANY; count += 1) scope.newId('call_');
  });
  assert.ok(making * 2 < asking, `${making} µs against ${asking} µs`);
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { holdsMoreThan, isDeeperThan } from '../../../daemon/gateway/json-depth.ts';
import { RequestIds } from '../../../daemon/gateway/request-id.ts';

const depth = suite('gateway/json-depth');

depth('counts nesting, not brackets inside strings', () => {
  const nested = (levels: number) => Buffer.from(`${'['.repeat(levels)}1${']'.repeat(levels)}${' '.repeat(300)}`);
  assert.is(isDeeperThan(nested(128), 128), false);
  assert.is(isDeeperThan(nested(129), 128), true);
  assert.is(isDeeperThan(Buffer.from(JSON.stringify({ a: '['.repeat(1000) })), 128), false);
  assert.is(isDeeperThan(Buffer.from(JSON.stringify({ a: '\\"[['.repeat(400) })), 128), false);
  assert.is(isDeeperThan(Buffer.from(`"${'['.repeat(500)}`), 128), false);
});
depth('counts values, not commas inside strings', () => {
  const list = (count: number) => Buffer.from(JSON.stringify(Array.from({ length: count }, () => 1)) + ' '.repeat(300));
  assert.is(holdsMoreThan(list(99), 100), false);
  assert.is(holdsMoreThan(list(100), 100), true);
  assert.is(holdsMoreThan(Buffer.from(`[${'{"a":1},'.repeat(49)}{"a":1}]`), 100), true);
  assert.is(holdsMoreThan(Buffer.from(JSON.stringify({ a: ',[{'.repeat(500) })), 100), false);
});
depth.run();

const ids = suite('gateway/request-id');

ids('names requests by time and chance', () => {
  const hour = () => new Date().toISOString().replace(/\D/g, '').slice(0, 10);
  const hours = [hour()];
  const source = new RequestIds();
  const made = Array.from({ length: 20_000 }, () => source.next());
  assert.is(new Set(made).size, made.length);
  for (const id of made.slice(0, 100)) assert.match(id, /^20\d{21}[A-Za-z0-9]{8}$/);
  hours.push(hour());
  assert.ok(hours.includes(made[0]?.slice(0, 10) ?? ''));
});
ids.run();

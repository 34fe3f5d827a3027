import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { overgrowthOf } from '../../../daemon/gateway/json-depth.ts';
import { RequestIds } from '../../../daemon/gateway/request-id.ts';

const depth = suite('gateway/json-depth');

const spaces = ' '.repeat(300);
const overgrowth = (text: string, limits: { deepest?: number; mostValues?: number; mostGroups?: number }) =>
  overgrowthOf(Buffer.from(text), { deepest: 128, mostValues: 100_000, ...limits })?.of;

depth('counts nesting, not brackets inside strings', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}${spaces}`;
  assert.is(overgrowth(nested(128), { deepest: 128 }), undefined);
  assert.is(overgrowth(nested(129), { deepest: 128 }), 'levels');
  assert.is(overgrowth(JSON.stringify({ a: '['.repeat(1000) }), { deepest: 128 }), undefined);
  assert.is(overgrowth(JSON.stringify({ a: '\\"[['.repeat(400) }), { deepest: 128 }), undefined);
  assert.is(overgrowth(`"${'['.repeat(500)}`, { deepest: 128 }), undefined);
});
depth('counts values, not commas inside strings', () => {
  const list = (count: number) => JSON.stringify(Array.from({ length: count }, () => 1)) + spaces;
  assert.is(overgrowth(list(99), { mostValues: 100 }), undefined);
  assert.is(overgrowth(list(100), { mostValues: 100 }), 'values');
  assert.is(overgrowth(`[${'{"a":1},'.repeat(49)}{"a":1}]`, { mostValues: 100 }), 'values');
  assert.is(overgrowth(JSON.stringify({ a: ',[{'.repeat(500) }), { mostValues: 100 }), undefined);
});
depth('counts objects and lists apart from what stands in them', () => {
  const objects = (count: number) => `[${'{"a":1,"b":2},'.repeat(count - 2)}{}]${spaces}`;
  assert.is(overgrowth(objects(100), { mostGroups: 100 }), undefined);
  assert.is(overgrowth(objects(101), { mostGroups: 100 }), 'groups');
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

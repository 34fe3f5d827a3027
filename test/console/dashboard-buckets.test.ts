/** Hours of UTC become hours, days and weeks of the site's zone. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bucketsOf, isDay, modelSums, startOfDay, sumsOf } from '../../console/pages/dashboard/dashboard-buckets.ts';
import { logRangeOf, spanBefore, spanOf, unitIn } from '../../console/pages/dashboard/dashboard-range.ts';
import type { UsageDataView } from '../../daemon/contract/usage-data.ts';

const test = suite('console/dashboard-buckets');

const at = (text: string): number => Date.parse(text) / 1000;
const row = (moment: string, quota = 1, model_name = 'a'): UsageDataView => ({
  id: 0,
  user_id: 0,
  username: '',
  model_name,
  created_at: at(moment),
  token_used: 10,
  count: 2,
  quota,
});

test('a day of 25 hours is one day, and keeps all of its hours', () => {
  const zone = 'America/New_York';
  const from = startOfDay('2026-11-01', zone);
  const to = startOfDay('2026-11-02', zone);
  assert.is(from, at('2026-11-01T04:00:00Z'));
  assert.is(to - from, 25 * 3600);
  const rows = [row('2026-11-01T04:00:00Z'), row('2026-11-02T04:00:00Z', 5), row('2026-11-02T05:00:00Z', 7)];
  const days = bucketsOf(rows, { from, to: to + 3600, unit: 'day', zone });
  assert.equal(
    days.map(({ name, rows: own }) => [name, sumsOf(own).quota]),
    [
      ['2026-11-01', 6],
      ['2026-11-02', 7],
    ],
  );
  // The hour that runs twice is one.
  assert.is(bucketsOf([], { from, to, unit: 'hour', zone }).length, 24);
});

test('a day of 23 hours has 23', () => {
  const zone = 'America/New_York';
  const from = startOfDay('2026-03-08', zone);
  const to = startOfDay('2026-03-09', zone);
  assert.is(to - from, 23 * 3600);
  assert.is(bucketsOf([], { from, to, unit: 'hour', zone }).length, 23);
});

test('a week begins on Monday of the zone', () => {
  const zone = 'Asia/Shanghai';
  const from = startOfDay('2026-11-15', zone);
  const rows = [row('2026-11-15T15:00:00Z', 1), row('2026-11-15T16:00:00Z', 2)];
  const weeks = bucketsOf(rows, { from, to: startOfDay('2026-11-17', zone), unit: 'week', zone });
  assert.equal(
    weeks.map(({ name, rows: own }) => [name, sumsOf(own).quota]),
    [
      ['2026-11-09', 1],
      ['2026-11-16', 2],
    ],
  );
});

test('models are summed, the dearest first', () => {
  assert.equal(modelSums([row('2026-11-15T15:00:00Z', 1), row('2026-11-15T15:00:00Z', 4, 'b')]), [
    { model: 'b', quota: 4, count: 2, tokens: 10 },
    { model: 'a', quota: 1, count: 2, tokens: 10 },
  ]);
});

test('the address names the span, and nonsense in it is passed over', () => {
  const now = at('2026-11-22T04:10:00Z');
  const read = (text: string) => spanOf(new URLSearchParams(text), 'hour', now, 'UTC');
  assert.is(read('').from, at('2026-11-21T05:00:00Z'));
  assert.is(read('range=7d&unit=day').from, at('2026-11-16T00:00:00Z'));
  assert.is(read('start=2026-11-01&end=2026-11-02').to, at('2026-11-03T00:00:00Z'));
  assert.is(read('start=2026-02-31&end=x&unit=year').range, '24h');
  assert.not(isDay('2026-02-31'));
  // The day after it is none of four digits.
  assert.not(isDay('9999-12-31'));
});

test('a span counts days of the calendar, so that one of 25 hours is no day more', () => {
  const zone = 'America/New_York';
  const own = spanOf(new URLSearchParams('start=2026-10-15&end=2026-11-14'), 'day', at('2026-11-20T00:00:00Z'), zone);
  assert.is(own.days, 31);
  assert.is(own.to - own.from, 31 * 86_400 + 3600);
});

test('a range that is chosen is drawn in bars that can be told apart', () => {
  const drawn = (range: Parameters<typeof unitIn>[0]) =>
    (['hour', 'day', 'week'] as const).map((unit) => unitIn(range, unit));
  assert.equal(drawn('24h'), ['hour', 'hour', 'hour']);
  assert.equal(drawn('7d'), ['hour', 'day', 'week']);
  assert.equal(drawn('30d'), ['day', 'day', 'week']);
});

test('the period before is as long, and of a running day has the same hours', () => {
  const now = at('2026-11-20T09:30:00Z');
  const lengths = (['today', '24h', '7d', '30d'] as const).map((range) => {
    const span = spanOf(new URLSearchParams({ range }), 'day', now, 'UTC');
    const before = spanBefore(span);
    assert.is(before.to - before.from, span.to - span.from, range);
    return (span.to - before.to) / 86_400;
  });
  assert.equal(lengths, [1, 1, 7, 30]);
});

test('the log that a figure leads to begins where the figure does, wherever the browser is', () => {
  // Past midnight in Shanghai; a browser elsewhere has yesterday.
  const now = at('2026-11-20T17:30:00Z');
  const read = (text: string) => logRangeOf(spanOf(new URLSearchParams(text), 'day', now, 'Asia/Shanghai'));
  assert.is(read('range=today'), `${at('2026-11-20T16:00:00Z')}-`);
  assert.is(read('range=7d'), `${at('2026-11-14T16:00:00Z')}-`);
  assert.is(read('range=24h'), `${at('2026-11-19T18:00:00Z')}-`);
  assert.is(read('start=2026-11-01&end=2026-11-02'), `${at('2026-10-31T16:00:00Z')}-${at('2026-11-02T16:00:00Z') - 1}`);
});

test.run();

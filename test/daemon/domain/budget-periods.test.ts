import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BudgetPeriod } from '../../../daemon/contract/budgets.ts';
import { BudgetPeriods } from '../../../daemon/domain/budget-periods.ts';

const test = suite('periods of budgets');

const at = (iso: string) => Date.parse(iso) / 1000;

/** Begin and end of the period of a moment, as UTC. */
function span(zone: string, per: BudgetPeriod, moment: string): [string, string] {
  const { startsAt, endsAt } = new BudgetPeriods(zone).at(per, at(moment));
  const text = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 16);
  return [text(startsAt), text(endsAt)];
}

test('changes the day at midnight of the zone, to the second', () => {
  const berlin = (moment: string) => span('Europe/Berlin', 'day', moment);
  assert.equal(berlin('2026-11-22T22:59:59Z'), ['2026-11-21T23:00', '2026-11-22T23:00']);
  assert.equal(berlin('2026-11-22T23:00:00Z'), ['2026-11-22T23:00', '2026-11-23T23:00']);
  assert.equal(span('UTC', 'day', '2026-11-22T00:00:00Z'), ['2026-11-22T00:00', '2026-11-23T00:00']);
});

test('gives the days on which the clock changes 23 and 25 hours', () => {
  assert.equal(span('Europe/Berlin', 'day', '2026-03-29T12:00:00Z'), ['2026-03-28T23:00', '2026-03-29T22:00']);
  assert.equal(span('Europe/Berlin', 'day', '2026-10-25T00:30:00Z'), ['2026-10-24T22:00', '2026-10-25T23:00']);
  assert.equal(span('Europe/Berlin', 'day', '2026-10-25T22:59:59Z'), ['2026-10-24T22:00', '2026-10-25T23:00']);
});

test('counts the hour that the clock shows twice as two', () => {
  assert.equal(span('Europe/Berlin', 'hour', '2026-10-25T00:30:00Z'), ['2026-10-25T00:00', '2026-10-25T01:00']);
  assert.equal(span('Europe/Berlin', 'hour', '2026-10-25T01:30:00Z'), ['2026-10-25T01:00', '2026-10-25T02:00']);
  assert.equal(span('Asia/Kolkata', 'hour', '2026-10-25T01:29:59Z'), ['2026-10-25T00:30', '2026-10-25T01:30']);
});

test('begins weeks on Monday and months on the first, across a change of the clock', () => {
  assert.equal(span('Europe/Berlin', 'week', '2026-10-25T22:59:59Z'), ['2026-10-18T22:00', '2026-10-25T23:00']);
  assert.equal(span('Europe/Berlin', 'week', '2026-10-25T23:00:00Z'), ['2026-10-25T23:00', '2026-11-01T23:00']);
  assert.equal(span('Europe/Berlin', 'month', '2026-10-31T22:59:59Z'), ['2026-09-30T22:00', '2026-10-31T23:00']);
  assert.equal(span('Europe/Berlin', 'month', '2026-12-31T23:00:00Z'), ['2026-12-31T23:00', '2027-01-31T23:00']);
  assert.equal(span('UTC', 'month', '2028-02-29T12:00:00Z'), ['2028-02-01T00:00', '2028-03-01T00:00']);
});

test('knows days that skip midnight, and dates that a zone never had', () => {
  // Clocks in Cairo went from 24 April 24:00 to 01:00; Samoa had no 30 December 2011.
  assert.equal(span('Africa/Cairo', 'day', '2026-04-24T12:00:00Z'), ['2026-04-23T22:00', '2026-04-24T21:00']);
  assert.equal(span('Pacific/Apia', 'day', '2011-12-30T09:59:59Z'), ['2011-12-29T10:00', '2011-12-30T10:00']);
  assert.equal(span('Pacific/Apia', 'day', '2011-12-30T10:00:00Z'), ['2011-12-30T10:00', '2011-12-31T10:00']);
});

test('remembers a period no longer than it lasts, and goes back with the clock', () => {
  const periods = new BudgetPeriods('UTC');
  const first = periods.at('day', at('2026-11-22T23:59:59Z'));
  assert.is(periods.at('day', at('2026-11-22T00:00:00Z')), first);
  assert.is(periods.at('day', at('2026-11-23T00:00:00Z')).startsAt, first.endsAt);
  assert.equal(periods.at('day', at('2026-11-22T12:00:00Z')), first);
});

test('writes a moment as the clocks of the site show it', () => {
  assert.is(new BudgetPeriods('Asia/Shanghai').write(at('2026-11-30T16:00:00Z')), '2026-12-01 00:00 (Asia/Shanghai)');
});

test.run();

/** Moments by the clock of the server, wherever they are read. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { knownZone, momentIn } from '../../console/components/site-time.ts';

const test = suite('console/site-time');
const at = (moment: string) => Date.parse(moment) / 1000;

test('midnight of the server is told as midnight, on both sides of a change of its clocks', () => {
  const zone = 'America/New_York';
  assert.equal(momentIn(zone, at('2026-11-01T04:00:00Z')), { time: '2026-11-01 00:00:00', zone });
  assert.equal(momentIn(zone, at('2026-11-02T05:00:00Z')), { time: '2026-11-02 00:00:00', zone });
  assert.equal(momentIn('Asia/Shanghai', at('2026-11-30T16:00:00Z')).time, '2026-12-01 00:00:00');
});

test('a zone that the browser does not know, or that is not known yet, is read and named as UTC', () => {
  assert.is(knownZone('Nowhere/Here'), 'UTC');
  assert.equal(momentIn('Nowhere/Here', at('2026-12-01T00:00:00Z')), { time: '2026-12-01 00:00:00', zone: 'UTC' });
  assert.is(momentIn(undefined, at('2026-12-01T00:00:00Z')).zone, 'UTC');
});

test('a number that no date can say is shown as it is', () => {
  assert.is(momentIn('UTC', 9e15).time, '9000000000000000');
});

test.run();

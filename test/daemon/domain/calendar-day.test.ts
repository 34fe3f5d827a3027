import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CalendarDays } from '../../../daemon/domain/calendar-day.ts';

const days = suite('calendar days');
const at = (text: string) => Date.parse(text) / 1000;

days('are those of the zone, not of UTC', () => {
  const moment = at('2026-07-31T18:30:00Z');
  assert.is(new CalendarDays('UTC').dayOf(moment), '2026-07-31');
  assert.is(new CalendarDays('Asia/Shanghai').dayOf(moment), '2026-08-01');
  assert.is(new CalendarDays('America/New_York').dayOf(at('2026-01-01T04:59:59Z')), '2025-12-31');
});

days('begin at midnight of the zone, also when a day has 23 or 25 hours or no midnight', () => {
  const next = (zone: string, text: string) =>
    new Date(new CalendarDays(zone).nextDayStart(at(text)) * 1000).toISOString();
  assert.is(next('UTC', '2026-07-31T00:00:00Z'), '2026-08-01T00:00:00.000Z');
  assert.is(next('UTC', '2026-07-31T23:59:59Z'), '2026-08-01T00:00:00.000Z');
  assert.is(next('Asia/Shanghai', '2026-07-31T18:30:00Z'), '2026-08-01T16:00:00.000Z');
  assert.is(next('Europe/Berlin', '2026-03-28T23:30:00Z'), '2026-03-29T22:00:00.000Z');
  assert.is(next('Europe/Berlin', '2026-10-24T22:30:00Z'), '2026-10-25T23:00:00.000Z');
  // Clocks in Santiago go from 23:59:59 to 01:00:00.
  assert.is(next('America/Santiago', '2026-09-05T12:00:00Z'), '2026-09-06T04:00:00.000Z');
});

days.run();

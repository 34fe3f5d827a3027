import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CliError } from '../../../cli/errors.ts';
import { parseDuration, parseTime, timerMs } from '../../../cli/input/time.ts';

const times = suite('times as people write them');
// 2026-11-21T12:00:00Z
const now = 1_795_262_400;
const past = { now, zone: 'UTC', direction: 'past', field: '--since' } as const;

times('counts durations back for since and forward for expiry', () => {
  assert.is(parseTime('2h', past), now - 7200);
  assert.is(parseTime('2h', { ...past, direction: 'future' }), now + 7200);
  assert.is(parseTime('+1d', past), now + 86_400);
  assert.is(parseTime('-1d', { ...past, direction: 'future' }), now - 86_400);
});

times('starts today and yesterday at midnight of the zone', () => {
  assert.is(parseTime('today', past), Date.UTC(2026, 10, 21) / 1000);
  assert.is(parseTime('yesterday', past), Date.UTC(2026, 10, 20) / 1000);
  assert.is(parseTime('today', { ...past, zone: 'Asia/Shanghai' }), Date.UTC(2026, 10, 20, 16) / 1000);
});

times('reads dates in the zone and offsets as they stand', () => {
  assert.is(parseTime('2026-11-01', { ...past, zone: 'Asia/Shanghai' }), Date.UTC(2026, 9, 31, 16) / 1000);
  assert.is(parseTime('2026-11-01T08:00:00+08:00', past), Date.UTC(2026, 10, 1) / 1000);
  assert.is(parseTime('2026-11-01T08:00-0530', past), Date.UTC(2026, 10, 1, 13, 30) / 1000);
  assert.is(parseTime('2026-11-01 08:00:30.75Z', past), Date.UTC(2026, 10, 1, 8, 0, 30) / 1000);
  assert.is(parseTime('2024-02-29t08:00z', past), Date.UTC(2024, 1, 29, 8) / 1000);
  assert.is(parseTime('@1793491200', past), 1_793_491_200);
});

times('keeps the wall clock on both sides of a clock change', () => {
  const zone = 'America/New_York';
  assert.is(parseTime('2026-11-01T00:30', { ...past, zone }), Date.UTC(2026, 10, 1, 4, 30) / 1000);
  assert.is(parseTime('2026-11-01T03:00', { ...past, zone }), Date.UTC(2026, 10, 1, 8) / 1000);
});

times(
  'begins a day whose midnight is skipped with its first second, and reads skipped and repeated times alike everywhere',
  () => {
    const noon = Date.UTC(2026, 8, 6, 16) / 1000;
    assert.is(parseTime('today', { ...past, now: noon, zone: 'America/Santiago' }), Date.UTC(2026, 8, 6, 4) / 1000);
    for (const [text, zone, utc] of [
      ['2026-03-08', 'America/Havana', '2026-03-08T05:00Z'],
      ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00Z'],
      ['2026-03-08T02:30', 'America/New_York', '2026-03-08T07:30Z'],
      ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30Z'],
      ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30Z'],
      ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30Z'],
      // Samoa had no 30th of December at all.
      ['2011-12-31', 'Pacific/Apia', '2011-12-30T10:00Z'],
    ] as const) {
      assert.is(parseTime(text, { ...past, zone }), Date.parse(utc) / 1000, `${text} ${zone}`);
    }
  },
);

times('refuses days that do not exist and words that are no time', () => {
  const none = [
    '2026-02-30',
    '2026-13-01',
    '2026-00-10',
    '2026-11-00',
    '2026-11-01T12:75',
    '2026-11-01T24:00',
    '2026-11-01T08:00:60',
  ];
  const offsets = [
    '2026-02-30T08:00Z',
    '2026-11-01T08:00+24:00',
    '2026-11-01T08:00+08:60',
    '2026-11-01 noon Z',
    '2026-11-01Z',
  ];
  const beyond = ['@99999999999999999', '@253402300800', '9999999999w', '0000-01-01', '12026-11-01'];
  for (const text of [...none, ...offsets, ...beyond, 'soon', '5x', '']) {
    assert.throws(
      () => parseTime(text, past),
      (error: unknown) => error instanceof CliError && error.exitCode === 3,
      text,
    );
  }
  assert.is(parseTime('9999-12-31T23:59:59Z', past), 253_402_300_799);
  assert.is(parseDuration('15m', '--timeout'), 900);
  assert.is(timerMs(900), 900_000);
  assert.is(timerMs(parseDuration('30d', '--timeout')), 2_147_483_647);
});

times.run();

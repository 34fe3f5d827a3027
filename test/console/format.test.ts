/** Figures as the console shows them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  formatBytes,
  formatCount,
  formatDay,
  formatDollars,
  formatDuration,
  formatInteger,
  formatMoney,
  formatPercent,
  formatQuota,
  formatQuotaExact,
  formatRatio,
  formatRelative,
  formatTime,
  formatUtc,
  isDate,
  shortenMiddle,
} from '../../console/components/format.ts';

const test = suite('console/format');

const dollars = { quotaPerUnit: 500_000, isCurrency: true };

test('money has two decimals from one dollar up and up to six that count below', () => {
  const cases: [number, string][] = [
    [0, '$0.00'],
    [1, '$0.000002'],
    [3625, '$0.00725'],
    [250_000, '$0.50'],
    [499_999, '$0.999998'],
    [500_000, '$1.00'],
    [617_283_945, '$1,234.57'],
    [-500_000, '−$1.00'],
    [-3625, '−$0.00725'],
    [9_007_199_254_740_991, '$18,014,398,509.48'],
  ];
  for (const [quota, text] of cases) assert.is(formatQuota(quota, dollars), text);
});

test('money is exact where floating point is not', () => {
  // 1.005 dollars: as a float it lies below and would round down.
  assert.is(formatDollars(502_500, 500_000), '$1.01');
  assert.is(formatDollars(1, 3), '$0.333333');
  assert.is(formatDollars(1, 7.3), '$0.136986');
  assert.is(formatDollars(2_999_999, 3_000_000), '$1.00');
  assert.is(formatDollars(5, 0), '$5.00');
});

test('without currency, quota is a plain number; its title has both', () => {
  assert.is(formatQuota(3625, { ...dollars, isCurrency: false }), '3,625');
  assert.is(formatQuota(12_345_678, { ...dollars, isCurrency: false }), '12.3M');
  assert.is(formatQuotaExact(3625, dollars), '3,625 ≈ $0.007250');
  assert.is(formatQuotaExact(-1_000_000, dollars), '−1,000,000 ≈ −$2.000000');
});

test('large numbers are shortened from ten thousand on', () => {
  const cases: [number, string][] = [
    [0, '0'],
    [9999, '9,999'],
    [10_000, '10.0k'],
    [12_345, '12.3k'],
    [999_949, '999.9k'],
    [999_950, '1.0M'],
    [1_250_000, '1.3M'],
    [999_950_000, '1.0B'],
    [1_234_500_000_000, '1,234.5B'],
    [-12_345, '−12.3k'],
  ];
  for (const [value, text] of cases) assert.is(formatCount(value), text);
  assert.is(formatInteger(1_234_567), '1,234,567');
  assert.is(formatInteger(-1234), '−1,234');
});

test('durations', () => {
  const cases: [number, string][] = [
    [0, '0 s'],
    [1.84, '1.8 s'],
    [1.96, '2 s'],
    [12.4, '12 s'],
    [59.7, '1 m'],
    [200, '3 m 20 s'],
    [3600, '1 h'],
    [7500, '2 h 5 m'],
    [86_399, '1 d'],
    [273_600, '3 d 4 h'],
    [-1, '0 s'],
  ];
  for (const [seconds, text] of cases) assert.is(formatDuration(seconds), text);
});

test('ratios, percentages, sizes', () => {
  assert.is(formatRatio(1), '1x');
  assert.is(formatRatio(0.1 + 0.2), '0.3x');
  assert.is(formatPercent(0.1234), '12.3%');
  assert.is(formatPercent(0), '0.0%');
  assert.is(formatPercent(-0.00001), '0.0%');
  assert.is(formatBytes(812), '812 B');
  assert.is(formatBytes(1_468_006), '1.4 MB');
});

test('times', () => {
  assert.is(formatUtc(1_763_692_325), '2025-11-21 02:32:05 UTC');
  assert.match(formatTime(1_763_692_325), /^2025-11-2\d \d\d:\d\d:05$/);
  assert.is(formatRelative(1000, 1000 + 200, 'en'), '3 minutes ago');
  assert.is(formatRelative(1000 + 2 * 86_400, 1000, 'en'), 'in 2 days');
  assert.match(formatRelative(1000, 1000 + 7200, 'zh'), /2小时前/);
});

test('an expiry beyond all dates, such as one counted in microseconds, is shown as it is kept', () => {
  assert.not(isDate(1_795_883_110_000_000));
  assert.ok(isDate(8_640_000_000_000));
  assert.is(formatTime(1_795_883_110_000_000), '1795883110000000');
  assert.is(formatDay(1_795_883_110_000_000), '1795883110000000');
});

test('long ids keep both ends', () => {
  assert.is(shortenMiddle('short'), 'short');
  assert.is(shortenMiddle('req_0123456789abcdefghij', 12), 'req_0123…hij');
});

test('money keeps its digits, grouped by thousands', () => {
  assert.is(formatMoney('999999999999.99', 'CNY'), '999,999,999,999.99 CNY');
  assert.is(formatMoney('73.00', 'USD'), '73.00 USD');
  assert.is(formatMoney('1000', 'JPY'), '1,000 JPY');
});

test.run();

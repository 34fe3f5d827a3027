/** Amounts as they are typed into the console. */
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dollarDecimals, type MoneyUnit, readMoney, stepOf, writeMoney } from '../../console/components/money-text.ts';

const test = suite('console/money-text');

const unit = 500_000;

test('what people type is read as whole quota', () => {
  const cases: [string, MoneyUnit, number][] = [
    ['1.5', 'dollar', 750_000],
    ['$ 1.50', 'dollar', 750_000],
    ['1,500', 'dollar', 750_000_000],
    ['1,500.25', 'dollar', 750_125_000],
    ['１．５', 'dollar', 750_000],
    ['１，５００', 'quota', 1500],
    ['1。5', 'dollar', 750_000],
    ['.5', 'dollar', 250_000],
    ['5.', 'dollar', 2_500_000],
    ['0.000002', 'dollar', 1],
    ['0.10', 'dollar', 50_000],
    ['0.3', 'dollar', 150_000],
    ['-2', 'dollar', -1_000_000],
    ['−2', 'quota', -2],
    ['-0', 'quota', 0],
    ['1_000', 'quota', 1000],
    ['007', 'quota', 7],
    ['12.0', 'quota', 12],
  ];
  for (const [text, kind, value] of cases) assert.equal(readMoney(text, kind, unit), { value }, text);
});

test('what is no amount, or finer than one unit, is refused', () => {
  const cases: [string, MoneyUnit, string][] = [
    ['', 'dollar', 'empty'],
    ['  ', 'quota', 'empty'],
    ['.', 'dollar', 'unreadable'],
    ['abc', 'dollar', 'unreadable'],
    ['1.2.3', 'dollar', 'unreadable'],
    ['1e5', 'quota', 'unreadable'],
    ['1,5', 'dollar', 'unreadable'],
    ['15,00', 'dollar', 'unreadable'],
    ['0.000001', 'dollar', 'tooPrecise'],
    ['0.0000025', 'dollar', 'tooPrecise'],
    ['1.5', 'quota', 'tooPrecise'],
    ['9007199254740993', 'quota', 'tooLarge'],
    ['99999999999999', 'dollar', 'tooLarge'],
  ];
  for (const [text, kind, refused] of cases) assert.equal(readMoney(text, kind, unit), { refused }, text);
});

test('an amount is written to be edited', () => {
  assert.is(writeMoney(750_000, 'dollar', unit), '1.50');
  assert.is(writeMoney(1, 'dollar', unit), '0.000002');
  assert.is(writeMoney(-1_000_000, 'dollar', unit), '-2.00');
  assert.is(writeMoney(0, 'dollar', unit), '0.00');
  assert.is(writeMoney(1500, 'quota', unit), '1500');
  assert.is(writeMoney(Number.NaN, 'dollar', unit), '');
  assert.is(dollarDecimals(500_000), 6);
  assert.is(dollarDecimals(1), 2);
  assert.is(stepOf('dollar', unit), 5000);
  assert.is(stepOf('dollar', 10), 1);
  assert.is(stepOf('quota', unit), 1);
});

test('what is written is read back as the same amount, whatever a dollar is worth', () => {
  const units = fc.constantFrom(500_000, 1, 3, 7, 1000, 300_000, 333_333, 0.5, 1_000_000, 123.25);
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 1e12 }), units, (value, quotaPerUnit) => {
      for (const kind of ['dollar', 'quota'] as const) {
        assert.equal(readMoney(writeMoney(value, kind, quotaPerUnit), kind, quotaPerUnit), {
          value: Object.is(value, -0) ? 0 : value,
        });
      }
    }),
  );
});

test.run();

import { Decimal as Reference } from 'decimal.js';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Decimal } from '../../../daemon/domain/decimal.ts';

const Exact = Reference.clone({ precision: 2000, rounding: Reference.ROUND_HALF_UP });
const anyNumber = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: 0, max: 1e6, noNaN: true }),
  fc.integer(),
  fc.integer({ min: 0, max: 1_000_000 }).map((value) => value / 1000),
);

const text = (value: Decimal) => new Exact(value.digits.toString()).div(new Exact(10).pow(value.scale)).toFixed();

const decimals = suite('exact decimals');

decimals('reads every finite double as the shortest decimal that a person would write', () => {
  assert.is(text(Decimal.of(0.1)), '0.1');
  assert.is(text(Decimal.of(1e-7)), '0.0000001');
  assert.is(text(Decimal.of(1.5e21)), '1500000000000000000000');
  fc.assert(fc.property(anyNumber, (value) => text(Decimal.of(value)) === new Exact(value).toFixed()));
});

decimals('refuses what is not finite', () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    assert.throws(() => Decimal.of(value), /not a finite number/);
  }
  assert.throws(() => Decimal.ONE.timesInteger(0.5), /cannot be converted to a BigInt/);
});

decimals('adds and multiplies like the reference', () => {
  fc.assert(
    fc.property(anyNumber, anyNumber, fc.maxSafeInteger(), (left, right, count) => {
      assert.is(text(Decimal.of(left).plus(Decimal.of(right))), new Exact(left).plus(right).toFixed());
      assert.is(text(Decimal.of(left).times(Decimal.of(right))), new Exact(left).times(right).toFixed());
      assert.is(text(Decimal.of(left).timesInteger(count)), new Exact(left).times(count).toFixed());
      assert.is(Decimal.of(left).isGreaterThan(Decimal.of(right)), new Exact(left).greaterThan(right));
    }),
  );
});

decimals('rounds half away from zero and up like the reference', () => {
  assert.is(Decimal.of(1812.5).round(), 1813n);
  assert.is(Decimal.of(-1812.5).round(), -1813n);
  assert.is(Decimal.of(52.499999).round(), 52n);
  fc.assert(
    fc.property(anyNumber, fc.integer({ min: 0, max: 8 }), (value, places) => {
      const exact = Decimal.of(value);
      assert.is(exact.round().toString(), new Exact(value).toDecimalPlaces(0).toFixed().replace('-0', '0'));
      assert.is(exact.ceil().toString(), new Exact(value).ceil().toFixed().replace(/^-0$/, '0'));
      assert.is(text(exact.roundTo(places)), new Exact(value).toDecimalPlaces(places).toFixed());
    }),
  );
});

decimals('gives back the double it was made from', () => {
  fc.assert(fc.property(anyNumber, (value) => Decimal.of(value).toNumber() === value));
});

decimals.run();

/** Prices of top-ups (management-api.md 5.6): exact, and never cheaper than the formula. */
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OptionValues } from '../../../daemon/contract/options.ts';
import { isSameMoney, quoteTopUp } from '../../../daemon/domain/top-up-price.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import { optionsView } from '../../support/options-view.ts';

const prices = suite('prices of top-ups');

function quote(amount: number, options: OptionValues, group = 'default') {
  const { money, quota } = quoteTopUp(amount, group, optionsView(options));
  return [money, quota];
}

function refusal(amount: number, options: OptionValues): string {
  try {
    quoteTopUp(amount, 'default', optionsView(options));
    return 'none';
  } catch (error) {
    return error instanceof TollgateError ? `${error.code} ${error.params.min ?? ''}`.trim() : String(error);
  }
}

const inUnits: OptionValues = { DisplayInCurrencyEnabled: false };

prices('are units × price × ratio of the group, rounded half up to cents', () => {
  assert.equal(quote(10, {}), ['73.00', 5_000_000]);
  assert.equal(quote(1, { Price: 0.125 }), ['0.13', 500_000]);
  assert.equal(quote(3, { Price: 0.115 }), ['0.35', 1_500_000]);
  assert.equal(quote(1, { Price: 1.005 }), ['1.01', 500_000]);
  assert.equal(quote(10, { TopupGroupRatio: { vip: 0.9 } }, 'vip'), ['65.70', 5_000_000]);
});

prices('take a ratio of 0, or none, as 1', () => {
  const options = { TopupGroupRatio: { free: 0 } };
  assert.equal(quote(10, options, 'free'), ['73.00', 5_000_000]);
  assert.equal(quote(10, options, 'nowhere'), ['73.00', 5_000_000]);
  assert.equal(quote(10, options, 'constructor'), ['73.00', 5_000_000]);
});

prices('of quota units credit exactly what was bought', () => {
  assert.equal(quote(750_001, inUnits), ['10.95', 750_001]);
  assert.equal(quote(500_000, { ...inUnits, QuotaPerUnit: 300_000 }), ['12.17', 500_000]);
});

prices('begin at the minimum', () => {
  assert.is(refusal(4, { MinTopUp: 5 }), 'pay_min 5');
  assert.is(refusal(0, {}), 'pay_min 1');
  assert.is(refusal(-3, {}), 'pay_min 1');
  assert.is(refusal(499_999, inUnits), 'pay_min 500000');
  assert.equal(quote(500_000, inUnits), ['7.30', 500_000]);
});

prices('below a cent and beyond what can be kept are refused', () => {
  assert.is(refusal(1, { Price: 0.004 }), 'pay_low');
  assert.equal(quote(1, { Price: 0.005 }), ['0.01', 500_000]);
  assert.is(refusal(Number.MAX_SAFE_INTEGER, {}), 'invalid_params');
  assert.is(refusal(10 ** 11, { Price: 10, QuotaPerUnit: 1 }), 'invalid_params');
});

prices('that would bring nothing are refused', () => {
  assert.is(refusal(1, { QuotaPerUnit: 0.4 }), 'pay_low');
  assert.equal(quote(1, { QuotaPerUnit: 0.5 }), ['7.30', 1]);
  assert.equal(quote(3, { QuotaPerUnit: 0.4 }), ['21.90', 1]);
});

prices('are never off by more than half a cent', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 1, max: 1000 }),
      (amount, milliPrice, centiRatio) => {
        const options = { Price: milliPrice / 1000, TopupGroupRatio: { default: centiRatio / 100 } };
        const exact = BigInt(amount) * BigInt(milliPrice) * BigInt(centiRatio); // 1/100,000
        if (exact < 1000n) return;
        const [money = ''] = quote(amount, options);
        const cents = BigInt(String(money).replace('.', ''));
        const off = cents * 1000n - exact;
        assert.ok(off > -500n && off <= 500n, `${amount} ${milliPrice} ${centiRatio}: ${money}`);
      },
    ),
  );
});

prices('are compared to the cent, as plain decimals alone', () => {
  for (const [left, right] of [
    ['10', '10.00'],
    ['10.5', '10.50'],
    ['10.500000', '10.50'],
    ['0010.50', '10.5'],
  ] as const) {
    assert.ok(isSameMoney(left, right), left);
  }
  for (const text of ['10.51', '10.501', '1e1', '-10.50', '+10.50', ' 10.50', '10,50', '', 'NaN', '0x0a.5', '10.50 ']) {
    assert.not(isSameMoney(text, '10.50'), text);
  }
});

prices.run();

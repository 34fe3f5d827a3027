/** What a top-up costs and brings (management-api.md 5.6), on exact decimals. */
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import { Decimal } from './decimal.ts';

export interface TopUpQuote {
  /** As entered. */
  readonly amount: number;
  /** Units that the balance gains. */
  readonly quota: number;
  /** Two decimals, in the currency of the option `Price`. */
  readonly money: string;
}

/** The money column holds 12 digits before the point. */
const mostMoney = Decimal.of(10 ** 12);
const leastMoney = new Decimal(1n, 2);

/**
 * Prices an amount for a user of this group: USD while amounts are shown in currency, else quota units. Throws
 * `pay_min`, `pay_low`, and `invalid_params` for amounts beyond every measure.
 */
export function quoteTopUp(amount: number, group: string, options: OptionsView): TopUpQuote {
  const perUsd = Decimal.of(options.get('QuotaPerUnit'));
  const inCurrency = options.get('DisplayInCurrencyEnabled');
  const least = Decimal.of(options.get('MinTopUp')).times(inCurrency ? Decimal.ONE : perUsd);
  if (amount <= 0 || least.isGreaterThan(Decimal.of(amount))) {
    throw new TollgateError('pay_min', { min: Number(least.ceil()) }, { field: 'amount' });
  }
  const rate = Decimal.of(options.get('Price')).times(Decimal.of(groupFactor(group, options)));
  const money = Decimal.of(amount)
    .times(rate)
    .dividedBy(inCurrency ? Decimal.ONE : perUsd, 2);
  const quota = inCurrency ? Number(Decimal.of(amount).times(perUsd).round()) : amount;
  // With a tiny unit an amount may bring nothing: nobody pays for that.
  if (leastMoney.isGreaterThan(money) || quota < 1) throw new TollgateError('pay_low', {}, { field: 'amount' });
  if (!Number.isSafeInteger(quota) || !mostMoney.isGreaterThan(money)) {
    throw new TollgateError('invalid_params', {}, { field: 'amount' });
  }
  return { amount, quota, money: money.toString() };
}

/** 0 and absent count as 1. */
function groupFactor(group: string, options: OptionsView): number {
  const factors = options.get('TopupGroupRatio');
  return (Object.hasOwn(factors, group) ? factors[group] : undefined) || 1;
}

/** True when both texts are the same amount to the cent; anything that is no plain decimal equals nothing. */
export function isSameMoney(left: string, right: string): boolean {
  const [first, second] = [centsOf(left), centsOf(right)];
  return first !== undefined && first === second;
}

/** Cents; undefined for a text with more than cents in it, or none. */
function centsOf(text: string): bigint | undefined {
  const match = /^(\d{1,12})(?:\.(\d{1,2})0{0,10})?$/.exec(text);
  return match ? BigInt(match[1] ?? '0') * 100n + BigInt((match[2] ?? '').padEnd(2, '0')) : undefined;
}

/** Amounts as they are typed: decimal text to whole quota and back, without a binary fraction in between. */
import { fractionOf } from './format.ts';

export type MoneyUnit = 'quota' | 'dollar';

export type MoneyRefusal = 'empty' | 'unreadable' | 'tooPrecise' | 'tooLarge';

export type ReadMoney = { readonly value: number } | { readonly refused: MoneyRefusal };

/** Decimals that tell one unit of quota from the next. */
export function dollarDecimals(quotaPerUnit: number): number {
  const { numerator, denominator } = fractionOf(quotaPerUnit);
  let decimals = 0;
  for (let power = denominator; power < numerator && decimals < 18; power *= 10n) decimals += 1;
  return Math.max(2, decimals);
}

/** `1.5`, `1,500`, `１．５`, `$ 2`, `-3`: what people type for a number; undefined for anything else. */
function decimalOf(text: string): { isNegative: boolean; whole: string; decimals: string } | undefined {
  const plain = text
    .normalize('NFKC')
    .replaceAll(/[\s_$]/g, '')
    .replaceAll('。', '.')
    .replace(/^[−–]/, '-');
  const parts = /^([+-]?)(\d{1,3}(?:,\d{3})+|\d*)(?:\.(\d*))?$/.exec(plain);
  if (!parts) return undefined;
  const [, sign, grouped = '', decimals = ''] = parts;
  const whole = grouped.replaceAll(',', '');
  if (whole === '' && decimals === '') return undefined;
  return { isNegative: sign === '-', whole: whole === '' ? '0' : whole, decimals: decimals.replace(/0+$/, '') };
}

/** The whole quota that a text means. */
export function readMoney(text: string, unit: MoneyUnit, quotaPerUnit: number): ReadMoney {
  if (text.trim() === '') return { refused: 'empty' };
  const amount = decimalOf(text);
  if (!amount) return { refused: 'unreadable' };
  const { isNegative, whole, decimals } = amount;
  const factor = unit === 'dollar' ? fractionOf(quotaPerUnit) : { numerator: 1n, denominator: 1n };
  const numerator = BigInt(whole + decimals) * factor.numerator;
  const denominator = 10n ** BigInt(decimals.length) * factor.denominator;
  const quota = (numerator * 2n + denominator) / (denominator * 2n);
  if (quota > BigInt(Number.MAX_SAFE_INTEGER)) return { refused: 'tooLarge' };
  const value = isNegative && quota !== 0n ? -Number(quota) : Number(quota);
  if (numerator % denominator === 0n) return { value };
  // Where a dollar is no round number of units, the nearest text of a whole amount is as good as exact.
  const typed = `${isNegative ? '-' : ''}${BigInt(whole)}${decimals === '' ? '' : `.${decimals}`}`;
  const nearest = unit === 'dollar' ? writeMoney(value, unit, quotaPerUnit).replace(/\.?0+$/, '') : undefined;
  return nearest === typed ? { value } : { refused: 'tooPrecise' };
}

/** The text of whole quota in a unit, ready to be edited: no separators, a dot, at least two decimals of dollars. */
export function writeMoney(value: number, unit: MoneyUnit, quotaPerUnit: number): string {
  if (!Number.isSafeInteger(value)) return '';
  if (unit === 'quota') return String(value);
  const { numerator, denominator } = fractionOf(quotaPerUnit);
  const decimals = dollarDecimals(quotaPerUnit);
  const scaled = BigInt(Math.abs(value)) * denominator * 10n ** BigInt(decimals);
  const digits = ((scaled * 2n + numerator) / (numerator * 2n)).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, -decimals);
  const part = digits.slice(-decimals).replace(/0+$/, '').padEnd(2, '0');
  return `${value < 0 ? '-' : ''}${whole}.${part}`;
}

/** One step up or down: a unit of quota, or a cent. */
export function stepOf(unit: MoneyUnit, quotaPerUnit: number): number {
  return unit === 'quota' ? 1 : Math.max(1, Math.round(quotaPerUnit / 100));
}

/**
 * Money words (cli.md L6): `5usd`, `0.25usd`, `1000000units`, or a bare integer of at least 1,000 units.
 * A bare integer below 1,000 is refused, because it reads like dollars.
 */
import { usageError } from '../errors.ts';
import { both } from '../language.ts';

const smallestBareInteger = 1000;

/** Whole quota units. `quotaPerUnit` is what one US dollar is worth. Throws exit 3. */
export function parseMoney(text: string, quotaPerUnit: number, field: string): number {
  const trimmed = text.trim().toLowerCase();
  const units = /^(\d+)units$/.exec(trimmed) ?? /^(\d+)$/.exec(trimmed);
  if (units?.[1] !== undefined) {
    const value = Number(units[1]);
    if (!trimmed.endsWith('units') && value < smallestBareInteger) {
      const ways =
        value === 0 ? both('0units', '0units') : both(`${value}usd or ${value}units`, `${value}usd 或 ${value}units`);
      throw usageError(
        both(
          `a number below ${smallestBareInteger} needs its unit: write ${ways.en} for ${text}`,
          `小于 ${smallestBareInteger} 的数须注明单位：请将 ${text} 写为 ${ways.zh}`,
        ),
        { field },
      );
    }
    return safe(value, text, field);
  }
  const dollars = /^(\d+)(?:\.(\d+))?usd$/.exec(trimmed) ?? /^\$(\d+)(?:\.(\d+))?$/.exec(trimmed);
  if (!dollars) {
    throw usageError(
      both(
        `${text} is no amount; write 5usd, 0.25usd or 1000000units`,
        `${text} 不是金额；可写 5usd、0.25usd 或 1000000units`,
      ),
      { field },
    );
  }
  return exactUnits(dollars[1] ?? '0', dollars[2] ?? '', { text, quotaPerUnit, field });
}

function exactUnits(
  whole: string,
  fraction: string,
  context: { text: string; quotaPerUnit: number; field: string },
): number {
  // QuotaPerUnit may itself be a decimal such as 0.5; both are scaled to integers, so nothing is rounded unseen.
  const [perWhole = '0', perFraction = ''] = String(context.quotaPerUnit).split('.');
  const scaled = BigInt(whole + fraction) * BigInt(perWhole + perFraction);
  const scale = 10n ** BigInt(fraction.length + perFraction.length);
  if (scaled % scale !== 0n) {
    const below = scaled / scale;
    throw usageError(
      both(
        `${context.text} is no whole number of units; the nearest are ${below}units and ${below + 1n}units`,
        `${context.text} 不是整数单位；最接近的是 ${below}units 和 ${below + 1n}units`,
      ),
      { field: context.field },
    );
  }
  return safe(Number(scaled / scale), context.text, context.field);
}

function safe(value: number, text: string, field: string): number {
  if (Number.isSafeInteger(value)) return value;
  throw usageError(both(`${text} is too large`, `${text} 过大`), { field });
}

/** Exact decimal dollars of an amount in units, e.g. `0.005437`. */
export function unitsToUsd(units: number, quotaPerUnit: number): string {
  const [perWhole = '1', perFraction = ''] = String(quotaPerUnit).split('.');
  const divisor = BigInt(perWhole + perFraction);
  if (divisor === 0n) return '0';
  const digits = 12;
  const negative = units < 0;
  const scaled = (BigInt(Math.abs(units)) * 10n ** BigInt(perFraction.length + digits)) / divisor;
  const text = scaled.toString().padStart(digits + 1, '0');
  const fraction = text.slice(-digits).replace(/0+$/, '');
  return `${negative ? '-' : ''}${text.slice(0, -digits)}${fraction === '' ? '' : `.${fraction}`}`;
}

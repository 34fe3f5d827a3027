/** Numbers, money and times as people read them (console.md 5). Pure: no texts, no language but where it is given. */

export interface MoneyUnits {
  /** Quota units of one dollar. */
  readonly quotaPerUnit: number;
  /** Off: quota is shown as a plain number. */
  readonly isCurrency: boolean;
}

export const minus = '−';

/** A number as an exact fraction of integers, from its shortest decimal text. */
export function fractionOf(value: number): { numerator: bigint; denominator: bigint } {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', decimals = ''] = mantissa.split('.');
  const scale = decimals.length - Number(exponent);
  const digits = BigInt(whole + decimals);
  return scale >= 0
    ? { numerator: digits, denominator: 10n ** BigInt(scale) }
    : { numerator: digits * 10n ** BigInt(-scale), denominator: 1n };
}

function grouped(digits: string): string {
  return digits.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Half away from zero; both positive. */
function dividedRound(numerator: bigint, denominator: bigint): bigint {
  return (numerator * 2n + denominator) / (denominator * 2n);
}

/** A positive fraction with so many decimals, thousands grouped. */
function decimalText(numerator: bigint, denominator: bigint, decimals: number): string {
  const digits = dividedRound(numerator * 10n ** BigInt(decimals), denominator)
    .toString()
    .padStart(decimals + 1, '0');
  if (decimals === 0) return grouped(digits);
  return `${grouped(digits.slice(0, -decimals))}.${digits.slice(-decimals)}`;
}

function dollarFraction(quota: number, quotaPerUnit: number): { numerator: bigint; denominator: bigint } {
  const amount = fractionOf(Math.abs(quota));
  const unit = fractionOf(quotaPerUnit > 0 ? quotaPerUnit : 1);
  return { numerator: amount.numerator * unit.denominator, denominator: amount.denominator * unit.numerator };
}

/** `$1.23`, `$0.00725`, `−$4.00`: two decimals from 1 up, else up to six significant ones. */
export function formatDollars(quota: number, quotaPerUnit: number): string {
  const sign = quota < 0 ? minus : '';
  const { numerator, denominator } = dollarFraction(quota, quotaPerUnit);
  if (numerator === 0n) return '$0.00';
  if (numerator >= denominator) return `${sign}$${decimalText(numerator, denominator, 2)}`;
  // Zeros behind the point before the first digit that counts.
  let zeros = 0;
  for (let rest = numerator * 10n; rest < denominator && zeros < 18; rest *= 10n) zeros += 1;
  const text = decimalText(numerator, denominator, zeros + 6).replace(/0+$/, '');
  const [whole, decimals = ''] = text.split('.');
  return `${sign}$${whole}.${decimals.padEnd(2, '0')}`;
}

/** Quota as it stands in a cell. */
export function formatQuota(quota: number, { quotaPerUnit, isCurrency }: MoneyUnits): string {
  return isCurrency ? formatDollars(quota, quotaPerUnit) : formatCount(quota);
}

/** Both units without loss: `3,625 ≈ $0.007250`. */
export function formatQuotaExact(quota: number, { quotaPerUnit }: MoneyUnits): string {
  const sign = quota < 0 ? minus : '';
  const { numerator, denominator } = dollarFraction(quota, quotaPerUnit);
  return `${formatInteger(quota)} ≈ ${sign}$${decimalText(numerator, denominator, 6)}`;
}

/** Money of the world, `3,715.70 CNY`: the digits stay as they came, only grouped by thousands. */
export function formatMoney(money: string, currency: string): string {
  const [whole = '', fraction] = money.split('.');
  return `${grouped(whole)}${fraction === undefined ? '' : `.${fraction}`} ${currency}`;
}

/** `1,234,567`. */
export function formatInteger(value: number): string {
  const { numerator, denominator } = fractionOf(Math.abs(value));
  return (value < 0 ? minus : '') + decimalText(numerator, denominator, 0);
}

const units = ['k', 'M', 'B'] as const;

/** `9,999`, then `10.0k`, `1.2M`, `3.4B`. */
export function formatCount(value: number): string {
  const size = Math.abs(value);
  if (size < 10_000) return formatInteger(value);
  let unit = 0;
  // Rounded to one decimal, 999,960 is a million.
  while (unit < units.length - 1 && Math.round(size / 10 ** (3 * (unit + 1) - 1)) >= 10_000) unit += 1;
  const { numerator, denominator } = fractionOf(size);
  const text = decimalText(numerator, denominator * 10n ** BigInt(3 * (unit + 1)), 1);
  return `${value < 0 ? minus : ''}${text}${units[unit]}`;
}

/** `12.3%` from a fraction of one. */
export function formatPercent(fraction: number): string {
  const percent = Math.round(Math.abs(fraction) * 1000) / 10;
  return `${fraction < 0 && percent > 0 ? minus : ''}${percent.toFixed(1)}%`;
}

/** `1.5x`, without the noise of binary fractions. */
export function formatRatio(ratio: number): string {
  return `${Number(ratio.toPrecision(12))}x`;
}

/** `1.8 s`, `12 s`, `3 m 20 s`, `2 h 5 m`, `3 d 4 h`. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return '0 s';
  if (seconds < 59.5) {
    const tenths = Math.round(seconds * 10) / 10;
    return seconds < 10 && !Number.isInteger(tenths) ? `${tenths.toFixed(1)} s` : `${Math.round(seconds)} s`;
  }
  const whole = Math.round(seconds);
  const pair = (large: number, one: string, small: number, two: string) =>
    small === 0 ? `${large} ${one}` : `${large} ${one} ${small} ${two}`;
  if (whole < 3600) return pair(Math.floor(whole / 60), 'm', whole % 60, 's');
  const minutes = Math.round(whole / 60);
  if (minutes < 1440) return pair(Math.floor(minutes / 60), 'h', minutes % 60, 'm');
  const hours = Math.round(whole / 3600);
  return pair(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

/** `812 B`, `1.4 MB`: units of 1024. */
export function formatBytes(bytes: number): string {
  const names = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = Math.max(0, bytes);
  let unit = 0;
  while (value >= 1023.95 && unit < names.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${names[unit]}`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Is the moment one that a date can be of: they end with the year 275760, the expiry of a key need not. */
export function isDate(seconds: number): boolean {
  return Math.abs(seconds) <= 8_640_000_000_000;
}

/** `2026-11-21 10:32:05` in the browser's zone; the number itself where no date can say it. */
export function formatTime(seconds: number): string {
  if (!isDate(seconds)) return String(seconds);
  const date = new Date(seconds * 1000);
  return `${formatDay(seconds)} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** `2026-11-21` in the browser's zone; the number itself where no date can say it. */
export function formatDay(seconds: number): string {
  if (!isDate(seconds)) return String(seconds);
  const date = new Date(seconds * 1000);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** `2026-11-21 02:32:05 UTC`. */
export function formatUtc(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** `3 minutes ago`, `2 天后`. */
export function formatRelative(seconds: number, nowSeconds: number, language: string): string {
  const difference = Math.round(seconds - nowSeconds);
  const format = new Intl.RelativeTimeFormat(language === 'zh' ? 'zh-CN' : language, { numeric: 'auto' });
  for (const [unit, length] of steps) {
    if (Math.abs(difference) >= length) return format.format(Math.trunc(difference / length), unit);
  }
  return format.format(difference, 'second');
}

/** `req_2026…9fK2`: both ends stay readable. */
export function shortenMiddle(text: string, length = 16): string {
  if (text.length <= length) return text;
  const tail = Math.floor((length - 1) / 3);
  return `${text.slice(0, length - 1 - tail)}…${text.slice(text.length - tail)}`;
}

/**
 * Exact decimals for the charge path: a BigInt and a power of ten. Nothing is rounded until `round`, `ceil` or `roundTo`
 * says so, so a charge is rounded once however many ratios were multiplied.
 */

const POWERS: readonly bigint[] = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent));

function powerOfTen(exponent: number): bigint {
  return POWERS[exponent] ?? 10n ** BigInt(exponent);
}

const NUMBER_FORM = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/** An immutable decimal number: `digits / 10^scale`. */
export class Decimal {
  static readonly ZERO: Decimal = new Decimal(0n, 0);
  static readonly ONE: Decimal = new Decimal(1n, 0);

  readonly digits: bigint;
  /** Number of decimal places, 0 or more. */
  readonly scale: number;

  constructor(digits: bigint, scale: number) {
    this.digits = digits;
    this.scale = scale;
  }

  /**
   * The number as a person wrote it: the shortest decimal text that reads back as `value`, so that 0.1 is one tenth.
   * Throws RangeError when `value` is not finite.
   */
  static of(value: number): Decimal {
    const parts = NUMBER_FORM.exec(String(value));
    if (!parts) throw new RangeError(`not a finite number: ${value}`);
    const [, sign = '', whole = '0', fraction = '', exponent = '0'] = parts;
    const digits = BigInt(sign + whole + fraction);
    const scale = fraction.length - Number(exponent);
    return scale < 0 ? new Decimal(digits * powerOfTen(-scale), 0) : new Decimal(digits, scale);
  }

  plus(other: Decimal): Decimal {
    const scale = Math.max(this.scale, other.scale);
    return new Decimal(this.digitsAt(scale) + other.digitsAt(scale), scale);
  }

  times(other: Decimal): Decimal {
    return new Decimal(this.digits * other.digits, this.scale + other.scale);
  }

  /** Multiplies by a whole number; throws RangeError when `count` is not one. */
  timesInteger(count: number): Decimal {
    return new Decimal(this.digits * BigInt(count), this.scale);
  }

  /** Moves the point `places` to the left: division by a power of ten is exact. */
  dividedByPowerOfTen(places: number): Decimal {
    return new Decimal(this.digits, this.scale + places);
  }

  /** The digits when written with `scale` decimal places, which must not be fewer than it has. */
  digitsAt(scale: number): bigint {
    return scale === this.scale ? this.digits : this.digits * powerOfTen(scale - this.scale);
  }

  /** Nearest integer, half away from zero. */
  round(): bigint {
    if (this.scale === 0) return this.digits;
    const unit = powerOfTen(this.scale);
    const whole = this.digits / unit;
    const twice = (this.digits % unit) * 2n;
    if (twice >= unit) return whole + 1n;
    return twice <= -unit ? whole - 1n : whole;
  }

  /** Smallest integer that is not less. */
  ceil(): bigint {
    const unit = powerOfTen(this.scale);
    const whole = this.digits / unit;
    return this.digits > whole * unit ? whole + 1n : whole;
  }

  /** Nearest value with `places` decimal places, half away from zero. */
  roundTo(places: number): Decimal {
    if (this.scale <= places) return this;
    return new Decimal(new Decimal(this.digits, this.scale - places).round(), places);
  }

  /** The quotient with `places` decimal places, rounded half away from zero. Throws RangeError for a divisor of 0. */
  dividedBy(divisor: Decimal, places: number): Decimal {
    const above = this.digits * powerOfTen(divisor.scale + places);
    const below = divisor.digits * powerOfTen(this.scale);
    if (below === 0n) throw new RangeError('division by zero');
    const size = (above < 0n ? -above : above) * 2n + (below < 0n ? -below : below);
    const rounded = size / ((below < 0n ? -below : below) * 2n);
    return new Decimal(above < 0n === below < 0n ? rounded : -rounded, places);
  }

  /** Plain digits with the point, all decimal places shown. */
  toString(): string {
    const sign = this.digits < 0n ? '-' : '';
    const digits = (this.digits < 0n ? -this.digits : this.digits).toString().padStart(this.scale + 1, '0');
    if (this.scale === 0) return `${sign}${digits}`;
    return `${sign}${digits.slice(0, -this.scale)}.${digits.slice(-this.scale)}`;
  }

  isZero(): boolean {
    return this.digits === 0n;
  }

  isGreaterThan(other: Decimal): boolean {
    const scale = Math.max(this.scale, other.scale);
    return this.digitsAt(scale) > other.digitsAt(scale);
  }

  /** Nearest double, for logs and displays only. */
  toNumber(): number {
    return Number(`${this.digits}e-${this.scale}`);
  }
}

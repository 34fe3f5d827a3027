/** What one image costs, by size and quality (relay.md 15.5). */
import type { ImagePriceTable, PriceMap } from '../contract/options.ts';
import { Decimal } from './decimal.ts';
import type { FixedPriceRules } from './price-file.ts';

/** The image asked for, or as the upstream reported it; undefined members take the defaults of relay.md 15.5. */
export interface ImageSpec {
  readonly size?: string | undefined;
  readonly quality?: string | undefined;
}

/** A hold assumes the dearer quality where it is not known, a bill the middle one. */
export type ImagePurpose = 'hold' | 'bill';

const DEFAULT_SIZES = ['1024x1024', '1K'];
const DEFAULT_QUALITIES: Readonly<Record<ImagePurpose, readonly string[]>> = {
  hold: ['high', 'standard'],
  bill: ['medium', 'standard'],
};

/** The image tables of one price book. */
export class ImagePriceList {
  readonly #table: ImagePriceTable;
  readonly #rules: Pick<FixedPriceRules, 'imageSizeFactor' | 'imageQualityFactor'>;

  constructor(table: ImagePriceTable, rules: Pick<FixedPriceRules, 'imageSizeFactor' | 'imageQualityFactor'>) {
    this.#table = table;
    this.#rules = rules;
  }

  /** USD an image of the table; undefined when the model has no row that fits. */
  tablePrice(model: string, image: ImageSpec, purpose: ImagePurpose): Decimal | undefined {
    const entry = own(this.#table, model);
    if (entry === undefined) return undefined;
    const flat = firstOf(entry, [image.size, ...DEFAULT_SIZES]);
    if (typeof flat === 'number') return Decimal.of(flat);
    const row = firstOf(entry, [image.quality, ...DEFAULT_QUALITIES[purpose]]);
    if (typeof row !== 'object') return undefined;
    const price = firstOf(row, [image.size, ...DEFAULT_SIZES]);
    return price === undefined ? undefined : Decimal.of(price);
  }

  /** USD an image: the table's, else `base` times the factors of size and quality. */
  price(model: string, base: Decimal, image: ImageSpec, purpose: ImagePurpose): Decimal {
    const listed = this.tablePrice(model, image, purpose);
    if (listed) return listed;
    const size = factorOf(this.#rules.imageSizeFactor, model, image.size);
    const quality = isOblong(image.size)
      ? factorOf(this.#rules.imageQualityFactor, model, `${image.quality}_non_square`, image.quality)
      : factorOf(this.#rules.imageQualityFactor, model, image.quality);
    return base.times(size).times(quality);
  }
}

/** The own property of that name; names come from clients, so `constructor` must not be found. */
export function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function firstOf<T>(table: Readonly<Record<string, T>>, names: readonly (string | undefined)[]): T | undefined {
  for (const name of names) {
    const value = name === undefined ? undefined : own(table, name);
    if (value !== undefined) return value;
  }
  return undefined;
}

function factorOf(table: Readonly<Record<string, PriceMap>>, model: string, ...names: (string | undefined)[]): Decimal {
  const factor = firstOf(own(table, model) ?? {}, names);
  return factor === undefined ? Decimal.ONE : Decimal.of(factor);
}

function isOblong(size: string | undefined): boolean {
  const [width, height] = (size ?? '').split('x');
  return height !== undefined && width !== height;
}

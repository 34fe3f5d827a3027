/** Books of prices as they were at a version, or would be by a draft; each is made once. */
import type { OptionKey, OptionsView } from '../contract/options.ts';
import { isPriceOption } from '../contract/price-options.ts';
import { TollgateError } from '../errors.ts';
import type { ParsedOptions } from '../snapshots/options-view.ts';
import type { Database } from '../store/database.ts';
import { type OptionService, viewOf } from './options.ts';
import { changedMaps, changesOf, type PriceEdit } from './price-edits.ts';
import { keptVersions } from './price-versions.ts';
import { type PriceBook, priceBookOf } from './pricing.ts';

export interface PriceVersionBooksDeps {
  readonly database: Pick<Database, 'stores'>;
  readonly options: Pick<OptionService, 'defaultTextOf'>;
  /** The options in force. */
  readonly current: () => ParsedOptions;
}

/** Figures of models that take the place of those in force. */
export type PriceDraft = Readonly<Record<string, PriceEdit>>;

export class PriceVersionBooks {
  readonly #deps: PriceVersionBooksDeps;
  readonly #known = new Map<number, PriceBook | undefined>();

  constructor(deps: PriceVersionBooksDeps) {
    this.#deps = deps;
  }

  /** Undefined for a version that is forgotten, or never was. */
  async find(version: number): Promise<PriceBook | undefined> {
    if (!this.#known.has(version)) this.#known.set(version, await this.#read(version));
    return this.#known.get(version);
  }

  /** Throws `price_version_not_found`. */
  async get(version: number): Promise<PriceBook> {
    const book = await this.find(version);
    if (book === undefined) throw new TollgateError('price_version_not_found', { version });
    return book;
  }

  drafted(draft: PriceDraft): PriceBook {
    const now = this.#deps.current();
    const values = changedMaps(
      Object.entries(draft).flatMap(([name, edit]) => changesOf(name, edit, now)),
      now,
    );
    const view: OptionsView = { get: (key) => values[key] ?? now.get(key) };
    return priceBookOf(view);
  }

  async #read(version: number): Promise<PriceBook | undefined> {
    const { database, options, current } = this.#deps;
    const { priceVersions } = database.stores;
    const isKept = version === 0 ? await this.#keepsFirst() : (await priceVersions.find(version)) !== undefined;
    if (!isKept) return undefined;
    const texts = new Map<OptionKey, string>();
    for (const [key, text] of await priceVersions.textsAt(version)) {
      if (isPriceOption(key)) texts.set(key, text ?? options.defaultTextOf(key));
    }
    return priceBookOf({ ...viewOf(texts, current()), priceVersion: version });
  }

  /** Whether all versions there ever were are kept. */
  async #keepsFirst(): Promise<boolean> {
    const { total } = await this.#deps.database.stores.priceVersions.list({ offset: 0, limit: 1 });
    return total < keptVersions;
  }
}

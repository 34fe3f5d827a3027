/** What prices were: versions, what differs between them, and going back to one (REQ-20). */

import { priceOptions } from '../contract/price-options.ts';
import { TollgateError } from '../errors.ts';
import type { Database, Stores } from '../store/database.ts';
import type { Page, Window } from '../store/paging.ts';
import type { OptionTexts, PriceVersionRecord } from '../store/price-versions.ts';
import type { Actor } from './actor.ts';
import type { OptionService } from './options.ts';
import { type PriceDifference, priceDifferences, priceTextsOf } from './price-versions.ts';

/** A version with the number of the one before it; 0 where that is forgotten. */
export interface PriceVersion extends PriceVersionRecord {
  readonly before: number;
}

export interface PriceHistoryDeps {
  readonly database: Pick<Database, 'stores'>;
  readonly options: Pick<OptionService, 'restore' | 'defaultTextOf'>;
}

export class PriceHistory {
  readonly #deps: PriceHistoryDeps;

  constructor(deps: PriceHistoryDeps) {
    this.#deps = deps;
  }

  /** Newest first. */
  async list({ offset, limit }: Window): Promise<Page<PriceVersion>> {
    const { priceVersions } = this.#deps.database.stores;
    // One more than asked for: the last one of a page has one before it as well.
    const { items, total } = await priceVersions.list({ offset, limit: limit + 1 });
    return { items: items.slice(0, limit).map((one, at) => ({ ...one, before: items[at + 1]?.id ?? 0 })), total };
  }

  /**
   * What became different from one version to another; `to` undefined is now, 0 is before all versions that are kept.
   * Throws `price_version_not_found`.
   */
  async differences(from: number, to: number | undefined): Promise<PriceDifference[]> {
    const { stores } = this.#deps.database;
    const before = await textsAt(stores, from);
    const after = to === undefined ? new Map<string, string | null>() : await textsAt(stores, to);
    const now = await priceTextsOf(stores, priceOptions);
    // What has not changed since a version is in force.
    return priceDifferences(new Map([...now, ...before]), new Map([...now, ...after]), (key) =>
      this.#deps.options.defaultTextOf(key),
    );
  }

  /**
   * Puts all prices back to what they were at a version, in one transaction; returns the number of the version that this
   * makes, undefined when they were so already. Throws `price_version_not_found`, `option_invalid`.
   */
  rollback(actor: Actor, version: number, note: string): Promise<number | undefined> {
    return this.#deps.options.restore(actor, {
      texts: (stores) => textsAt(stores, version),
      version: { cause: 'rollback', note: note === '' ? `#${version}` : `#${version}: ${note}` },
      act: { action: 'price.rollback', target: `price:${version}` },
    });
  }
}

async function textsAt(stores: Stores, version: number): Promise<OptionTexts> {
  if (version !== 0 && !(await stores.priceVersions.find(version))) {
    throw new TollgateError('price_version_not_found', { version });
  }
  return stores.priceVersions.textsAt(version);
}

/**
 * Price pages on the wire, which anybody may ask for: one of thousands of models is put together and written once, not for
 * every call.
 */
import type { PriceView } from '../../contract/pricing.ts';
import type { PricePage, RateOf } from '../../domain/price-page.ts';
import { sentAgain } from '../written-answer.ts';
import { presentPrice } from './pricing.ts';

interface PriceAnswer {
  readonly success: true;
  readonly data: PriceView[];
  readonly group_ratio: Record<string, number>;
  readonly usable_group: Record<string, string>;
}

interface PricedFor {
  /** Shares of good calls, by model. */
  readonly shares: ReadonlyMap<string, number>;
  /** What this caller alone pays; undefined while all callers of the page pay alike. */
  readonly rateOf: RateOf | undefined;
}

/** Rows of all answers that are kept: some ten megabytes. */
const mostRows = 40_000;

export class PriceAnswers {
  /** By page, the one that was put together first in front. */
  readonly #kept = new Map<PricePage, { readonly shares: PricedFor['shares']; readonly answer: PriceAnswer }>();
  #rows = 0;

  of(page: PricePage, asked: PricedFor): PriceAnswer {
    const { shares, rateOf } = asked;
    if (rateOf !== undefined) return answerOf(page, asked);
    const known = this.#kept.get(page);
    if (known?.shares === shares) return known.answer;
    const answer = sentAgain(answerOf(page, asked));
    this.#keep(page, { shares, answer });
    return answer;
  }

  #keep(page: PricePage, kept: { shares: PricedFor['shares']; answer: PriceAnswer }): void {
    if (!this.#kept.has(page)) this.#rows += page.models.length;
    this.#kept.set(page, kept);
    for (const earlier of this.#kept.keys()) {
      if (this.#rows <= mostRows) return;
      this.#kept.delete(earlier);
      this.#rows -= earlier.models.length;
    }
  }
}

function answerOf(page: PricePage, { shares, rateOf }: PricedFor): PriceAnswer {
  const { models, groupRatio, usableGroup } = page;
  return {
    success: true,
    data: models.map((model) => presentPrice(model, { health: shares.get(model.name), rate: rateOf?.(model.name) })),
    group_ratio: groupRatio,
    usable_group: usableGroup,
  };
}

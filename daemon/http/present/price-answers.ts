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

interface Kept {
  readonly shares: PricedFor['shares'];
  readonly answer: PriceAnswer;
}

export class PriceAnswers {
  /** By page, the one that was put together first in front, and by what is paid by rules, which few make for many callers. */
  readonly #kept = new Map<PricePage, Map<string, Kept>>();
  #rows = 0;

  of(page: PricePage, { shares, rateOf }: PricedFor): PriceAnswer {
    const rates = rateOf === undefined ? undefined : page.models.map(({ name }) => rateOf(name));
    const paid = rates?.join() ?? '';
    const known = this.#kept.get(page)?.get(paid);
    if (known?.shares === shares) return known.answer;
    const answer = sentAgain(answerOf(page, shares, rates));
    this.#keep(page, paid, { shares, answer });
    return answer;
  }

  #keep(page: PricePage, paid: string, kept: Kept): void {
    const answers = this.#kept.get(page) ?? new Map<string, Kept>();
    this.#kept.set(page, answers);
    if (!answers.has(paid)) this.#rows += page.models.length;
    answers.set(paid, kept);
    for (const [earlier, { size }] of this.#kept) {
      if (this.#rows <= mostRows) return;
      this.#kept.delete(earlier);
      this.#rows -= earlier.models.length * size;
    }
  }
}

function answerOf(
  page: PricePage,
  shares: PricedFor['shares'],
  rates: readonly (number | undefined)[] | undefined,
): PriceAnswer {
  const { models, groupRatio, usableGroup } = page;
  return {
    success: true,
    data: models.map((model, at) => presentPrice(model, { health: shares.get(model.name), rate: rates?.[at] })),
    group_ratio: groupRatio,
    usable_group: usableGroup,
  };
}

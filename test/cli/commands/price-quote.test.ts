import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type QuotedCall, quoteOf } from '../../../cli/commands/price-quote.ts';
import type { PriceView } from '../../../daemon/contract/pricing.ts';

const quotes = suite('price quote');

const byToken: PriceView = {
  model_name: 'm',
  quota_type: 0,
  model_ratio: 1.25,
  model_price: 0,
  completion_ratio: 4,
  cache_ratio: 0.5,
  owner_by: '',
  enable_groups: ['default'],
  endpoints: ['chat'],
  tiers: [
    { input_over: 200_000, model_ratio: 2.5, completion_ratio: 3 },
    { input_over: 200_000, output_over: 10, model_ratio: 5, completion_ratio: 3, cache_ratio: 0.1 },
  ],
};
const byCall: PriceView = { ...byToken, quota_type: 1, model_ratio: 0, model_price: 0.04 };
const call = (input: number, output: number, cached = 0): QuotedCall => ({ input, output, cached });

const cases: readonly (readonly [string, PriceView, QuotedCall, number, number])[] = [
  ['prompt and weighted answer', byToken, call(1000, 500), 1, 3750],
  ['cached tokens at their own ratio', byToken, call(1000, 500, 400), 1, 3500],
  ['the ratio of the group, half up', byToken, call(1, 0), 2.8, 4],
  ['at least a unit of what is not free', byToken, call(1, 0), 0.01, 1],
  ['nothing where the group is free', byToken, call(1000, 500), 0, 0],
  ['nothing for nothing', byToken, call(0, 0), 1, 0],
  ['no tier at its very edge', byToken, call(200_000, 0), 1, 250_000],
  ['a long prompt by its tier', byToken, call(200_001, 10), 1, 500_078],
  ['cached tokens of a tier without an own ratio', byToken, call(200_002, 0, 2), 1, 500_003],
  ['the last tier that fits', byToken, call(200_001, 11, 1), 1, 1_000_166],
  ['calls at a fixed price', byCall, call(1000, 500), 0.5, 10_000],
];

for (const [what, price, tokens, groupRatio, units] of cases) {
  quotes(`counts ${what}`, () => {
    const quote = quoteOf(price, tokens, { groupRatio, quotaPerUnit: 500_000 });
    assert.is(quote.units, units, quote.steps.join('\n'));
    assert.is(quote.steps.at(-1), `rounded: ${units} ${units === 1 ? 'unit' : 'units'}`);
  });
}

quotes.run();

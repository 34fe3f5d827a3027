/** What is put together once of the price pages that anybody may ask for. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PricePage } from '../../../../daemon/domain/price-page.ts';
import { priceBookOf } from '../../../../daemon/domain/pricing.ts';
import { PriceAnswers } from '../../../../daemon/http/present/price-answers.ts';
import { sentAgain, textOf } from '../../../../daemon/http/written-answer.ts';
import { optionsView } from '../../../support/options-view.ts';
import { assertQuick } from '../../../support/processor-time.ts';

const answers = suite('http/present/price-answers');

const price = priceBookOf(optionsView({ ModelPrice: { house: 0.5 } })).find(
  { client: 'house', bare: 'house' },
  { unpriced: false },
);
if (price === undefined) throw new Error('no price');

const pageOf = (count: number): PricePage => ({
  models: Array.from({ length: count }, (_, at) => ({
    name: `model-${at}`,
    price,
    owner: 'openai',
    groups: ['default'],
    endpoints: ['chat'],
    contextSize: 0,
  })),
  groupRatio: { default: 1 },
  usableGroup: { default: 'Default' },
});

const rateOf = undefined;

answers('of thousands of models are put together and written once for all callers of a page', async () => {
  const page = pageOf(20_000);
  const shares = new Map([['model-1', 0.5]]);
  const kept = new PriceAnswers();
  textOf(kept.of(page, { shares, rateOf }));
  await assertQuick(100, () => {
    for (let asked = 0; asked < 100; asked += 1) textOf(kept.of(page, { shares, rateOf }));
  });
});

answers('are put together once for all callers who pay the same by rules of rates', async () => {
  const page = pageOf(20_000);
  const shares = new Map<string, number>();
  const kept = new PriceAnswers();
  const ask = (rate: number) => kept.of(page, { shares, rateOf: (model) => (model === 'model-1' ? rate : undefined) });
  const first = ask(3);
  assert.is(ask(3), first);
  assert.is(textOf(ask(3)), textOf(first));
  assert.is(ask(2).data[1]?.rate_ratio, 2);
  assert.is(first.data[1]?.rate_ratio, 3);
});

answers('are others once the figures or the page are, and for a caller who pays otherwise', () => {
  const page = pageOf(2);
  const kept = new PriceAnswers();
  const healthOf = (shares: Map<string, number>, asked = page) =>
    JSON.parse(textOf(kept.of(asked, { shares, rateOf }))).data.map(({ health }: { health?: number }) => health);
  assert.equal(healthOf(new Map()), [undefined, undefined]);
  assert.equal(healthOf(new Map([['model-1', 0.5]])), [undefined, 0.5]);
  assert.equal(healthOf(new Map([['model-0', 1]]), pageOf(1)), [1]);
  const own = kept.of(page, { shares: new Map(), rateOf: (model) => (model === 'model-1' ? 3 : undefined) });
  assert.equal(
    own.data.map(({ rate_ratio }) => rate_ratio),
    [undefined, 3],
  );
});

answers('are kept for so many rows alone, the earliest given up first', () => {
  const kept = new PriceAnswers();
  const shares = new Map<string, number>();
  const [one, ...others] = [pageOf(20_000), pageOf(20_000), pageOf(20_000)];
  assert.ok(one !== undefined);
  const first = kept.of(one, { shares, rateOf });
  assert.is(kept.of(one, { shares, rateOf }), first);
  for (const page of others) kept.of(page, { shares, rateOf });
  assert.is.not(kept.of(one, { shares, rateOf }), first);
  const longest = pageOf(50_000);
  assert.is.not(kept.of(longest, { shares, rateOf }), kept.of(longest, { shares, rateOf }));
});

answers('that are not to be sent again are written as they are at the moment', () => {
  const answer = { at: 1 };
  assert.is(textOf(answer), '{"at":1}');
  answer.at = 2;
  assert.is(textOf(answer), '{"at":2}');
  assert.is(textOf(sentAgain({ at: 3 })), '{"at":3}');
  assert.is(textOf(null), 'null');
});

answers.run();

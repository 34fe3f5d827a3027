/** Prices as the pricing page works them out, and how its models are found. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dollarText, plannedCharge, priceByCall, pricesByToken } from '../../console/pages/pricing/model-prices.ts';
import { inUsualOrder, isFound } from '../../console/pages/pricing/model-search.ts';
import type { PriceView } from '../../daemon/contract/pricing.ts';
import { Decimal } from '../../daemon/domain/decimal.ts';

const test = suite('console/pricing');

const unit = 500_000;

function model(name: string, own: Partial<PriceView> = {}): PriceView {
  return {
    model_name: name,
    quota_type: 0,
    model_ratio: 1.25,
    model_price: 0,
    completion_ratio: 4,
    owner_by: 'openai',
    enable_groups: ['default'],
    endpoints: ['chat'],
    ...own,
  };
}

const long = { input_over: 200_000, model_ratio: 2.5, completion_ratio: 3 };

test('a ratio is two dollars a million tokens, times the group, without binary noise', () => {
  const [usual, over] = pricesByToken(model('gpt-4o', { tiers: [long] }), 1, unit);
  assert.equal([usual?.prompt, usual?.completion], ['$2.50', '$10.00']);
  assert.equal([over?.inputOver, over?.prompt, over?.completion], [200_000, '$5.00', '$15.00']);
  assert.is(pricesByToken(model('a', { model_ratio: 0.1 }), 0.7, unit)[0]?.prompt, '$0.14');
  assert.is(priceByCall(model('a', { quota_type: 1, model_price: 0.1 }), 3), '$0.30');
  assert.is(dollarText(Decimal.of(1234.5)), '$1,234.50');
  assert.is(pricesByToken(model('a'), 1, 1_000_000)[0]?.prompt, '$1.25');
  const ruled = model('a', { model_ratio: 1, model_price: 0.1, rate_ratio: 0.5 });
  assert.equal([pricesByToken(ruled, 3, unit)[0]?.prompt, priceByCall(ruled, 3)], ['$1.00', '$0.05']);
});

test('a planned call is charged as the log would explain it', () => {
  const call = { input: 1000, cached: 400, output: 100 };
  // (600 + 400 × 0.5 + 100 × 4) × 1.25
  assert.is(plannedCharge(model('a', { cache_ratio: 0.5 }), call, 1, unit), 1500);
  assert.is(plannedCharge(model('a', { quota_type: 1, model_price: 0.04 }), call, 0.5, unit), 10_000);
  const tiered = model('a', { tiers: [long] });
  assert.is(plannedCharge(tiered, { input: 200_000, cached: 0, output: 0 }, 1, unit), 250_000);
  assert.is(plannedCharge(tiered, { input: 200_001, cached: 0, output: 0 }, 1, unit), 500_003);
  assert.is(plannedCharge(model('a'), { input: 10, cached: 99, output: 0 }, 1, unit), 13);
});

test('models are found by parts of their names in any order, or by letters in theirs', () => {
  assert.ok(isFound('gpt-4o-mini', 'mini 4o'));
  assert.ok(isFound('openai/gpt-4o', 'GPT/open'));
  assert.ok(isFound('claude-sonnet-4-5', 'cldsnt'));
  assert.ok(isFound('anything', ''));
  assert.not.ok(isFound('gpt-4o', 'claude'));
});

test('models stand by billing, then gpt first, then by name', () => {
  const call = { quota_type: 1 } as const;
  const names = inUsualOrder([
    model('b'),
    model('gpt-image', call),
    model('a'),
    model('gpt-4o'),
    model('a-call', call),
  ]);
  assert.equal(
    names.map(({ model_name }) => model_name),
    ['gpt-4o', 'a', 'b', 'gpt-image', 'a-call'],
  );
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PriceBook, type PriceNames } from '../../../daemon/domain/price-book.ts';
import { defaultPriceTables, fixedPriceRules, type PriceTables } from '../../../daemon/domain/price-file.ts';
import {
  computeCharge,
  durationTokens,
  extensionAmount,
  type GroupRatio,
  isFree,
  MAX_CHARGE,
  type Price,
  reservationAmount,
  runningCost,
  sliceAmount,
} from '../../../daemon/domain/pricing.ts';
import { emptyUsage, type Usage } from '../../../daemon/relay/canonical/usage.ts';
import { assertQuick } from '../../support/processor-time.ts';

const bookOf = (changes: Partial<PriceTables> = {}) =>
  new PriceBook({
    tables: { ...defaultPriceTables(), ...changes },
    rules: fixedPriceRules(),
    quotaPerUnit: 500_000,
    preConsumedQuota: 500,
  });
const shipped = bookOf();
const nameOf = (name: string): PriceNames => ({ client: name, bare: name });

function priceOf(name: string, book = shipped): Price {
  const price = book.find(nameOf(name), { unpriced: false });
  if (!price) throw new Error(`${name} has no price`);
  return price;
}

const group = (ratio: number): GroupRatio => bookOf({ groupRatio: { test: ratio } }).groupRatio('test', 'test');
const even = group(1);
const used = (usage: Partial<Usage>): Usage => ({ ...emptyUsage(), ...usage });
const quotaOf = (name: string, usage: Partial<Usage>, ratio = 1) =>
  computeCharge({ price: priceOf(name), group: group(ratio), usage: used(usage) }).quota;

/** The numbered cases of relay.md 19.1. */
const worked = suite('worked examples');

worked('1: cached tokens cost half on gpt-4o', () => {
  assert.is(quotaOf('gpt-4o', { prompt: 1000, cached: 200, completion: 500 }), 3625);
});

worked('2: both lives of cache writes, and a group ratio', () => {
  const usage = { prompt: 26_000, cached: 20_000, cacheCreation5m: 4000, cacheCreation1h: 1000, completion: 800 };
  assert.is(quotaOf('claude-opus-4-5', usage, 0.8), 28_000);
});

worked('3: audio in and out', () => {
  const usage = { prompt: 120, promptAudio: 100, completion: 80, completionAudio: 50 };
  assert.is(quotaOf('gpt-4o-audio-preview', usage), 4175);
});

worked('4: a long prompt moves the whole request to its tier', () => {
  const usage = used({ prompt: 250_000, cached: 100_000, completion: 4000, reasoning: 3000 });
  const charge = computeCharge({ price: priceOf('gemini-2.5-pro'), group: even, usage });
  assert.is(charge.quota, 230_000);
  assert.is(charge.tier?.input_over, 200_000);
  assert.is(charge.ratios?.model, 1.25);
  assert.is(charge.ratios?.completion, 6);
});

worked('5: two oblong images in high definition', () => {
  const input = {
    price: priceOf('dall-e-3'),
    group: even,
    usage: used({ units: { images: 2 } }),
    image: { size: '1792x1024', quality: 'hd' },
  };
  assert.is(computeCharge(input).quota, 120_000);
  const factors = bookOf({ imagePriceTable: {} });
  assert.is(computeCharge({ ...input, price: priceOf('dall-e-3', factors) }).quota, 120_000);
});

worked('6: images asked for are held, images returned are billed', () => {
  const price = priceOf('dall-e-3');
  const image = { size: '1024x1024', quality: 'standard' };
  assert.is(reservationAmount({ price, group: even, promptTokens: 5, images: { ...image, count: 3 } }), 60_000);
  assert.is(computeCharge({ price, group: even, usage: used({ units: { images: 1 } }), image }).quota, 20_000);
});

worked('7: transcription by the second', () => {
  assert.is(durationTokens(61.2), 1033);
  assert.is(quotaOf('whisper-1', { units: { seconds: 61.2 } }), 3099);
  assert.is(quotaOf('whisper-1', { prompt: 1033, units: { seconds: 61.2 } }), 3099);
});

worked('8: speech by the character', () => {
  assert.is(quotaOf('tts-1', { prompt: 7, units: { characters: [...'héllo 👍'].length } }), 53);
});

worked('9: whatever is used costs at least one unit', () => {
  assert.is(quotaOf('text-embedding-3-small', { prompt: 30 }), 1);
});

worked('10: tools have their own share', () => {
  const usage = used({ prompt: 1000, completion: 100, tools: { web_search_preview: 2 } });
  const charge = computeCharge({ price: priceOf('gpt-4.1'), group: even, usage });
  assert.is(charge.main, 1400);
  assert.equal(charge.tools, [{ name: 'web_search_preview', count: 2, price: 25, per: 1000, quota: 25_000 }]);
  assert.is(charge.quota, 26_400);
});

worked('11: a fixed price takes the group ratio', () => {
  assert.is(quotaOf('mj_imagine', {}, 0.9), 45_000);
});

worked('12: the ratio of a user group in another group replaces that group s', () => {
  const book = bookOf({ groupGroupRatio: { vip: { default: 0.5 } } });
  const ratio = book.groupRatio('vip', 'default');
  assert.is(ratio.userGroupRatio, 0.5);
  const usage = used({ prompt: 1000, cached: 200, completion: 500 });
  assert.is(computeCharge({ price: priceOf('gpt-4o', book), group: ratio, usage }).quota, 1813);
  assert.is(book.groupRatio('default', 'default').userGroupRatio, undefined);
});

worked('13: a hold covers the prompt and a bounded answer', () => {
  const price = priceOf('gpt-4o');
  const held = (mode: 'whole' | 'streamed', maxTokens?: number) =>
    reservationAmount({ price, group: even, promptTokens: 120, output: { mode, maxTokens, choices: 1 } });
  assert.is(held('whole', 1000), 5625);
  assert.is(held('whole', 100_000), 21_105);
  assert.is(held('whole'), 21_105);
  assert.is(held('whole', 0), 21_105);
  assert.is(held('streamed', 1000), 3185);
  assert.is(held('streamed'), 3185);
});

worked('14: a model without a price costs the fallback ratio where that is allowed', () => {
  assert.is(shipped.find(nameOf('nobody-knows-me'), { unpriced: false }), undefined);
  const price = shipped.find(nameOf('nobody-knows-me'), { unpriced: true });
  assert.ok(price?.unpriced);
  if (price) assert.is(computeCharge({ price, group: even, usage: used({ prompt: 10, completion: 10 }) }).quota, 750);
});

worked('15: a turn with 278 audio tokens is one charge', () => {
  assert.is(quotaOf('gpt-4o-audio-preview', { prompt: 278, promptAudio: 278 }), 278 * 16 * 1.25);
});

worked('16: rerank multiplies by the search units', () => {
  assert.is(quotaOf('rerank-v3.5', { units: { searchUnits: 2 } }), 2000);
  assert.is(quotaOf('rerank-v3.5', {}), 1000);
});

worked('17: image tokens in and out', () => {
  const usage = used({ prompt: 350, promptImage: 300, completion: 4160, completionImage: 4160, units: { images: 1 } });
  const charge = computeCharge({ price: priceOf('gpt-image-1'), group: even, usage, image: {} });
  assert.is(charge.quota, 84_825);
});

worked('18: huge numbers saturate and are flagged', () => {
  const price = shipped.find(nameOf('nobody-knows-me'), { unpriced: true });
  if (!price) throw new Error('no fallback');
  const output = { mode: 'whole', maxTokens: 1_073_741_823, choices: 128 } as const;
  assert.is(reservationAmount({ price, group: even, promptTokens: 500, output }), 19_679_550);
  const charge = computeCharge({ price, group: even, usage: used({ prompt: 2 ** 40, completion: 2 ** 53 }) });
  assert.is(charge.quota, MAX_CHARGE);
  assert.ok(charge.saturated);
});

worked.run();

const finding = suite('finding a price');

finding('prefers the alias own price, then the bare name, a normalised one, and the upstream model', () => {
  const book = bookOf({
    modelRatio: { 'az/gpt-4o': 9, 'gpt-4o': 2, target: 3, 'claude-sonnet-4-5': 1.5 },
    modelPrice: {},
  });
  const billed = (client: string, bare: string, upstream?: string) =>
    book.find({ client, bare, upstream }, { unpriced: false })?.billingModel;
  assert.is(billed('az/gpt-4o', 'gpt-4o'), 'az/gpt-4o');
  assert.is(billed('b/gpt-4o', 'gpt-4o'), 'gpt-4o');
  assert.is(billed('claude-sonnet-4-5-thinking', 'claude-sonnet-4-5-thinking'), 'claude-sonnet-4-5');
  assert.is(billed('alias', 'alias', 'target'), 'target');
  assert.is(billed('alias', 'alias'), undefined);
});

finding('takes a fixed price before a ratio of the same name and leaves every ratio out', () => {
  const book = bookOf({ modelRatio: { both: 5 }, modelPrice: { both: 0.01 } });
  const price = priceOf('both', book);
  assert.is(price.mode, 'fixed');
  assert.is(computeCharge({ price, group: even, usage: used({ prompt: 1e6, completion: 1e6 }) }).quota, 5000);
});

finding('strips a known suffix only within the families that own it', () => {
  const find = (name: string) =>
    bookOf({ modelRatio: { 'kimi-k2': 1, 'gpt-5': 1 }, modelPrice: {} }).find(nameOf(name), { unpriced: false });
  assert.is(find('kimi-k2-thinking'), undefined);
  assert.is(find('gpt-5-xhigh')?.billingModel, 'gpt-5');
});

finding('bills gizmo and thinking-budget names by their wildcard', () => {
  assert.is(priceOf('gpt-4-gizmo-g-abc').billingModel, 'gpt-4-gizmo-*');
  assert.is(priceOf('gemini-2.5-pro-preview-thinking-2048').billingModel, 'gemini-2.5-pro-thinking-*');
});

finding(
  'takes the price of a kind of call before the plain one, its own before the wildcard, and the upstream last',
  () => {
    const ending = '-openai-compact';
    const own = { [`m${ending}`]: 4, [`target${ending}`]: 6 };
    const wildcard = { [`*${ending}`]: 3 };
    const billed = (modelRatio: Record<string, number>, names: PriceNames = nameOf('m')) =>
      bookOf({ modelRatio, modelPrice: {} }).find({ ...names, ending }, { unpriced: false })?.billingModel;
    assert.is(billed({ m: 1, ...own, ...wildcard }), `m${ending}`);
    assert.is(billed({ m: 1, ...wildcard }), `*${ending}`);
    assert.is(billed({ m: 1 }), 'm');
    assert.is(billed({ ...own }, { client: 'az/m', bare: 'm' }), `m${ending}`);
    const alias = { client: 'alias', bare: 'alias', upstream: 'target' };
    assert.is(billed({ alias: 1, target: 2, ...own }, alias), 'alias');
    assert.is(billed({ target: 2, ...own, ...wildcard }, alias), `*${ending}`);
    assert.is(billed({ target: 2, ...own }, alias), `target${ending}`);
    assert.is(billed({ target: 2 }, alias), 'target');
    assert.is(billed({ other: 2 }, alias), undefined);
    const plain = bookOf({ modelRatio: { m: 1, ...own, ...wildcard }, modelPrice: {} });
    assert.is(priceOf('m', plain).billingModel, 'm');
    const call = bookOf({ modelRatio: { m: 1 }, modelPrice: wildcard }).find(
      { ...nameOf('m'), ending },
      { unpriced: false },
    );
    assert.equal([call?.mode, call?.billingModel], ['fixed', `*${ending}`]);
  },
);

finding('leaves a kind of call the ratios of its model, as far as it has none of its own', () => {
  const ratios = (model: string, changes: Partial<PriceTables>) => {
    const modelRatio = { 'gpt-5.1': 1, m: 1, '*-openai-compact': 3 };
    const tables = { modelRatio, modelPrice: {}, completionRatio: {}, cacheRatio: {}, ...changes };
    const price = bookOf(tables).find({ ...nameOf(model), ending: '-openai-compact' }, { unpriced: false });
    if (price?.mode !== 'token') throw new Error('not by token');
    const { completion, cache } = price.rates.ratios;
    return [price.rates.ratios.model, completion, cache, price.tiers.length];
  };
  const tier = { input_over: 10, model_ratio: 9, completion_ratio: 9 };
  const longContextTiers = { m: [tier] };
  assert.equal(ratios('m', { completionRatio: { m: 5 }, cacheRatio: { m: 0.2 }, longContextTiers }), [3, 5, 0.2, 0]);
  const completionRatio = { m: 5, '*-openai-compact': 2 };
  assert.equal(ratios('m', { completionRatio, longContextTiers: { '*-openai-compact': [tier] } }), [3, 2, 1, 1]);
  // By the rule for the model's family.
  assert.is(ratios('gpt-5.1', {})[1], 8);
});

finding('is not fooled by names of object members', () => {
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    assert.is(shipped.find(nameOf(name), { unpriced: false }), undefined);
    assert.is(shipped.groupRatio(name, name).missing, true);
  }
});

finding('lets an explicit completion ratio win over every rule', () => {
  const ratioOf = (book: PriceBook) => {
    const price = priceOf('gpt-4o', book);
    return price.mode === 'token' ? price.rates.ratios.completion : undefined;
  };
  assert.is(ratioOf(bookOf({ completionRatio: { 'gpt-4o': 7 } })), 7);
  assert.is(ratioOf(bookOf({ completionRatio: {} })), 4);
  assert.is(ratioOf(bookOf({ completionRatio: {}, completionRatioRules: [] })), 1);
});

finding('defaults the cache ratios by rule, then neutrally', () => {
  const tables = { modelRatio: { 'claude-x': 1, plain: 1 }, modelPrice: {}, cacheRatio: {}, cacheCreationRatio: {} };
  const ratios = (name: string) => {
    const price = priceOf(name, bookOf(tables));
    if (price.mode !== 'token') throw new Error('not by token');
    const { cache, cacheCreation, cacheCreation1h } = price.rates.ratios;
    return [cache, cacheCreation, cacheCreation1h];
  };
  assert.equal(ratios('claude-x'), [0.1, 1.25, 2]);
  assert.equal(ratios('plain'), [1, 1.25, 2]);
});

finding('takes for the newest Claude models what their vendor lists, read from the cache at a tenth', () => {
  const million = { prompt: 2_000_000, cached: 1_000_000, completion: 1_000_000 };
  assert.is(quotaOf('claude-opus-5-5', million), (4 + 0.4 + 20) * 500_000);
  assert.is(quotaOf('claude-sonnet-5-5-thinking', million), (2 + 0.2 + 10) * 500_000);
  assert.is(quotaOf('claude-fable-5-1', million), (10 + 1 + 50) * 500_000);
});

finding('bills untagged audio like text', () => {
  const tables = { modelRatio: { m: 1 }, completionRatio: { m: 6 }, audioRatio: {}, audioCompletionRatio: {} };
  const price = priceOf('m', bookOf(tables));
  const text = computeCharge({ price, group: even, usage: used({ prompt: 10, completion: 10 }) });
  const audio = computeCharge({
    price,
    group: even,
    usage: used({ prompt: 10, promptAudio: 10, completion: 10, completionAudio: 10 }),
  });
  assert.is(audio.quota, text.quota);
});

finding('takes 1 for a group without a ratio and says so', () => {
  assert.equal(shipped.groupRatio('default', 'gone').ratio, 1);
  assert.ok(shipped.groupRatio('default', 'gone').missing);
});

finding('remembers what it found without growing for ever', () => {
  const book = bookOf();
  for (let index = 0; index < 25_000; index++) book.find(nameOf(`unknown-${index}`), { unpriced: false });
  assert.is(priceOf('gpt-4o', book), priceOf('gpt-4o', book));
});

finding.run();

const charging = suite('charging');

charging('asks nothing for free models and free groups, tools excepted', () => {
  const free = priceOf('omni-moderation-latest', bookOf({ modelRatio: { 'omni-moderation-latest': 0 } }));
  assert.ok(isFree(free, even));
  assert.is(reservationAmount({ price: free, group: even, promptTokens: 1e6 }), 0);
  assert.is(computeCharge({ price: free, group: even, usage: used({ prompt: 500 }) }).quota, 0);
  assert.ok(isFree(priceOf('gpt-4o'), group(0)));
  assert.is(quotaOf('gpt-4o', { prompt: 500 }, 0), 0);
});

charging('holds at least one unit of a model that is not free', () => {
  const book = new PriceBook({
    tables: { ...defaultPriceTables(), modelPrice: { cheap: 1e-9 } },
    rules: fixedPriceRules(),
    quotaPerUnit: 500_000,
    preConsumedQuota: 0,
  });
  assert.is(reservationAmount({ price: priceOf('cheap', book), group: even, promptTokens: 0 }), 1);
  assert.is(reservationAmount({ price: priceOf('gpt-4o', book), group: even, promptTokens: 0 }), 1);
});

charging('picks the last tier that matches, by prompt and by answer', () => {
  const price = priceOf('glm-4.5');
  const tierOf = (prompt: number, completion: number) =>
    computeCharge({ price, group: even, usage: used({ prompt, completion }) }).tier?.input_over;
  assert.is(tierOf(100, 100), undefined);
  assert.is(tierOf(100, 201), 0);
  assert.is(tierOf(32_001, 10), 32_000);
  assert.is(tierOf(32_000, 10), undefined);
});

charging('takes image prices by the reported quality, else high for the hold and medium for the bill', () => {
  const price = priceOf('gpt-image-1');
  const bill = (quality?: string) =>
    computeCharge({ price, group: even, usage: used({ units: { images: 1 } }), image: { size: 'auto', quality } })
      .quota;
  assert.is(bill('low'), 5500);
  assert.is(bill('auto'), 21_000);
  assert.is(bill(), 21_000);
  assert.is(reservationAmount({ price, group: even, promptTokens: 9, images: { count: 1, quality: 'auto' } }), 83_500);
});

charging('prices an image model that has only a ratio and no usage by that ratio', () => {
  const book = bookOf({ modelRatio: { painter: 16 }, modelPrice: {} });
  const input = { price: priceOf('painter', book), group: even, usage: used({ units: { images: 2 } }), image: {} };
  assert.is(computeCharge(input).quota, 40_000);
});

charging('takes the longest prefix among tool prices, pieces by the piece, and the group’s ratio', () => {
  const tools = (model: string, counts: Usage['tools']) =>
    computeCharge({ price: priceOf(model), group: even, usage: used({ tools: counts }) }).tools;
  assert.is(tools('gpt-4o', { web_search_preview: 1 })[0]?.quota, 12_500);
  assert.is(tools('gpt-5', { web_search_preview: 1 })[0]?.quota, 5000);
  assert.is(quotaOf('gpt-5', { tools: { web_search_preview: 1 } }, 1.5), 7500);
  assert.is(tools('gpt-5', { code_interpreter: 2 })[0]?.quota, 30_000);
  assert.is(tools('gpt-5', { image_generation: 1 })[0]?.quota, 75_000);
  assert.is(tools('gemini-2.5-pro', { google_search: 1 })[0]?.price, 35);
});

charging('prices images made by a tool from the table as far as the upstream describes them', () => {
  const large = { model: 'gpt-image-1', quality: 'high', size: '1024x1024' };
  const small = { model: 'gpt-image-1', quality: 'low', size: '1024x1024' };
  const tools = { image_generation: 5, images: [large, small, large, { ...small, model: 'nobody-knows-me' }] };
  const charge = computeCharge({ price: priceOf('gpt-5'), group: even, usage: used({ tools }) });
  assert.equal(charge.tools, [
    { name: 'image_generation', count: 2, price: 0.167, per: 1, image: large, quota: 167_000 },
    { name: 'image_generation', count: 1, price: 0.011, per: 1, image: small, quota: 5500 },
    { name: 'image_generation', count: 2, price: 0.15, per: 1, quota: 150_000 },
  ]);
});

charging('asks for more by a tenth of the running cost, at least 5000', () => {
  assert.is(extensionAmount({ running: 3200, held: 3185 }), 5015);
  assert.is(extensionAmount({ running: 100_000, held: 100_000 }), 10_000);
  assert.is(sliceAmount({ price: priceOf('gpt-4o'), group: even }), 2560);
  assert.is(runningCost({ price: priceOf('gpt-4o'), group: even, usage: used({ prompt: 8 }) }), 10);
});

charging('is quick enough for the hot path', async () => {
  const price = priceOf('claude-opus-4-5');
  const usage = used({ prompt: 26_000, cached: 20_000, cacheCreation5m: 4000, completion: 800 });
  await assertQuick(500, () => {
    for (let index = 0; index < 20_000; index++) computeCharge({ price, group: even, usage });
  });
});

charging.run();

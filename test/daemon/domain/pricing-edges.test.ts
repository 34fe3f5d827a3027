/** Where one rule of relay.md 15.4 to 15.6 ends and the next begins: tiers, least charges, roundings. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Decimal } from '../../../daemon/domain/decimal.ts';
import { PriceBook } from '../../../daemon/domain/price-book.ts';
import { defaultPriceTables, fixedPriceRules, type PriceTables } from '../../../daemon/domain/price-file.ts';
import { ImagePriceList } from '../../../daemon/domain/price-images.ts';
import {
  computeCharge,
  extensionAmount,
  MAX_CHARGE,
  reservationAmount,
  sliceAmount,
} from '../../../daemon/domain/pricing.ts';
import { emptyUsage, type Usage } from '../../../daemon/relay/canonical/usage.ts';

const edges = suite('edges of prices');

const bookOf = (changes: Partial<PriceTables>) =>
  new PriceBook({
    tables: { ...defaultPriceTables(), modelRatio: { x: 1 }, completionRatio: { x: 1 }, ...changes },
    rules: fixedPriceRules(),
    quotaPerUnit: 500_000,
    preConsumedQuota: 500,
  });

/** The one model that has a price, in a book with that price and nothing else of its own. */
function priced(changes: Partial<PriceTables>) {
  const book = bookOf(changes);
  const price = book.find({ client: 'x', bare: 'x' }, { unpriced: false });
  if (price === undefined) throw new Error('no price');
  return { price, group: book.groupRatio('default', 'default') };
}

const used = (usage: Partial<Usage>): Usage => ({ ...emptyUsage(), ...usage });

edges('take the last of several tiers, each only above its bounds', () => {
  const tiers = [
    { input_over: 100, model_ratio: 2, completion_ratio: 1 },
    { input_over: 100, output_over: 50, model_ratio: 3, completion_ratio: 1 },
    { input_over: 200, model_ratio: 5, completion_ratio: 1 },
  ];
  const { price, group } = priced({ longContextTiers: { x: tiers } });
  const ratioAt = (prompt: number, completion: number) =>
    computeCharge({ price, group, usage: used({ prompt, completion }) }).ratios?.model;
  assert.equal([ratioAt(100, 51), ratioAt(101, 50), ratioAt(101, 51)], [1, 2, 3]);
  assert.equal([ratioAt(200, 51), ratioAt(201, 51), ratioAt(201, 1)], [3, 5, 5]);
});

edges('charge one unit for a single token of a price that rounds to nothing, and nothing for none', () => {
  const { price, group } = priced({ modelRatio: { x: 0.001 } });
  const chargeOf = (prompt: number, completion: number) => {
    const { quota, main } = computeCharge({ price, group, usage: used({ prompt, completion }) });
    return [quota, main];
  };
  assert.equal(
    [chargeOf(1, 0), chargeOf(0, 1), chargeOf(0, 0)],
    [
      [1, 1],
      [1, 1],
      [0, 0],
    ],
  );
});

edges('hold by the tier of the counted prompt and of the output that is held', () => {
  const held = (tier: { input_over: number; output_over?: number }) => {
    const { price, group } = priced({ longContextTiers: { x: [{ ...tier, model_ratio: 7, completion_ratio: 1 }] } });
    const output = { mode: 'whole', maxTokens: 1000, choices: 1 } as const;
    return reservationAmount({ price, group, promptTokens: 300, output });
  };
  // The prompt is held as 500, which is more than it was counted.
  assert.equal([held({ input_over: 400 }), held({ input_over: 299 })], [1500, 7 * 1500]);
  assert.equal([held({ input_over: 0, output_over: 999 }), held({ input_over: 0, output_over: 1000 })], [10_500, 1500]);
});

edges('round a hold up, and a charge to the nearest unit', () => {
  const { price, group } = priced({ modelRatio: { x: 0.3 } });
  assert.is(reservationAmount({ price, group, promptTokens: 501 }), 151);
  assert.is(computeCharge({ price, group, usage: used({ prompt: 501 }) }).quota, 150);
  assert.is(computeCharge({ price, group, usage: used({ prompt: 505 }) }).quota, 152);
});

edges('charge one unit for tokens that come to none, unless a tool is charged', () => {
  const { price, group } = priced({ modelRatio: { x: 0.001 }, toolPrice: { web_search: 10 } });
  const plain = computeCharge({ price, group, usage: used({ prompt: 3 }) });
  assert.equal([plain.main, plain.quota], [1, 1]);
  const searched = computeCharge({ price, group, usage: used({ prompt: 3, tools: { web_search: 1 } }) });
  assert.equal([searched.main, searched.quota], [0, 5000]);
});

edges('charge nothing where nothing was counted, nor where a fixed price comes to less than half a unit', () => {
  const quotaOf = (changes: Partial<PriceTables>, usage: Partial<Usage>) =>
    computeCharge({ ...priced(changes), usage: used(usage) }).quota;
  assert.is(quotaOf({ modelRatio: { x: 1 } }, {}), 0);
  assert.equal(
    [quotaOf({ modelPrice: { x: 0.000_000_9 } }, { prompt: 3 }), quotaOf({ modelPrice: { x: 0.000_001 } }, {})],
    [0, 1],
  );
});

edges('bill speech by its characters at the ratio of the model alone', () => {
  const speech = priced({ modelRatio: { x: 3 }, completionRatio: { x: 4 }, audioRatio: { x: 5 } });
  assert.is(computeCharge({ ...speech, usage: used({ prompt: 20, units: { characters: 7 } }) }).quota, 21);
});

edges('bill sound by the minutes that its row shows as tokens of the prompt', () => {
  const { price, group } = priced({ modelRatio: { x: 3 } });
  const quotaOf = (prompt: number) => computeCharge({ price, group, usage: used({ prompt, units: { seconds: 3 } }) });
  assert.is(quotaOf(51).quota, 153);
  assert.is(quotaOf(0).quota, 150);
});

edges('round the surcharge of a tool to six places, then to the nearest unit', () => {
  const surcharge = (usdPerThousand: number) => {
    const { price, group } = priced({ toolPrice: { web_search: usdPerThousand } });
    return computeCharge({ price, group, usage: used({ tools: { web_search: 1 } }) }).tools[0]?.quota;
  };
  assert.is(surcharge(0.0008), 0, '0.4');
  assert.is(surcharge(0.000_999_9), 0, '0.49995');
  assert.is(surcharge(0.000_999_999_9), 1, '0.49999995 is 0.5 by then');
  assert.is(surcharge(0.0012), 1, '0.6');
});

edges('take sound and pictures in an answer for text where only their share of the prompt has a ratio, or none', () => {
  const ratiosOf = (changes: Partial<PriceTables>) => {
    const { price } = priced({ completionRatio: { x: 4 }, ...changes });
    const { audio, audioCompletion, image, imageCompletion } = price.mode === 'token' ? price.rates.ratios : {};
    return [audio, audioCompletion, image, imageCompletion];
  };
  assert.equal(ratiosOf({}), [1, 4, 1, 4]);
  assert.equal(ratiosOf({ audioRatio: { x: 16 }, imageRatio: { x: 2 } }), [16, 1, 2, 4]);
  assert.equal(ratiosOf({ audioCompletionRatio: { x: 3 }, imageCompletionRatio: { x: 8 } }), [1, 3, 1, 8]);
});

edges('keep the ratios of the cache in a tier that says nothing of them', () => {
  const tier = { input_over: 10, model_ratio: 2, completion_ratio: 3 };
  const ratiosOf = (own: object) => {
    const changes = { cacheRatio: { x: 0.3 }, cacheCreationRatio: { x: 1.7 } };
    const { price, group } = priced({ ...changes, longContextTiers: { x: [{ ...tier, ...own }] } });
    const { ratios } = computeCharge({ price, group, usage: used({ prompt: 11 }) });
    return [ratios?.model, ratios?.completion, ratios?.cache, ratios?.cacheCreation, ratios?.cacheCreation1h];
  };
  assert.equal(ratiosOf({}), [2, 3, 0.3, 1.7, 2.72]);
  assert.equal(ratiosOf({ cache_ratio: 0.1, cache_creation_ratio: 2 }), [2, 3, 0.1, 2, 3.2]);
});

edges('charge parts of a prompt that has no total', () => {
  const { price, group } = priced({ audioRatio: { x: 2 }, imageRatio: { x: 3 } });
  assert.is(computeCharge({ price, group, usage: used({ promptAudio: 10, promptImage: 5, completion: 1 }) }).quota, 36);
});

edges('charge parts of an answer that has no total', () => {
  const { price, group } = priced({
    audioRatio: { x: 2 },
    audioCompletionRatio: { x: 4 },
    imageCompletionRatio: { x: 3 },
  });
  const usage = used({ prompt: 1, completionAudio: 10, completionImage: 5 });
  assert.is(computeCharge({ price, group, usage }).quota, 1 + 10 * 2 * 4 + 5 * 3);
});

edges('charge nothing for images where none was made', () => {
  for (const changes of [{ modelPrice: { x: 0.04 } }, { modelRatio: { x: 16 } }]) {
    const { price, group } = priced(changes);
    assert.is(computeCharge({ price, group, usage: used({ units: { images: 0 } }), image: {} }).quota, 0);
  }
});

edges(
  'take the price of a size alone from the table of images, and that of its usual size for one that is not there',
  () => {
    const images = new ImagePriceList({ x: { '1K': 0.04, '4K': 0.2 } }, fixedPriceRules());
    const usdOf = (size: string) => images.tablePrice('x', { size, quality: 'high' }, 'bill')?.toNumber();
    assert.equal([usdOf('1K'), usdOf('4K'), usdOf('8K')], [0.04, 0.2, 0.04]);
  },
);

edges('take the price that an alias has of its own before the price of the model behind it', () => {
  const names = { client: 'az/alias', bare: 'alias', upstream: 'target' };
  const priceOf = (modelRatio: Record<string, number>, modelPrice: Record<string, number> = {}) =>
    bookOf({ modelRatio, modelPrice }).find(names, { unpriced: false })?.billingModel;
  assert.is(priceOf({ alias: 1, target: 2 }), 'alias');
  assert.is(priceOf({ alias: 1 }, { target: 2 }), 'alias');
  assert.is(priceOf({ 'az/alias': 1, alias: 2, target: 3 }), 'az/alias');
  assert.is(priceOf({ target: 2 }), 'target');
});

edges('name a model without a price, and find its further ratios, by its name without the prefix of a channel', () => {
  const names = { client: 'az/alias', bare: 'alias' };
  const price = bookOf({ completionRatio: { alias: 7 } }).find(names, { unpriced: true });
  assert.equal([price?.billingModel, price?.mode === 'token' && price.rates.ratios.completion], ['alias', 7]);
});

edges('price images by the piece where their tokens are a guess, and by tokens where they were counted', () => {
  const { price, group } = priced({ modelRatio: { x: 16 } });
  const quotaOf = (source: Usage['source']) =>
    computeCharge({ price, group, usage: { ...used({ prompt: 10, units: { images: 2 } }), source }, image: {} }).quota;
  assert.equal([quotaOf('estimated'), quotaOf('upstream')], [40_000, 160]);
});

edges('charge no more tool images than were made, described or not', () => {
  const { price, group } = priced({ toolPrice: { image_generation_each: 0.1 } });
  const image = { model: 'gpt-image-1', quality: 'high', size: '1024x1024' };
  const tools = { image_generation: 1, images: [image, image] };
  const charge = computeCharge({ price, group, usage: used({ tools }) });
  assert.equal(
    charge.tools.map(({ count, quota }) => [count, quota]),
    [[1, 83_500]],
  );
});

edges('cut what is over the largest charge off the last rows, and tell of it', () => {
  const { price, group } = priced({ toolPrice: { web_search: 10, file_search: 10 } });
  const chargeOf = (prompt: number) =>
    computeCharge({ price, group, usage: used({ prompt, tools: { web_search: 1, file_search: 1 } }) });
  const exact = chargeOf(MAX_CHARGE - 10_000);
  assert.equal([exact.quota, exact.saturated], [MAX_CHARGE, false]);
  const over = chargeOf(MAX_CHARGE - 7000);
  assert.equal([over.quota, over.saturated, over.main], [MAX_CHARGE, true, MAX_CHARGE - 7000]);
  assert.equal(
    over.tools.map(({ quota }) => quota),
    [5000, 2000],
  );
});

edges('extend no hold of a call that has one price', () => {
  const { price, group } = priced({ modelPrice: { x: 0.1 } });
  assert.is(sliceAmount({ price, group }), 0);
});

edges('take the factor of an image’s quality whatever its shape, unless that shape has one of its own', () => {
  const rules = fixedPriceRules();
  const images = new ImagePriceList({}, { ...rules, imageQualityFactor: { x: { hd: 3, low: 2, low_non_square: 5 } } });
  const base = Decimal.of(0.1);
  const usdOf = (quality: string, size: string) => images.price('x', base, { quality, size }, 'bill').toNumber();
  assert.equal([usdOf('hd', '10x10'), usdOf('hd', '10x20')], [0.3, 0.3]);
  assert.equal([usdOf('low', '10x10'), usdOf('low', '10x20'), usdOf('low', 'auto')], [0.2, 0.5, 0.2]);
});

edges('hold a single token where no more is asked for', () => {
  const { price, group } = priced({ completionRatio: { x: 3 } });
  const held = (maxTokens: number) =>
    reservationAmount({ price, group, promptTokens: 500, output: { mode: 'whole', maxTokens, choices: 1 } });
  assert.equal([held(1), held(2)], [503, 506]);
});

edges('hold by the tier that all answers together come into', () => {
  const tier = { input_over: 0, output_over: 1500, model_ratio: 7, completion_ratio: 1 };
  const { price, group } = priced({ longContextTiers: { x: [tier] } });
  const held = (choices: number) =>
    reservationAmount({ price, group, promptTokens: 500, output: { mode: 'whole', maxTokens: 1000, choices } });
  assert.equal([held(1), held(2)], [1500, 7 * 2500]);
});

edges('ask for an extension in whole units, never less than what the next slice costs', () => {
  const { price, group } = priced({ modelRatio: { x: 0.0005 } });
  assert.is(sliceAmount({ price, group }), 1, '0.256');
  assert.is(extensionAmount({ running: 50_001, held: 50_000 }), 1 + 5001);
});

edges('ask for a slice at the price of the group that serves', () => {
  const book = bookOf({ groupRatio: { dear: 3 } });
  const price = book.find({ client: 'x', bare: 'x' }, { unpriced: false });
  if (price === undefined) throw new Error('no price');
  assert.is(sliceAmount({ price, group: book.groupRatio('default', 'dear') }), 3 * 512);
});

edges('know the ratio of a group that only the callers of another have', () => {
  const book = bookOf({ groupRatio: {}, groupGroupRatio: { vip: { dear: 0.5 } } });
  const { ratio, missing } = book.groupRatio('vip', 'dear');
  assert.equal([ratio, missing], [0.5, false]);
  assert.is(book.groupRatio('default', 'dear').missing, true);
});

edges('hold images of a fixed price by the dearer quality of their table', () => {
  const row = (usd: number) => ({ '1024x1024': usd });
  const table = { x: { low: row(0.01), medium: row(0.02), high: row(0.03) } };
  const site = priced({ modelPrice: { x: 0.05 }, imagePriceTable: table });
  const image = { quality: 'auto' };
  assert.is(reservationAmount({ ...site, promptTokens: 0, images: { ...image, count: 2 } }), 30_000);
  assert.is(computeCharge({ ...site, image, usage: used({ units: { images: 2 } }) }).quota, 20_000);
});

edges('hold at least one answer, and charge no part of a token', () => {
  const { price, group } = priced({});
  const output = { mode: 'whole', maxTokens: 1000, choices: 0 } as const;
  assert.is(reservationAmount({ price, group, promptTokens: 500, output }), 1500);
  assert.is(computeCharge({ price, group, usage: used({ prompt: 7.9 }) }).quota, 7);
});

edges('say what searches come to in USD only where there are several', () => {
  const site = priced({ modelPrice: { x: 0.002 } });
  const usdOf = (searchUnits: number) => computeCharge({ ...site, usage: used({ units: { searchUnits } }) }).usd;
  assert.equal([usdOf(0), usdOf(1), usdOf(3)], [undefined, undefined, 0.006]);
});

edges('take the quality that is usual for a table of images, dearer for the hold where it has one', () => {
  const row = (usd: number) => ({ '1024x1024': usd });
  const usdOf = (table: Record<string, Record<string, number>>) => {
    const images = new ImagePriceList({ x: table }, fixedPriceRules());
    return (['hold', 'bill'] as const).map((purpose) =>
      images.tablePrice('x', { quality: 'auto' }, purpose)?.toNumber(),
    );
  };
  assert.equal(usdOf({ standard: row(0.04), hd: row(0.08) }), [0.04, 0.04]);
  assert.equal(usdOf({ low: row(0.01), medium: row(0.02), high: row(0.03) }), [0.03, 0.02]);
});

edges.run();

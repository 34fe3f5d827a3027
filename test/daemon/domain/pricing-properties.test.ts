import { Decimal as Reference } from 'decimal.js';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PriceBook } from '../../../daemon/domain/price-book.ts';
import { defaultPriceTables, fixedPriceRules, type PriceTables } from '../../../daemon/domain/price-file.ts';
import { computeCharge, MAX_CHARGE, reservationAmount } from '../../../daemon/domain/pricing.ts';
import { emptyUsage, type Usage } from '../../../daemon/relay/canonical/usage.ts';

const Exact = Reference.clone({ precision: 1000, rounding: Reference.ROUND_HALF_UP });

const bookOf = (changes: Partial<PriceTables>) =>
  new PriceBook({
    tables: { ...defaultPriceTables(), longContextTiers: {}, modelPrice: {}, ...changes },
    rules: fixedPriceRules(),
    quotaPerUnit: 500_000,
    preConsumedQuota: 500,
  });

/** Any number an option accepts, down to awkward binary fractions. */
const ratio = fc.oneof(
  fc.double({ min: 0, max: 1_000_000, noNaN: true }),
  fc.integer({ min: 0, max: 100_000 }).map((value) => value / 1000),
);
const hostile = fc.oneof(
  fc.constantFrom(0, -1, 2 ** 31, 2 ** 53 + 1, 2 ** 64 - 1, 1e308, Number.NaN, Number.POSITIVE_INFINITY, -1e308, 0.5),
  fc.double(),
  fc.maxSafeInteger(),
);
const counts = (count: fc.Arbitrary<number>): fc.Arbitrary<Usage> =>
  fc
    .record({
      prompt: count,
      cached: count,
      cacheCreation5m: count,
      cacheCreation1h: count,
      promptAudio: count,
      promptImage: count,
      completion: count,
      completionAudio: count,
      completionImage: count,
      units: fc.record({ images: count, characters: count, seconds: count, searchUnits: count }, { requiredKeys: [] }),
      tools: fc.record({ web_search: count, code_interpreter: count, image_generation: count }, { requiredKeys: [] }),
    })
    .map((usage) => ({ ...emptyUsage(), ...usage }));

const ratios = fc.record({
  m: ratio,
  c: ratio,
  k: ratio,
  w: ratio,
  ar: ratio,
  ac: ratio,
  ir: ratio,
  ic: ratio,
  g: ratio,
});

function tokenBook(r: { [name in 'm' | 'c' | 'k' | 'w' | 'ar' | 'ac' | 'ir' | 'ic' | 'g']: number }): PriceBook {
  return bookOf({
    modelRatio: { x: r.m },
    completionRatio: { x: r.c },
    cacheRatio: { x: r.k },
    cacheCreationRatio: { x: r.w },
    audioRatio: { x: r.ar },
    audioCompletionRatio: { x: r.ac },
    imageRatio: { x: r.ir },
    imageCompletionRatio: { x: r.ic },
    groupRatio: { g: r.g },
  });
}

/** Totals that hold their parts. */
function withWholes(usage: Usage): Usage {
  const { cached, cacheCreation5m, cacheCreation1h, promptAudio, promptImage, completionAudio, completionImage } =
    usage;
  return {
    ...usage,
    prompt: usage.prompt + cached + cacheCreation5m + cacheCreation1h + promptAudio + promptImage,
    completion: usage.completion + completionAudio + completionImage,
  };
}

const names = { client: 'x', bare: 'x' };
const properties = suite('charges of any body');

properties('never count more parts than the vendor counted tokens', () => {
  const count = fc.integer({ min: 1, max: 300_000 });
  const ones = { m: 1, c: 1, k: 1, w: 1, ar: 1, ac: 1, ir: 1, ic: 1, g: 1 };
  const price = tokenBook(ones).find(names, { unpriced: false });
  assert.ok(price);
  const group = tokenBook(ones).groupRatio('g', 'g');
  fc.assert(
    fc.property(counts(count), (given) => {
      const usage: Usage = { ...given, cacheCreation5m: 0, cacheCreation1h: 0, units: {}, tools: {} };
      const { quota } = computeCharge({ price, group, usage });
      assert.is(quota, Math.max(usage.prompt, usage.cached) + usage.completion);
    }),
  );
});

properties('follow the published formula to the unit where the parts are not more than the whole', () => {
  const count = fc.integer({ min: 0, max: 300_000 });
  fc.assert(
    fc.property(ratios, counts(count), (r, given) => {
      const usage: Usage = withWholes({ ...given, units: {}, tools: {} });
      const book = tokenBook(r);
      const price = book.find(names, { unpriced: false });
      if (!price) throw new Error('no price');
      const fresh = usage.prompt - usage.cached - usage.cacheCreation5m - usage.cacheCreation1h;
      const base = Math.max(0, fresh - usage.promptAudio - usage.promptImage);
      const input = new Exact(base)
        .plus(new Exact(r.k).times(usage.cached))
        .plus(new Exact(r.w).times(usage.cacheCreation5m))
        .plus(new Exact(r.w).times(usage.cacheCreation1h).times('1.6'))
        .plus(new Exact(r.ar).times(usage.promptAudio))
        .plus(new Exact(r.ir).times(usage.promptImage));
      const output = new Exact(r.c)
        .times(Math.max(0, usage.completion - usage.completionAudio - usage.completionImage))
        .plus(new Exact(r.ar).times(r.ac).times(usage.completionAudio))
        .plus(new Exact(r.ic).times(usage.completionImage));
      const rounded = input.plus(output).times(r.m).times(r.g).toDecimalPlaces(0);
      const least = r.m > 0 && r.g > 0 && usage.prompt + usage.completion > 0 ? 1 : 0;
      const expected = Exact.max(least, Exact.min(rounded, MAX_CHARGE)).toNumber();
      const charge = computeCharge({ price, group: book.groupRatio('u', 'g'), usage });
      assert.is(charge.quota, expected);
      assert.is(charge.saturated, rounded.greaterThan(MAX_CHARGE));
    }),
    { numRuns: 300 },
  );
});

properties('lie between zero and the cap, add up, and are whole, whatever an upstream reports', () => {
  fc.assert(
    fc.property(ratios, counts(hostile), fc.boolean(), fc.boolean(), (r, usage, image, fixed) => {
      const book = fixed ? bookOf({ modelPrice: { x: r.m }, groupRatio: { g: r.g } }) : tokenBook(r);
      const price = book.find(names, { unpriced: false });
      if (!price) throw new Error('no price');
      const group = book.groupRatio('u', 'g');
      const charge = computeCharge({ price, group, usage, ...(image ? { image: { size: '1024x1024' } } : {}) });
      for (const quota of [charge.quota, charge.main, ...charge.tools.map((tool) => tool.quota)]) {
        assert.ok(Number.isSafeInteger(quota) && quota >= 0 && quota <= MAX_CHARGE, `${quota}`);
      }
      assert.is(
        charge.tools.reduce((sum, tool) => sum + tool.quota, charge.main),
        charge.quota,
      );
    }),
    { numRuns: 500 },
  );
});

properties('are held between zero and the cap, whatever a client asks', () => {
  fc.assert(
    fc.property(ratios, hostile, hostile, hostile, fc.boolean(), (r, promptTokens, maxTokens, choices, images) => {
      const book = tokenBook(r);
      const price = book.find(names, { unpriced: false });
      if (!price) throw new Error('no price');
      const held = reservationAmount({
        price,
        group: book.groupRatio('u', 'g'),
        promptTokens,
        output: { mode: 'streamed', maxTokens, choices },
        ...(images ? { images: { count: choices } } : {}),
      });
      assert.ok(Number.isSafeInteger(held) && held >= 0 && held <= MAX_CHARGE, `${held}`);
      assert.is(held > 0, r.m > 0 && r.g > 0);
    }),
    { numRuns: 500 },
  );
});

properties('are covered by the hold while the answer stays within what was held', () => {
  const count = fc.integer({ min: 0, max: 100_000 });
  fc.assert(
    fc.property(ratios, count, fc.integer({ min: 0, max: 4096 }), (r, prompt, completion) => {
      const book = tokenBook(r);
      const price = book.find(names, { unpriced: false });
      if (!price) throw new Error('no price');
      const group = book.groupRatio('u', 'g');
      const output = { mode: 'whole', choices: 1 } as const;
      const held = reservationAmount({ price, group, promptTokens: prompt, output });
      const { quota } = computeCharge({ price, group, usage: { ...emptyUsage(), prompt, completion } });
      assert.ok(quota <= held, `${quota} > ${held}`);
    }),
    { numRuns: 300 },
  );
});

properties.run();

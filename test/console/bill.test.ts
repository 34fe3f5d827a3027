/** The console's arithmetic ends in what was booked, for whatever the daemon charges and logs. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Bill, billOf, cachedShare, inputPriceOf } from '../../console/billing/bill.ts';
import { PriceBook } from '../../daemon/domain/price-book.ts';
import { defaultPriceTables, fixedPriceRules } from '../../daemon/domain/price-file.ts';
import { computeCharge, durationTokens, type ImageSpec } from '../../daemon/domain/pricing.ts';
import { RateTable } from '../../daemon/domain/rate-rules.ts';
import { UsageLog } from '../../daemon/domain/usage-log.ts';
import { emptyUsage, type Usage } from '../../daemon/relay/canonical/usage.ts';
import type { NewLogRow } from '../../daemon/store/logs.ts';

const quotaPerUnit = 500_000;

interface Case {
  readonly model: string;
  readonly usage: Partial<Usage>;
  readonly groupRatio?: number;
  /** Ratio of a rate rule on the model's name. */
  readonly rate?: number;
  readonly image?: ImageSpec;
  readonly isExclusive?: boolean;
}

/** The rows that the daemon writes for a call. */
function rowsOf({ model, usage, groupRatio = 1, rate, image, isExclusive = false }: Case): NewLogRow[] {
  const book = new PriceBook({
    tables: { ...defaultPriceTables(), groupRatio: { test: groupRatio } },
    rules: fixedPriceRules(),
    quotaPerUnit,
    preConsumedQuota: 500,
  });
  const price = book.find({ client: model, bare: model }, { unpriced: true });
  if (!price) throw new Error(`${model} has no price`);
  const full = { ...emptyUsage(), ...usage };
  const rates = rate === undefined ? undefined : rateTableOf(model, rate);
  const ratio = rates?.find({ tokenId: 3, userId: 7, userGroup: 'test', model }) ?? book.groupRatio('test', 'test');
  const charge = computeCharge({ price, group: ratio, usage: full, ...(image && { image }) });
  return new UsageLog({ language: 'en' }).consumed(
    {
      requestId: 'r',
      userId: 7,
      username: 'ada',
      tokenId: 3,
      tokenName: 'laptop',
      modelName: model,
      group: 'test',
      channelId: 11,
      ip: null,
      isStream: false,
      startedAtMs: 0,
      endedAtMs: 1000,
      requestPath: '/v1/chat/completions',
      reason: 'complete',
      admin: { usedChannels: [11], attempts: [] },
    },
    {
      price,
      groupRatio: ratio,
      usage: full,
      charge,
      cost: charge.quota,
      kind: image ? 'image' : full.promptAudio > 0 !== full.completionAudio > 0 ? 'audio' : 'text',
      promptColumn: isExclusive ? 'exclusive' : 'inclusive',
      ...(image && { image: { count: full.units.images ?? 0, ...image } }),
    },
  );
}

function rateTableOf(model: string, ratio: number): RateTable {
  const author = { updatedAt: 0, actorId: 1, actorName: 'root' };
  return new RateTable([{ id: 1, subjectKind: 'token', subject: '3', model, ratio, ...author }]);
}

function billsOf(call: Case): Bill[] {
  return rowsOf(call).map((row) => {
    const bill = billOf(
      {
        quota: row.quota,
        prompt_tokens: row.promptTokens,
        completion_tokens: row.completionTokens,
        other: row.other,
      },
      quotaPerUnit,
    );
    if (!bill) throw new Error('no bill');
    return bill;
  });
}

/** The numbered cases of relay.md 19.1 that end in a log row. */
const worked: readonly (readonly [string, Case, readonly number[]])[] = [
  ['1', { model: 'gpt-4o', usage: { prompt: 1000, cached: 200, completion: 500 } }, [3625]],
  [
    '2',
    {
      model: 'claude-opus-4-5',
      usage: { prompt: 26_000, cached: 20_000, cacheCreation5m: 4000, cacheCreation1h: 1000, completion: 800 },
      groupRatio: 0.8,
      isExclusive: true,
    },
    [28_000],
  ],
  [
    '3',
    { model: 'gpt-4o-audio-preview', usage: { prompt: 120, promptAudio: 100, completion: 80, completionAudio: 50 } },
    [4175],
  ],
  ['4', { model: 'gemini-2.5-pro', usage: { prompt: 250_000, cached: 100_000, completion: 4000 } }, [230_000]],
  ['5', { model: 'dall-e-3', usage: { units: { images: 2 } }, image: { size: '1792x1024', quality: 'hd' } }, [120_000]],
  ['6', { model: 'dall-e-3', usage: { units: { images: 1 } }, image: {} }, [20_000]],
  ['7', { model: 'whisper-1', usage: { prompt: durationTokens(61.2), units: { seconds: 61.2 } } }, [3099]],
  ['8', { model: 'tts-1', usage: { prompt: 7, units: { characters: 7 } } }, [53]],
  ['9', { model: 'text-embedding-3-small', usage: { prompt: 30 } }, [1]],
  [
    '10',
    { model: 'gpt-4.1', usage: { prompt: 1000, completion: 100, tools: { web_search_preview: 2 } } },
    [1400, 25_000],
  ],
  ['11', { model: 'mj_imagine', usage: {}, groupRatio: 0.9 }, [45_000]],
  ['12', { model: 'gpt-4o', usage: { prompt: 1000, cached: 200, completion: 500 }, groupRatio: 0.5 }, [1813]],
  ['14', { model: 'nobody-knows', usage: { prompt: 10, completion: 10 } }, [750]],
  ['16', { model: 'rerank-v3.5', usage: { units: { searchUnits: 2 } } }, [2000]],
  [
    '17',
    { model: 'gpt-image-1', usage: { prompt: 350, promptImage: 300, completion: 4160, completionImage: 4160 } },
    [84_825],
  ],
];

const test = suite('console/bill');

for (const [name, call, expected] of worked) {
  test(`comes to the charge of worked example ${name}`, () => {
    const bills = billsOf(call);
    assert.equal(
      bills.map(({ quota, booked, agreement }) => [quota, booked, agreement]),
      expected.map((quota) => [quota, quota, 'exact']),
    );
  });
}

test('tells the share of a prompt that came from a cache, whether the row counts it into the prompt or not (REQ-13)', () => {
  const usage = { prompt: 26_000, cached: 20_000, cacheCreation5m: 4000, cacheCreation1h: 1000, completion: 800 };
  for (const isExclusive of [true, false]) {
    const [row] = rowsOf({ model: 'claude-opus-4-5', usage, isExclusive });
    assert.is(cachedShare({ prompt_tokens: row?.promptTokens ?? 0, other: row?.other ?? '' }), 20_000 / 26_000);
  }
  assert.is(cachedShare({ prompt_tokens: 0, other: '{}' }), 0);
});

test('names the price of a million tokens by what a dollar is worth on this site', () => {
  const [bill] = billsOf({ model: 'gpt-4o', usage: { prompt: 1000, completion: 500 } });
  if (bill?.mode !== 'tokens') throw new Error('not by tokens');
  assert.is(inputPriceOf(bill, 500_000).toNumber(), 2.5);
  assert.is(inputPriceOf(bill, 1_000_000).toNumber(), 1.25);
});

test('shows the lines of example 1', () => {
  const [bill] = billsOf({ model: 'gpt-4o', usage: { prompt: 1000, cached: 200, completion: 500 } });
  if (bill?.mode !== 'tokens') throw new Error('not by tokens');
  assert.equal(
    bill.lines.map(({ kind, count, weight, amount }) => [kind, count, String(weight), amount.toNumber()]),
    [
      ['fresh', 800, '1', 800],
      ['cached', 200, '0.5', 100],
      ['output', 500, '4', 2000],
    ],
  );
  assert.is(bill.sum.toNumber(), 2900);
});

const count = fc.integer({ min: 0, max: 2_000_000 });
const calls = fc.integer({ min: 0, max: 1000 });
const usages = fc.record({
  prompt: count,
  cached: count,
  cacheCreation5m: count,
  cacheCreation1h: count,
  promptAudio: count,
  promptImage: count,
  completion: count,
  completionAudio: count,
  completionImage: count,
  tools: fc.record({ web_search: calls, code_interpreter: calls, image_generation: calls }, { requiredKeys: [] }),
});
const models = fc.constantFrom('gpt-4o', 'claude-opus-4-5', 'gemini-2.5-pro', 'gpt-4o-audio-preview', 'gpt-image-1');

test('comes to the charge of whatever an upstream reports', () => {
  fc.assert(
    fc.property(models, usages, fc.integer({ min: 0, max: 30_000 }), (model, usage, ratio) => {
      for (const bill of billsOf({ model, usage, groupRatio: ratio / 10_000 })) {
        assert.is(bill.agreement, 'exact', `${bill.quota} of ${bill.booked}`);
      }
    }),
    { numRuns: 500 },
  );
});

test('comes to what a group with the ratio of the rule would be charged, whatever the ratio of the own group', () => {
  const share = fc.integer({ min: 0, max: 30_000 }).map((parts) => parts / 10_000);
  fc.assert(
    fc.property(models, usages, share, share, (model, usage, rate, groupRatio) => {
      const bills = billsOf({ model, usage, rate, groupRatio });
      const plain = billsOf({ model, usage, groupRatio: rate });
      assert.equal(
        bills.map(({ booked, agreement, rateRule }) => [booked, agreement, rateRule]),
        plain.map(({ booked }) => [booked, 'exact', `token:3 ${model}`]),
      );
    }),
    { numRuns: 100 },
  );
  for (const [name, call] of worked) {
    const ruled = billsOf({ ...call, rate: call.groupRatio ?? 1, groupRatio: 7 });
    assert.equal(
      ruled.map(({ booked, agreement }) => [booked, agreement]),
      billsOf(call).map(({ booked }) => [booked, 'exact']),
      name,
    );
  }
});

test('says so where the arithmetic and the charge differ', () => {
  const row = { quota: 3626, prompt_tokens: 1000, completion_tokens: 500 };
  const other =
    '{"model_ratio":1.25,"completion_ratio":4,"group_ratio":1,"model_price":-1,"cache_tokens":200,"cache_ratio":0.5}';
  assert.is(billOf({ ...row, other }, quotaPerUnit)?.agreement, 'differs');
});

test('takes for waived what was used and not charged', () => {
  const other = '{"model_ratio":1.25,"completion_ratio":4,"group_ratio":1,"model_price":-1}';
  const bill = billOf({ quota: 0, prompt_tokens: 1000, completion_tokens: 0, other }, quotaPerUnit);
  assert.equal([bill?.quota, bill?.agreement], [1250, 'waived']);
});

test('has nothing to explain where nothing was charged by a price', () => {
  for (const other of ['', 'no json', '[]', '{"error":{"code":"x"}}']) {
    assert.is(billOf({ quota: 0, prompt_tokens: 0, completion_tokens: 0, other }, quotaPerUnit), undefined);
  }
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PriceBook } from '../../../daemon/domain/price-book.ts';
import { defaultPriceTables, fixedPriceRules } from '../../../daemon/domain/price-file.ts';
import { computeCharge, type ImageSpec, type Price } from '../../../daemon/domain/pricing.ts';
import { chargedCall, repriced } from '../../../daemon/domain/rerated-charge.ts';
import { UsageLog } from '../../../daemon/domain/usage-log.ts';
import type { AnswerFacts, CallFacts } from '../../../daemon/domain/usage-log-facts.ts';
import { userLogView } from '../../../daemon/domain/usage-log-view.ts';
import { emptyUsage, type Usage } from '../../../daemon/relay/canonical/usage.ts';
import { assertQuick } from '../../support/processor-time.ts';

const book = new PriceBook({
  tables: { ...defaultPriceTables(), groupGroupRatio: { vip: { default: 0.5 } } },
  rules: fixedPriceRules(),
  quotaPerUnit: 500_000,
  preConsumedQuota: 500,
  version: 12,
});
const english = new UsageLog({ language: 'en' });
const chinese = new UsageLog({ language: 'zh' });

const callOf = (changes: Partial<CallFacts> = {}): CallFacts => ({
  requestId: '20260101000000000000000abcdefgh',
  userId: 7,
  username: 'ada',
  tokenId: 3,
  tokenName: 'laptop',
  modelName: 'gpt-4o',
  group: 'default',
  channelId: 11,
  ip: null,
  isStream: true,
  startedAtMs: 1_000_000_000_000,
  endedAtMs: 1_000_000_002_900,
  firstTokenMs: 420.4,
  requestPath: '/v1/chat/completions',
  reason: 'complete',
  admin: { usedChannels: [9, 11], attempts: [] },
  ...changes,
});

function answerOf(
  model: string,
  usage: Partial<Usage>,
  changes: Partial<AnswerFacts> & { spec?: ImageSpec; userGroup?: string; in?: PriceBook } = {},
): AnswerFacts {
  const { spec, userGroup, in: prices = book, ...rest } = changes;
  const price: Price | undefined = prices.find({ client: model, bare: model }, { unpriced: true });
  if (!price) throw new Error('no price');
  const full = { ...emptyUsage(), ...usage };
  const groupRatio = book.groupRatio(userGroup ?? 'default', 'default');
  const charge = computeCharge({ price, group: groupRatio, usage: full, ...(spec ? { image: spec } : {}) });
  return {
    price,
    groupRatio,
    usage: full,
    charge,
    cost: charge.quota,
    kind: 'text',
    promptColumn: 'inclusive',
    ...rest,
  };
}

const rowOf = (log: UsageLog, call: CallFacts, answer: AnswerFacts) => {
  const [row, ...rest] = log.consumed(call, answer);
  if (!row) throw new Error('no row');
  const other: Record<string, unknown> = JSON.parse(row.other);
  return { row, rest, other };
};

const rows = suite('log rows');

rows('fill every column of an ordinary answer', () => {
  const { row, other } = rowOf(english, callOf(), answerOf('gpt-4o', { prompt: 1000, cached: 200, completion: 500 }));
  const { other: _, ...columns } = row;
  assert.equal(columns, {
    userId: 7,
    createdAt: 1_000_000_002,
    type: 2,
    content: 'model ratio 1.25, completion ratio 4, group ratio 1',
    username: 'ada',
    tokenName: 'laptop',
    modelName: 'gpt-4o',
    quota: 3625,
    promptTokens: 1000,
    completionTokens: 500,
    useTime: 2,
    isStream: true,
    channelId: 11,
    tokenId: 3,
    group: 'default',
    requestId: '20260101000000000000000abcdefgh',
    failed: false,
    ip: null,
    cost: 3625,
  });
  assert.equal(other, {
    frt: 420,
    model_ratio: 1.25,
    completion_ratio: 4,
    group_ratio: 1,
    price_version: 12,
    model_price: -1,
    cache_tokens: 200,
    cache_ratio: 0.5,
    request_path: '/v1/chat/completions',
    settle_reason: 'complete',
    group: 'default',
    admin_info: { use_channel: ['9', '11'], attempts: [] },
  });
});

rows('write the line in the site language, with a user group override and notes', () => {
  const answer = answerOf(
    'gpt-4o',
    { prompt: 5, source: 'estimated' },
    { userGroup: 'vip', notes: ['estimated', 'client-gone'] },
  );
  const { row, other } = rowOf(chinese, callOf({ reason: 'client_gone' }), answer);
  assert.is(row.content, '模型倍率 1.25，补全倍率 4，专属分组倍率 0.5，用量为估算，客户端已断开');
  assert.is(other.user_group_ratio, 0.5);
  assert.is(other.usage_estimated, true);
  assert.is(other.settle_reason, 'client_gone');
});

rows('show what Anthropic calls input, and both lives of cache writes', () => {
  const usage = { prompt: 26_000, cached: 20_000, cacheCreation5m: 4000, cacheCreation1h: 1000, completion: 800 };
  const answer = answerOf('claude-opus-4-5', usage, { promptColumn: 'exclusive' });
  const { row, other } = rowOf(english, callOf({ modelName: 'claude-opus-4-5' }), answer);
  assert.is(row.promptTokens, 1000);
  assert.is(other.claude, true);
  assert.is(other.cache_creation_tokens, 5000);
  assert.is(other.cache_creation_tokens_5m, 4000);
  assert.is(other.cache_creation_ratio_1h, 2);
  const short = answerOf('claude-opus-4-5', { prompt: 500, cacheCreation5m: 400 }, { promptColumn: 'exclusive' });
  const split = rowOf(english, callOf(), short).other;
  assert.equal([split.cache_creation_tokens_5m, split.cache_creation_tokens_1h], [400, 0]);
});

rows('say price and pictures of an image call, all ratios zero', () => {
  const spec = { size: '1024x1024', quality: 'hd' };
  const answer = answerOf('dall-e-3', { units: { images: 2 } }, { kind: 'image', spec, image: { count: 2, ...spec } });
  const { row, other } = rowOf(english, callOf({ modelName: 'dall-e-3' }), answer);
  assert.is(row.content, 'price $0.04, group ratio 1, size 1024x1024, quality hd, images 2');
  assert.is(row.quota, 80_000);
  assert.is(other.model_price, 0.04);
  assert.is(other.model_ratio, 0);
});

rows('list tools on the main row and give each its own', () => {
  const answer = answerOf('gpt-4.1', {
    prompt: 1000,
    completion: 100,
    tools: { web_search_preview: 2, file_search: 1 },
  });
  const { row, rest, other } = rowOf(english, callOf(), answer);
  assert.is(row.quota, 1400);
  assert.match(row.content, /, web_search_preview x 2, file_search x 1$/);
  assert.equal(other.tool_surcharges, answer.charge.tools);
  assert.equal(
    rest.map((tool) => tool.quota),
    [25_000, 1250],
  );
  assert.is(
    rest.reduce((sum, tool) => sum + tool.quota, row.quota),
    answer.charge.quota,
  );
  const toolOther = JSON.parse(rest[0]?.other ?? '{}');
  assert.equal(toolOther.tool, { name: 'web_search_preview', count: 2, price: 25, per: 1000 });
  assert.equal([toolOther.model_ratio, toolOther.model_price, toolOther.group_ratio], [1, -1, 1]);
  assert.is(rest[0]?.promptTokens, 0);
  assert.is(rest[0]?.requestId, row.requestId);
});

rows('of tools say enough to be charged anew, pictures of each look and models without a price among them', () => {
  const image = { model: 'gpt-image-1', size: '1024x1024' };
  const images = [{ ...image, quality: 'low' }, { ...image, quality: 'high' }, image];
  const answer = answerOf('nobody', { prompt: 10, tools: { image_generation: 4, images, web_search: 2 } });
  const written = english.consumed(callOf({ modelName: 'nobody' }), answer);
  const anew = written.map((row) => {
    const call = chargedCall({ ...row, id: 1, cost: 0 }, () => ({ bare: 'nobody' }));
    if (typeof call !== 'object') throw new Error(`left: ${call}`);
    return repriced(call, book)?.quota;
  });
  assert.equal(
    anew,
    written.map(({ quota }) => quota),
  );
  assert.equal(anew, [375, 10_000, 5500, 83_500, 21_000, 75_000]);
});

rows('name the wildcard of a gizmo and keep the real name in the line', () => {
  const { row } = rowOf(english, callOf({ modelName: 'gpt-4-gizmo-g-123' }), answerOf('gpt-4-gizmo-g-123', {}));
  assert.is(row.modelName, 'gpt-4-gizmo-*');
  assert.match(row.content, /, model gpt-4-gizmo-g-123$/);
});

rows('record mapping, attempts, saturation and the tier', () => {
  const attempts = [{ channel: 9, key: 1, status: 429, code: 'rate_limit', ms: 12, message: 'slow down' }];
  const call = callOf({ upstreamModel: 'target', admin: { usedChannels: [9, 11], keyIndex: 2, attempts } });
  const answer = answerOf('nobody', { prompt: 2 ** 31 - 1, completion: 2 ** 31 - 1 });
  const { other } = rowOf(english, call, answer);
  assert.is(other.is_model_mapped, true);
  assert.is(other.upstream_model_name, 'target');
  assert.is(other.unpriced, true);
  assert.equal(other.admin_info, {
    use_channel: ['9', '11'],
    is_multi_key: true,
    multi_key_index: 2,
    quota_saturation: true,
    attempts,
  });
  const tier = rowOf(english, callOf(), answerOf('gemini-2.5-pro', { prompt: 250_000 })).other;
  assert.equal(tier.long_context_tier, { input_over: 200_000 });
});

rows('of a failed request cost nothing and say why', () => {
  const failure = { type: 'server_error', code: 'overloaded', status: 503, originalStatus: 529 };
  const call = callOf({ reason: 'upstream_error', channelId: 0 });
  const row = english.failed(call, { ...failure, message: 'try later\0\ud800' }, 7);
  assert.is(row.channelId, 7, 'found with the channel that was asked last');
  assert.is(row.failed, true);
  assert.is(row.quota + row.promptTokens + row.completionTokens, 0);
  assert.is(row.content, 'try later');
  const other = JSON.parse(row.other);
  assert.equal(other.error, { type: 'server_error', code: 'overloaded', status: 503, original_status: 529 });
  assert.is(other.settle_reason, 'upstream_error');
});

rows('of a channel test are charged to nobody', () => {
  const row = english.tested(callOf(), answerOf('gpt-4o', { prompt: 8, completion: 8 }));
  assert.is(row.quota, 0);
  const other = JSON.parse(row.other);
  assert.is(other.is_test, true);
  assert.is(other.test_quota, 50);
});

rows('do not mix up what is remembered per price', () => {
  const first = rowOf(english, callOf(), answerOf('gpt-4o', { prompt: 5 }));
  const second = rowOf(english, callOf(), answerOf('gpt-4o', { prompt: 5 }, { userGroup: 'vip' }));
  assert.not.equal(first.row.content, second.row.content);
});

rows('do not mix up tiers that differ in the length of the answer alone', () => {
  const tier = (output_over: number, model_ratio: number) => ({
    input_over: 10,
    output_over,
    model_ratio,
    completion_ratio: 1,
  });
  const tiers = new PriceBook({
    tables: { ...defaultPriceTables(), longContextTiers: { 'gpt-4o': [tier(0, 3), tier(100, 7)] } },
    rules: fixedPriceRules(),
    quotaPerUnit: 500_000,
    preConsumedQuota: 500,
  });
  const ratios = [50, 500].map((completion) => {
    const answer = answerOf('gpt-4o', { prompt: 20, completion }, { in: tiers });
    return rowOf(english, callOf(), answer).other.model_ratio;
  });
  assert.equal(ratios, [3, 7]);
});

rows('tell of sound and pictures beside the words, on either side of the call', () => {
  const ratios = { modelRatio: { x: 1 }, audioRatio: { x: 2 }, audioCompletionRatio: { x: 3 }, imageRatio: { x: 5 } };
  const sounding = new PriceBook({
    tables: { ...defaultPriceTables(), ...ratios, imageCompletionRatio: { x: 7 } },
    rules: fixedPriceRules(),
    quotaPerUnit: 500_000,
    preConsumedQuota: 500,
  });
  const told = (usage: Partial<Usage>) => {
    const { other } = rowOf(english, callOf(), answerOf('x', usage, { in: sounding }));
    const { audio_input, audio_output, text_input, text_output, audio_ratio, audio_completion_ratio } = other;
    const { image, image_output, image_ratio, image_completion_ratio } = other;
    return [
      [audio_input, audio_output, text_input, text_output, audio_ratio, audio_completion_ratio],
      [image, image_output, image_ratio, image_completion_ratio],
    ];
  };
  const none = undefined;
  const noSound = [none, none, none, none, none, none];
  const noPicture = [none, none, none, none];
  assert.equal(told({ prompt: 100, completion: 80 }), [noSound, noPicture]);
  assert.equal(told({ prompt: 100, promptAudio: 30, promptImage: 20, completion: 80 }), [
    [30, 0, 50, 80, 2, 3],
    [20, 0, 5, 7],
  ]);
  assert.equal(told({ prompt: 100, completion: 80, completionAudio: 30, completionImage: 20 }), [
    [0, 30, 100, 30, 2, 3],
    [0, 20, 5, 7],
  ]);
  assert.equal(told({ prompt: 100, promptImage: 20, completion: 80 }), [noSound, [20, 0, 5, 7]]);
});

rows('of sound name its ratios in the line, and every ratio with four decimals at most', () => {
  const fine = new PriceBook({
    tables: { ...defaultPriceTables(), modelRatio: { x: 0.123_46 }, audioRatio: { x: 16 } },
    rules: fixedPriceRules(),
    quotaPerUnit: 500_000,
    preConsumedQuota: 500,
  });
  const lineOf = (kind: AnswerFacts['kind']) =>
    rowOf(english, callOf(), answerOf('x', { prompt: 5 }, { in: fine, kind })).row.content;
  const plain = 'model ratio 0.1235, completion ratio 1, group ratio 1';
  assert.is(lineOf('text'), plain);
  for (const kind of ['audio', 'realtime'] as const) {
    assert.is(lineOf(kind), `${plain}, audio ratio 16, audio completion ratio 1`);
  }
});

rows('say of a write that lives for an hour how long it lives, of others only where Anthropic counts', () => {
  const told = (usage: Partial<Usage>, promptColumn: AnswerFacts['promptColumn']) => {
    const { other } = rowOf(english, callOf(), answerOf('claude-opus-4-5', usage, { promptColumn }));
    return [other.cache_creation_tokens, other.cache_creation_tokens_5m, other.cache_creation_tokens_1h];
  };
  const none = undefined;
  assert.equal(told({ prompt: 9 }, 'inclusive'), [none, none, none]);
  assert.equal(told({ prompt: 9 }, 'exclusive'), [0, none, none]);
  assert.equal(told({ prompt: 9, cacheCreation5m: 4 }, 'inclusive'), [4, none, none]);
  assert.equal(told({ prompt: 9, cacheCreation1h: 4 }, 'inclusive'), [4, 0, 4]);
});

rows('say what no token came of, what was searched for, and which of several keys answered, the first too', () => {
  const call = callOf({ firstTokenMs: undefined, admin: { usedChannels: [11], keyIndex: 0, attempts: [] } });
  const { other } = rowOf(english, call, answerOf('rerank-v3.5', { units: { searchUnits: 2 } }));
  assert.equal([other.frt, other.search_units], [-1000, 2]);
  assert.equal(other.admin_info, { use_channel: ['11'], is_multi_key: true, multi_key_index: 0, attempts: [] });
});

rows('do not mix up a short prompt with a longer one, nor one tier with the next, and name each', () => {
  const tier = (input_over: number, model_ratio: number) => ({ input_over, model_ratio, completion_ratio: 1 });
  const answers = { ...tier(10, 9), output_over: 100 };
  const tiers = new PriceBook({
    tables: { ...defaultPriceTables(), longContextTiers: { 'gpt-4o': [tier(10, 3), answers, tier(100, 7)] } },
    rules: fixedPriceRules(),
    quotaPerUnit: 500_000,
    preConsumedQuota: 500,
  });
  const told = (prompt: number, completion = 1) => {
    const { other } = rowOf(english, callOf(), answerOf('gpt-4o', { prompt, completion }, { in: tiers }));
    return [other.model_ratio, other.long_context_tier];
  };
  assert.equal(
    [told(5), told(20), told(20, 200), told(200), told(5)],
    [
      [1.25, undefined],
      [3, { input_over: 10 }],
      [9, { input_over: 10 }],
      [7, { input_over: 100 }],
      [1.25, undefined],
    ],
  );
});

rows('are quick to build', async () => {
  const answer = answerOf('gpt-4o', { prompt: 1000, completion: 10 });
  const call = callOf();
  await assertQuick(800, () => {
    for (let index = 0; index < 20_000; index++) english.consumed(call, answer);
  });
});

rows.run();

const views = suite('the user view of a log row');

views('hides the channel, the true id and what only admins may see', () => {
  const [row] = english.consumed(callOf({ upstreamModel: 'secret' }), answerOf('gpt-4o', { prompt: 5 }));
  if (!row) throw new Error('no row');
  const shown = userLogView({ ...row, id: 5000, cost: 77 }, { mappedModel: 'shown' });
  assert.is(shown.id, 5000 % 1024);
  assert.is(shown.channelId, 0);
  assert.is(shown.cost, 0);
  assert.is(JSON.parse(shown.other).admin_info, undefined);
  assert.is(JSON.parse(shown.other).upstream_model_name, 'secret');
  assert.is(
    JSON.parse(userLogView({ ...row, id: 1, cost: 7 }, { mappedModel: 'hidden' }).other).upstream_model_name,
    undefined,
  );
});

views('shows nothing of a text that it cannot read', () => {
  const [row] = english.consumed(callOf(), answerOf('gpt-4o', {}));
  if (!row) throw new Error('no row');
  for (const other of ['', '[1]', '"x"', '{broken', 'null']) {
    assert.is(userLogView({ ...row, id: 1, cost: 7, other }, { mappedModel: 'shown' }).other, '');
  }
});

views.run();

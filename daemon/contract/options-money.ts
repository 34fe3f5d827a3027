/** Options about money: payment, quota given away, groups and every price map. */
import * as z from 'zod/mini';
import { endOfChain } from './model-mapping.ts';
import { baseAddress, decimal, flag, integer, json, line, secret, shippedPrices } from './options-entry.ts';

const payment = (en: string, zh: string) => ({ class: 'root', section: 'payment', label: { en, zh } }) as const;
const quota = (en: string, zh: string) => ({ class: 'admin', section: 'quota', label: { en, zh } }) as const;
const price = (en: string, zh: string) => ({ en, zh });

const factor = z.number().check(z.minimum(0));
/** Any figure of a price map (relay.md 15.1). */
const priceFigure = z.number().check(z.minimum(0), z.maximum(1_000_000));
const modelName = z.string().check(z.minLength(1), z.maxLength(255));
const groupName = z.string().check(
  z.minLength(1),
  z.maxLength(64),
  z.refine((name) => !name.includes(',') && name.trim() === name && !/\p{Cc}/u.test(name), {
    error: 'group names have 1 to 64 characters and no comma',
  }),
);

export type GroupRatios = Readonly<Record<string, number>>;
export type PriceMap = Readonly<Record<string, number>>;

export interface CompletionRatioRule {
  readonly match: 'exact' | 'prefix' | 'regex';
  readonly value: string;
  readonly ratio: number;
}

/** Prices of a request whose prompt has more than `input_over` tokens (and its answer more than `output_over`). */
export interface LongContextTier {
  readonly input_over: number;
  readonly output_over?: number;
  readonly model_ratio: number;
  readonly completion_ratio: number;
  readonly cache_ratio?: number;
  readonly cache_creation_ratio?: number;
}

/** Model -> size -> USD, or model -> quality -> size -> USD. */
export type ImagePriceTable = Readonly<
  Record<string, Readonly<Record<string, number | Readonly<Record<string, number>>>>>
>;

const priceMap = z.record(modelName, priceFigure);
const completionRule = z.object({
  match: z.enum(['exact', 'prefix', 'regex']),
  // An empty prefix matches every name; the shipped rules end with one.
  value: z.string().check(z.maxLength(1000)),
  ratio: priceFigure,
});
const tier = z.object({
  input_over: z.int().check(z.minimum(0)),
  output_over: z.exactOptional(z.int().check(z.minimum(0))),
  model_ratio: priceFigure,
  completion_ratio: priceFigure,
  cache_ratio: z.exactOptional(priceFigure),
  cache_creation_ratio: z.exactOptional(priceFigure),
});
const tierList = z.array(tier).check(
  z.maxLength(20),
  z.refine((tiers) => tiers.every((entry, at) => at === 0 || entry.input_over > (tiers[at - 1]?.input_over ?? -1)), {
    error: 'input_over must rise',
  }),
);
const fallbackAlias = z.record(modelName, modelName).check(
  z.refine((aliases) => Object.keys(aliases).length <= 500, { error: 'at most 500 entries' }),
  z.refine((aliases) => Object.keys(aliases).every((name) => endOfChain(aliases, name) !== undefined), {
    error: 'the aliases form a circle',
  }),
);

export const moneyOptions = {
  // Merchants are told the whole address of the payment form.
  PayAddress: baseAddress({ ...payment('Payment address', '支付地址'), path: '/submit.php' }),
  EpayId: line('', payment('Merchant number', '易支付商户 ID')),
  // The order query sends the key to the payment page's server (D26).
  EpayKey: secret({ ...payment('Merchant key', '易支付商户密钥'), boundTo: 'PayAddress' }),
  CustomCallbackAddress: baseAddress(payment('Callback address', '回调地址')),
  Price: decimal(7.3, { above: 0 }, { ...payment('Price per dollar', '充值价格（x 元/美金）'), audience: 'public' }),
  MinTopUp: integer(1, { min: 1 }, { ...payment('Minimum top-up, USD', '最低充值美元数量'), audience: 'public' }),
  TopupGroupRatio: json<GroupRatios>(
    { default: 1, vip: 1, svip: 1 },
    { ...payment('Top-up ratio by group', '充值分组倍率'), schema: z.record(groupName, factor) },
  ),

  QuotaForNewUser: integer(0, { min: 0 }, quota('New user', '新用户初始额度')),
  QuotaForInviter: integer(0, { min: 0 }, quota('Inviter', '邀请新用户奖励额度')),
  QuotaForInvitee: integer(0, { min: 0 }, quota('Invitee', '新用户使用邀请码奖励额度')),
  PreConsumedQuota: integer(500, { min: 0 }, quota('Pre-consumed quota', '请求预扣费额度')),
  QuotaRemindThreshold: integer(1000, { min: 0 }, quota('Low-quota threshold', '额度提醒阈值')),
  CheckInEnabled: flag(false, {
    class: 'admin',
    section: 'check-in',
    audience: 'public',
    label: { en: 'Check-in', zh: '启用签到' },
  }),
  CheckInQuota: integer(
    1000,
    { min: 1 },
    {
      class: 'admin',
      section: 'check-in',
      label: { en: 'Reward (minimum)', zh: '签到额度（最小）' },
    },
  ),
  CheckInMaxQuota: integer(
    0,
    { min: 0 },
    {
      class: 'admin',
      section: 'check-in',
      label: { en: 'Reward (maximum)', zh: '签到最大额度' },
    },
  ),
  RebateEnabled: flag(false, { class: 'admin', section: 'rebate', label: { en: 'Rebate', zh: '启用返佣' } }),
  RebatePercentage: decimal(
    0,
    { min: 0, max: 100, places: 1 },
    { class: 'admin', section: 'rebate', label: { en: 'Rebate percentage', zh: '返佣比例' } },
  ),

  GroupRatio: json<GroupRatios>(
    { default: 1, vip: 1, svip: 1 },
    {
      class: 'admin',
      section: 'groups',
      schema: z.record(groupName, factor),
      label: { en: 'Group ratios', zh: '分组倍率' },
    },
  ),
  UserUsableGroups: json<Readonly<Record<string, string>>>(
    { default: 'default group', vip: 'vip group' },
    {
      class: 'admin',
      section: 'groups',
      schema: z.record(groupName, z.string().check(z.maxLength(200))),
      label: { en: 'Groups users may choose', zh: '用户可选分组' },
    },
  ),
  GroupGroupRatio: json<Readonly<Record<string, GroupRatios>>>(
    {},
    {
      class: 'admin',
      section: 'groups',
      schema: z.record(groupName, z.record(groupName, factor)),
      label: { en: 'Ratios of a user group in another group', zh: '分组间倍率' },
    },
  ),
  AutoGroups: json<readonly string[]>([], {
    class: 'admin',
    section: 'groups',
    form: 'list',
    schema: z.array(groupName).check(
      z.maxLength(100),
      z.overwrite((list) => [...new Set(list)]),
    ),
    label: { en: 'Groups tried by group auto', zh: '自动分组顺序' },
  }),

  ModelRatio: shippedPrices<PriceMap>('model_ratio', {}, { label: price('Model ratio', '模型倍率'), schema: priceMap }),
  ModelPrice: shippedPrices<PriceMap>(
    'model_price',
    {},
    { label: price('Fixed price', '模型固定价格'), schema: priceMap },
  ),
  CompletionRatio: shippedPrices<PriceMap>(
    'completion_ratio',
    {},
    { label: price('Completion ratio', '补全倍率'), schema: priceMap },
  ),
  CacheRatio: shippedPrices<PriceMap>(
    'cache_ratio',
    {},
    { label: price('Cache ratio', '提示缓存倍率'), schema: priceMap },
  ),
  CacheCreationRatio: shippedPrices<PriceMap>(
    'cache_creation_ratio',
    {},
    { label: price('Cache creation ratio', '缓存创建倍率'), schema: priceMap },
  ),
  AudioRatio: shippedPrices<PriceMap>('audio_ratio', {}, { label: price('Audio ratio', '音频倍率'), schema: priceMap }),
  AudioCompletionRatio: shippedPrices<PriceMap>(
    'audio_completion_ratio',
    {},
    { label: price('Audio completion ratio', '音频补全倍率'), schema: priceMap },
  ),
  ImageRatio: shippedPrices<PriceMap>('image_ratio', {}, { label: price('Image ratio', '图片倍率'), schema: priceMap }),
  ImageCompletionRatio: shippedPrices<PriceMap>(
    'image_completion_ratio',
    {},
    { label: price('Image completion ratio', '图片补全倍率'), schema: priceMap },
  ),
  CompletionRatioRules: shippedPrices<readonly CompletionRatioRule[]>('completion_ratio_rules', [], {
    label: price('Completion ratio rules', '补全倍率规则'),
    schema: z.array(completionRule).check(z.maxLength(500)),
    form: 'list',
  }),
  LongContextTiers: shippedPrices<Readonly<Record<string, readonly LongContextTier[]>>>(
    'long_context_tiers',
    {},
    { label: price('Long-context tiers', '长上下文阶梯'), schema: z.record(modelName, tierList) },
  ),
  ToolPrice: shippedPrices<PriceMap>(
    'tool_price',
    {},
    {
      label: price('Tool prices', '工具价格'),
      schema: z.record(
        z
          .string()
          .check(z.regex(/^[A-Za-z0-9_.-]{1,100}(?::[^*]{1,255}\*)?$/, 'must be a name such as tool or tool:prefix*')),
        priceFigure,
      ),
    },
  ),
  ImagePriceTable: shippedPrices<ImagePriceTable>(
    'image_quality_size',
    {},
    {
      label: price('Image prices', '图片价格表'),
      schema: z.record(
        modelName,
        z.record(
          z.string(),
          z.union([priceFigure, z.record(z.string(), priceFigure)], { error: 'must be a price or prices by name' }),
        ),
      ),
    },
  ),
  ModelFallbackAlias: json<Readonly<Record<string, string>>>(
    {},
    {
      class: 'admin',
      section: 'routing',
      schema: fallbackAlias,
      label: { en: 'Fallback aliases', zh: '模型后备别名' },
    },
  ),
  EmptyAnswerFree: flag(true, {
    class: 'admin',
    section: 'general',
    label: { en: 'Empty answers are free', zh: '空回答不计费' },
  }),
};

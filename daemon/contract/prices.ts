/** Prices for those who set them: every model with its figures, changed together (management-api.md 3.9, 5.1). */
import * as z from 'zod/mini';
import { endpoint, pagedFromOne } from './endpoint.ts';
import { filterText, optionalColumnNumber, querySwitch } from './loose.ts';

/** USD per call, or a ratio; null = no entry. */
const entry = z.nullable(z.number());

/** A model's own entries in the price maps. */
const entries = {
  model_ratio: entry,
  completion_ratio: entry,
  cache_ratio: entry,
  create_cache_ratio: entry,
  audio_ratio: entry,
  audio_completion_ratio: entry,
  image_ratio: entry,
  image_completion_ratio: entry,
  model_price: entry,
};

export const PriceMember = z.enum([
  'model_ratio',
  'completion_ratio',
  'cache_ratio',
  'create_cache_ratio',
  'audio_ratio',
  'audio_completion_ratio',
  'image_ratio',
  'image_completion_ratio',
  'model_price',
]);
export type PriceMember = z.infer<typeof PriceMember>;

/** A model as price editors see it. */
export const PriceEntryView = z.object({
  model_name: z.string(),
  /** Whether an enabled channel offers it. */
  enabled: z.boolean(),
  /** Enabled channels on which it is not switched off. */
  channels: z.int(),
  /** Groups to which those offer it, sorted. */
  groups: z.array(z.string()),
  /** 0 by token, 1 by call; null = no price, so that calls are refused. */
  quota_type: z.nullable(z.union([z.literal(0), z.literal(1)])),
  ...entries,
});
export type PriceEntryView = z.infer<typeof PriceEntryView>;

/** One figure that was changed. */
export const PriceChangeView = z.object({ model_name: z.string(), member: PriceMember, old: entry, new: entry });
export type PriceChangeView = z.infer<typeof PriceChangeView>;

const figure = z.optional(z.nullable(z.number().check(z.minimum(0), z.maximum(1_000_000))));
const modelName = z.string().check(z.minLength(1), z.maxLength(255));
const edit = z.object({
  model_ratio: figure,
  completion_ratio: figure,
  cache_ratio: figure,
  create_cache_ratio: figure,
  audio_ratio: figure,
  audio_completion_ratio: figure,
  image_ratio: figure,
  image_completion_ratio: figure,
  model_price: figure,
});
/** New figures by model; null removes an entry, absent members stay, but for those of the other kind of price. */
export const PriceEdits = z.record(modelName, edit);

export const prices = {
  list: endpoint({
    method: 'GET',
    path: '/api/price/',
    access: 'admin',
    scope: 'price:read',
    shape: 'page',
    paging: pagedFromOne,
    description: {
      en: 'Models that have a price or are offered, by name, with their own entries in the price maps.',
      zh: '已设置价格或可用的模型，按名称排列，并附带各自的价格设置。',
    },
    input: z.object({
      /** Part of the name. */
      keyword: filterText,
      /** Only offered models that have no price. */
      unset: querySwitch,
      /** Only offered models. */
      enabled: querySwitch,
      /** Only models of the channel with this id, enabled or not. */
      channel: optionalColumnNumber,
    }),
    output: PriceEntryView,
  }),
  set: endpoint({
    method: 'PUT',
    path: '/api/price/',
    access: 'admin',
    scope: 'price:write',
    shape: 'data',
    bodyLimitBytes: 4 * 1024 * 1024,
    description: {
      en: 'Sets figures of several models, all or none; null removes an entry, absent members stay. A price by call ends the ratios, a model ratio ends that price. Answers what changed.',
      zh: '批量设置模型价格，要么全部成功要么全部不变；null 会删除该项，缺省的字段保持不变。设置按次价格会清除各项倍率，设置模型倍率会清除按次价格。返回发生的变化。',
    },
    input: z.object({
      models: PriceEdits,
      /** Needed where a model would go from a price by token to one by call, or back. */
      change_kind: z.optional(z.nullable(z.boolean())),
      /** Stands with the version that this makes. */
      note: z.optional(z.nullable(z.string().check(z.maxLength(500)))),
    }),
    output: z.array(PriceChangeView),
    errors: ['option_invalid', 'price_kind_flip'],
    example: { input: { models: { 'my-model': { model_ratio: 0.5, completion_ratio: 4 } } } },
  }),
};

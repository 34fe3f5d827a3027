/** What models cost, as callers may see it (management-api.md 3.17). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

/** Ratios of a request whose prompt has more than `input_over` tokens (and its answer more than `output_over`). */
const PriceTier = z.object({
  input_over: z.int(),
  output_over: z.optional(z.int()),
  model_ratio: z.number(),
  completion_ratio: z.number(),
  cache_ratio: z.optional(z.number()),
  create_cache_ratio: z.optional(z.number()),
});

export const PriceView = z.object({
  /** The client-visible name. */
  model_name: z.string(),
  /** 0 by token, 1 by call. */
  quota_type: z.union([z.literal(0), z.literal(1)]),
  model_ratio: z.number(),
  /** USD per call; 0 for prices by token. */
  model_price: z.number(),
  completion_ratio: z.number(),
  owner_by: z.string(),
  /** Groups of the caller that offer the model. */
  enable_groups: z.array(z.string()),
  cache_ratio: z.optional(z.number()),
  create_cache_ratio: z.optional(z.number()),
  audio_ratio: z.optional(z.number()),
  audio_completion_ratio: z.optional(z.number()),
  image_ratio: z.optional(z.number()),
  image_completion_ratio: z.optional(z.number()),
  /** Prices of long prompts; absent where length makes no difference. */
  tiers: z.optional(z.array(PriceTier)),
  /** What the model may be asked for: `chat`, `embeddings`, `rerank`, `images`, ... */
  endpoints: z.array(z.string()),
  /** Prompt tokens that its channels take at most; absent while no channel says. */
  context_size: z.optional(z.int()),
  /** Share of calls that succeeded in the last 24 hours, 0 to 1; absent while there were none. */
  health: z.optional(z.number()),
  /** Ratio of a rate rule that this caller pays in the place of every group's; absent where none fits. */
  rate_ratio: z.optional(z.number()),
});
export type PriceView = z.infer<typeof PriceView>;

const ratioMap = z.record(z.string(), z.number());

export const pricing = {
  list: endpoint({
    method: 'GET',
    path: '/api/pricing',
    access: 'optional',
    scope: 'any',
    // Without `message`: a known client takes {success, message, data} for a plain envelope and drops the two maps.
    shape: 'bare',
    description: {
      en: 'Prices of every model that the caller may use; anonymous callers see group `default`.',
      zh: '调用者可用模型的价格；未登录时显示 `default` 分组的价格。',
    },
    output: z.object({
      success: z.literal(true),
      data: z.array(PriceView),
      group_ratio: ratioMap,
      usable_group: z.record(z.string(), z.string()),
    }),
  }),
  ratios: endpoint({
    method: 'GET',
    path: '/api/ratio_config',
    access: 'public',
    rate: 'critical',
    shape: 'data',
    description: {
      en: 'The ratio maps, while `ExposeRatioEnabled` is on.',
      zh: '倍率表，仅在开启 `ExposeRatioEnabled` 时提供。',
    },
    output: z.object({
      model_ratio: ratioMap,
      completion_ratio: ratioMap,
      cache_ratio: ratioMap,
      create_cache_ratio: ratioMap,
      model_price: ratioMap,
    }),
    errors: ['ratio_hidden'],
  }),
};

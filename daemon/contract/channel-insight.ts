/** What administrators ask about routing without touching it: where a call would go and why. */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { rowId } from './loose.ts';

const optionalId = z.optional(z.nullable(rowId));
const optionalText = z.optional(z.nullable(z.string().check(z.maxLength(255))));

/** Somebody who could serve the call. */
const Candidate = z.object({
  channel_id: z.int(),
  name: z.string(),
  group: z.string(),
  /** 0 serves first attempts, 1 the first retry, and so on. */
  tier: z.int(),
  priority: z.int(),
  weight: z.int(),
  /** Part of its tier's picks, 0 to 1. */
  share: z.number(),
  usable_keys: z.int(),
  /** Factor of the group for this user, or of the rate rule in its place. */
  ratio: z.number(),
});

/** Somebody who offers the model and would not be asked. */
const Excluded = z.object({
  channel_id: z.int(),
  name: z.string(),
  reason: z.enum([
    'disabled',
    'disabled-automatically',
    'other-group',
    'model-disabled',
    'endpoint',
    'no-usable-key',
    'budget',
    'cooling',
  ]),
  /** Milliseconds until a cooling channel is free; null for every other reason. */
  free_in_ms: z.nullable(z.int()),
});

/** Per token in ratios, or a fixed amount of USD per call. */
const ExplainedPrice = z.object({
  mode: z.enum(['token', 'fixed']),
  /** The name that carries the price. */
  billing_model: z.string(),
  /** 0 for fixed prices. */
  model_ratio: z.number(),
  completion_ratio: z.number(),
  /** 0 for prices per token. */
  usd: z.number(),
});

export const RoutingAnswer = z.object({
  group: z.string(),
  /** The name routed by: the one asked for, or its stand-in. */
  model: z.string(),
  endpoint: z.string(),
  /** Why the call would be refused before any channel is looked for. */
  refusal: z.nullable(z.object({ code: z.string(), message: z.string() })),
  /** Null when the model has no price. */
  price: z.nullable(ExplainedPrice),
  /** The rule whose ratio stands for that of every group; null where none fits. */
  rate_rule: z.nullable(z.object({ id: z.int(), rule: z.string(), ratio: z.number() })),
  /** In the order in which attempts would reach them. */
  candidates: z.array(Candidate),
  excluded: z.array(Excluded),
});
export type RoutingAnswer = z.infer<typeof RoutingAnswer>;

/** What an override makes of a sample: a body and headers, or a refusal that the operator wrote. */
export const OverridePreview = z.object({
  /** Null where the call is refused. */
  body: z.nullable(z.record(z.string(), z.unknown())),
  /** Headers in the order of their operations, placeholders as they are written; null takes one away. */
  headers: z.array(z.object({ name: z.string(), value: z.nullable(z.string()) })),
  /** What the client is told; `status` is that of the answer. */
  refusal: z.nullable(z.object({ status: z.int(), code: z.string(), type: z.string(), message: z.string() })),
});
export type OverridePreview = z.infer<typeof OverridePreview>;

/** What conditions may read beside the body; what is absent is not there for them. */
const overrideFacts = z.object({
  model: optionalText,
  original_model: optionalText,
  upstream_model: optionalText,
  retry_index: z.optional(z.nullable(z.int())),
  channel_id: z.optional(z.nullable(z.int())),
  user_group: optionalText,
  using_group: optionalText,
});

export const channelInsight = {
  explain: endpoint({
    method: 'POST',
    path: '/api/channel/explain',
    access: 'admin',
    scope: 'channel:read',
    shape: 'data',
    effect: 'none',
    description: {
      en: 'Where a call would go and why, without calling anyone: candidates with shares, and those left out.',
      zh: '说明请求会被分配到哪里及其原因，不发起任何调用：列出候选渠道与占比，以及被排除的渠道。',
    },
    input: z.object({
      user_id: optionalId,
      token_id: optionalId,
      group: optionalText,
      model: z.string().check(z.minLength(1), z.maxLength(255)),
      endpoint: optionalText,
    }),
    output: RoutingAnswer,
    errors: ['channel_endpoint_unknown', 'token_not_found', 'user_not_found'],
    example: { input: { group: 'default', model: 'gpt-4o', endpoint: '/v1/chat/completions' } },
  }),
  previewOverride: endpoint({
    method: 'POST',
    path: '/api/channel/override/preview',
    access: 'admin',
    scope: 'channel:write',
    shape: 'data',
    effect: 'none',
    description: {
      en: 'What a parameter override makes of a sample body: the body after it, headers, or its own refusal; calls nobody.',
      zh: '预览参数覆盖对示例请求体的效果：覆盖后的请求体、请求头或其返回的错误，不发起任何调用。',
    },
    input: z.object({
      param_override: z.string(),
      body: z.string(),
      facts: z.optional(z.nullable(overrideFacts)),
    }),
    output: OverridePreview,
    errors: ['channel_json_invalid', 'channel_rule_invalid'],
    example: { input: { param_override: '{"temperature":0}', body: '{"model":"gpt-4o","temperature":1}' } },
  }),
};

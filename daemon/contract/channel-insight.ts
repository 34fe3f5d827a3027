/** What administrators ask about channels without touching them: where a call would go, what tests have found. */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { filterText, optionalColumnNumber, rowId } from './loose.ts';

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
  /** Factor of the group, for this user. */
  ratio: z.number(),
});

/** Somebody who offers the model and would not be asked. */
const Excluded = z.object({
  channel_id: z.int(),
  name: z.string(),
  reason: z.enum(['disabled', 'disabled-automatically', 'other-group', 'endpoint', 'no-usable-key', 'cooling']),
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
  /** In the order in which attempts would reach them. */
  candidates: z.array(Candidate),
  excluded: z.array(Excluded),
});
export type RoutingAnswer = z.infer<typeof RoutingAnswer>;

/** What one test found. */
export const ChannelTestView = z.object({
  id: z.int(),
  model: z.string(),
  /** Unix seconds. */
  created_at: z.int(),
  ok: z.boolean(),
  time_ms: z.int(),
  /** HTTP status of the upstream; 0 when none came. */
  status: z.int(),
  message: z.string(),
  /** Who tested; in scheduled runs root. */
  actor_id: z.int(),
});
export type ChannelTestView = z.infer<typeof ChannelTestView>;

export const channelInsight = {
  explain: endpoint({
    method: 'POST',
    path: '/api/channel/explain',
    access: 'admin',
    shape: 'data',
    description: 'Where a call would go and why, without calling anyone: candidates with shares, and those left out.',
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
  tests: endpoint({
    method: 'GET',
    path: '/api/channel/:id/tests',
    access: 'admin',
    shape: 'data',
    description: 'What tests of a channel have found, newest first; the newest 50 of each model are kept.',
    input: z.object({ id: rowId, model: filterText, since: optionalColumnNumber }),
    output: z.array(ChannelTestView),
    errors: ['channel_not_found'],
  }),
};

/** A channel on the wire (management-api.md 4.3). */
import * as z from 'zod/mini';

/** A channel; `key` is "" everywhere but in the answer to `get`. */
export const ChannelView = z.object({
  id: z.int(),
  type: z.int(),
  key: z.string(),
  openai_organization: z.nullable(z.string()),
  test_model: z.nullable(z.string()),
  /** 0 unknown, 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  status: z.int(),
  name: z.string(),
  weight: z.int(),
  created_time: z.int(),
  test_time: z.int(),
  /** Milliseconds of the last test. */
  response_time: z.int(),
  base_url: z.string(),
  other: z.string(),
  /** USD as the upstream reported it. */
  balance: z.number(),
  balance_updated_time: z.int(),
  /** Comma list of bare names. */
  models: z.string(),
  /** Comma list. */
  group: z.string(),
  used_quota: z.int(),
  model_mapping: z.string(),
  status_code_mapping: z.string(),
  max_input_tokens: z.int(),
  priority: z.int(),
  auto_ban: z.int(),
  other_info: z.string(),
  /** Seconds until the channel may be asked again; 0 = now. A pause of one model alone does not count. */
  cooling: z.int(),
  /** Its keys, and how many of them are switched on. */
  keys_total: z.int(),
  keys_enabled: z.int(),
  tag: z.nullable(z.string()),
  setting: z.string(),
  param_override: z.string(),
  model_prefix: z.string(),
});
export type ChannelView = z.infer<typeof ChannelView>;

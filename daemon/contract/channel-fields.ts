/** What a caller may write about a channel. */
import * as z from 'zod/mini';

/** A text; null counts as absent. */
export const columnText = z.optional(z.nullable(z.string()));
/** A number or its text; null counts as absent. */
export const columnNumber = z.optional(z.nullable(z.union([z.number(), z.string()])));

/** What a caller may write; null counts as absent, except for `tag`, which it clears. */
export const channelFields = {
  type: columnNumber,
  key: columnText,
  name: columnText,
  models: columnText,
  group: columnText,
  /** The same as `group`, as a list. */
  groups: z.optional(z.nullable(z.array(z.string()))),
  openai_organization: columnText,
  test_model: columnText,
  status: columnNumber,
  weight: columnNumber,
  priority: columnNumber,
  base_url: columnText,
  other: columnText,
  model_mapping: columnText,
  status_code_mapping: columnText,
  max_input_tokens: columnNumber,
  auto_ban: columnNumber,
  tag: columnText,
  setting: columnText,
  param_override: columnText,
  model_prefix: columnText,
};

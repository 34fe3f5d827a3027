/** Group names and what carries them (management-api.md 3.16, console.md 6.16). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { querySwitch } from './loose.ts';

/** How many carry a group: live users, channels, and keys of live users that name it themselves. */
const GroupCounts = z.object({ users: z.int(), channels: z.int(), tokens: z.int() });
export type GroupCounts = z.infer<typeof GroupCounts>;

export const groups = {
  list: endpoint({
    method: 'GET',
    path: '/api/group/',
    access: 'admin',
    scope: 'any',
    shape: 'list',
    description: {
      en: 'Names of all groups, `default` first; with `with_counts`, also how many users, channels and keys carry each, removed groups included.',
      zh: '全部分组名称，`default` 在最前；带 `with_counts` 时还返回各分组（含已移除的分组）的用户数、渠道数与令牌数。',
    },
    input: z.object({ with_counts: querySwitch }),
    output: z.string(),
    siblings: z.object({ counts: z.optional(z.record(z.string(), GroupCounts)) }),
  }),
};

/** Finding records by name, of all kinds at once: what the console's palette and `tollgate search` ask (console.md 1.5). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { filterText } from './loose.ts';

/** A record by its name, and nothing else of it. */
export const FoundObjectView = z.object({
  kind: z.enum(['channel', 'user', 'token', 'redemption']),
  id: z.int(),
  name: z.string(),
});
export type FoundObjectView = z.infer<typeof FoundObjectView>;

export const search = {
  find: endpoint({
    method: 'GET',
    path: '/api/search',
    access: 'user',
    // A machine token finds the kinds that its scopes may read.
    scope: 'any',
    shape: 'data',
    rate: 'search',
    description: {
      en: "Finds the caller's keys by name, for administrators also channels, users and codes; five of each, newest first.",
      zh: '按名称搜索调用者的令牌，管理员还可搜索渠道、用户与兑换码；每类最多 5 条，最新的在前。',
    },
    input: z.object({
      /** Part of the name; also an id, a user's mail address, a whole code, a channel's whole key or its hash. Nothing is found without it. */
      keyword: filterText,
    }),
    output: z.array(FoundObjectView),
  }),
};

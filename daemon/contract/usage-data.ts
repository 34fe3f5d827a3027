/** Hourly figures of consumption for the dashboard (management-api.md 3.15, 4.8). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { filterText, optionalWholeNumber, querySwitch } from './loose.ts';

/** What one user, or all of them together, spent on a model within an hour. */
export const UsageDataView = z.object({
  /** 0 in sums over all users. */
  id: z.int(),
  /** 0 in sums over all users. */
  user_id: z.int(),
  /** "" in sums over all users. */
  username: z.string(),
  model_name: z.string(),
  /** Start of the hour, unix seconds, UTC. */
  created_at: z.int(),
  token_used: z.int(),
  count: z.int(),
  quota: z.int(),
  /** Input tokens that a cache of the upstream held; as the next only with `details`. */
  cached_tokens: z.optional(z.int()),
  /** Calls that failed as a whole; they are not among `count`. */
  failed: z.optional(z.int()),
});
export type UsageDataView = z.infer<typeof UsageDataView>;

const span = {
  /** Unix seconds; both missing mean the last 24 hours. */
  start_timestamp: optionalWholeNumber,
  end_timestamp: optionalWholeNumber,
  /** How the client will draw it; changes nothing. */
  default_time: filterText,
  /** With cached tokens and failures, as far back as the log reaches, and with hours that have failures alone. */
  details: querySwitch,
  /** One row for the whole span, model "", instead of one for each hour and model; none where nothing was counted. */
  total: querySwitch,
};

export const usageData = {
  list: endpoint({
    method: 'GET',
    path: '/api/data/',
    access: 'admin',
    scope: 'log:read',
    shape: 'list',
    description: {
      en: 'Hourly figures of all users summed by model, or those of one user; at most 366 days.',
      zh: '全部用户按模型汇总的每小时数据，或某个用户的数据；最多 366 天。',
    },
    input: z.object({ ...span, username: filterText }),
    output: UsageDataView,
    errors: ['data_span'],
  }),
  listOwn: endpoint({
    method: 'GET',
    path: '/api/data/self',
    access: 'user',
    scope: 'log:read',
    shape: 'list',
    description: { en: "The caller's hourly figures; at most 31 days.", zh: '调用者的每小时数据；最多 31 天。' },
    input: z.object(span),
    output: UsageDataView,
    errors: ['data_span'],
  }),
};

/** Reports of usage: sums of consumption by what one asks for (cli.md E15, console.md 6.8). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { filterText, optionalColumnNumber, optionalWholeNumber, rowId } from './loose.ts';

const figures = {
  /** Calls that were answered. */
  requests: z.int(),
  failures: z.int(),
  quota: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cached_tokens: z.int(),
  /** What the attempts cost the operator, those that failed included, in quota; absent for users. */
  cost: z.optional(z.int()),
};

/** One combination of the keys asked for; members that were not asked for are 0 or "". */
export const UsageReportRow = z.object({
  /** Start of the hour, day or week, unix seconds; null when no time was asked for. */
  time: z.nullable(z.int()),
  user_id: z.int(),
  username: z.string(),
  model_name: z.string(),
  channel: z.int(),
  /** "" for a channel that is gone. */
  channel_name: z.string(),
  token_name: z.string(),
  group: z.string(),
  ...figures,
});
export type UsageReportRow = z.infer<typeof UsageReportRow>;

const siblings = z.object({
  /** Of everything, rows beyond `top` included. */
  totals: z.object(figures),
  /** The whole hours that are summed, unix seconds; the end is excluded. */
  start_timestamp: z.int(),
  end_timestamp: z.int(),
});

/** What passed through one channel in the last 24 whole hours. */
export const ChannelTotalsView = z.object({
  ...figures,
  /** The end is excluded. */
  start_timestamp: z.int(),
  end_timestamp: z.int(),
});
export type ChannelTotalsView = z.infer<typeof ChannelTotalsView>;

export const SiteTotalsView = z.object({
  ...figures,
  /** Users with at least one call. */
  active_users: z.int(),
  /** Accounts at the end of the span. */
  users: z.int(),
  new_users: z.int(),
  /** Quota credited by codes and payments. */
  topped_up: z.int(),
  paid_orders: z.int(),
});
export type SiteTotalsView = z.infer<typeof SiteTotalsView>;

const span = {
  /** Unix seconds; both missing mean the last 24 hours. */
  start_timestamp: optionalWholeNumber,
  end_timestamp: optionalWholeNumber,
};

const question = {
  ...span,
  /** Up to two names, cut by commas; days and weeks are those of the site's zone, weeks start on Monday. */
  by: filterText,
  token_name: filterText,
  /** Exact; one trailing `%` makes it a prefix. */
  model_name: filterText,
  group: filterText,
  /** Rows at most; 1,000 unless told otherwise, never more than 10,000. */
  top: optionalWholeNumber,
};

export const usageReports = {
  report: endpoint({
    method: 'GET',
    path: '/api/usage/report',
    access: 'admin',
    scope: 'log:read',
    shape: 'list',
    rate: 'search',
    description: {
      en: 'Consumption summed by user, model, channel, token, group, hour, day or week; by time, then the most expensive first.',
      zh: '按用户、模型、渠道、令牌、分组、小时、日或周汇总消费；先按时间，再按费用从高到低排列。',
    },
    input: z.object({ ...question, username: filterText, channel: optionalColumnNumber }),
    output: UsageReportRow,
    siblings,
    errors: ['data_span', 'report_keys'],
  }),
  ofChannel: endpoint({
    method: 'GET',
    path: '/api/channel/:id/usage',
    access: 'admin',
    scope: 'log:read',
    shape: 'data',
    description: {
      en: 'What passed through a channel in the last 24 hours: calls, revenue and what it cost the operator.',
      zh: '渠道最近 24 小时的用量：调用次数、收入与运营成本。',
    },
    input: z.object({ id: rowId }),
    output: ChannelTotalsView,
  }),
  reportOwn: endpoint({
    method: 'GET',
    path: '/api/usage/report/self',
    access: 'user',
    scope: 'log:read',
    shape: 'list',
    rate: 'search',
    description: {
      en: "The caller's consumption summed by model, token, group, hour, day or week; at most 31 days.",
      zh: '按模型、令牌、分组、小时、日或周汇总调用者的消费；最多 31 天。',
    },
    input: z.object(question),
    output: UsageReportRow,
    siblings,
    errors: ['data_span', 'report_keys'],
  }),
  site: endpoint({
    method: 'GET',
    path: '/api/data/site',
    access: 'admin',
    scope: 'log:read',
    shape: 'data',
    rate: 'search',
    description: {
      en: 'What moved on the site as a whole: consumption, users, credits; at most 366 days.',
      zh: '全站变动：消费、用户与入账；最多 366 天。',
    },
    input: z.object(span),
    output: SiteTotalsView,
    errors: ['data_span'],
  }),
};

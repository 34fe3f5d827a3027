/** Budgets by the period (REQ-22): what a key, an account or a channel may use within an hour, day, week or month. */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { filterText } from './loose.ts';

/** What is counted: quota as charged, tokens of prompt and answer, or calls that were answered. */
export const BudgetKind = z.enum(['quota', 'tokens', 'requests']);
export type BudgetKind = z.infer<typeof BudgetKind>;

/** Periods of the site's time zone: hours of the clock, calendar days, weeks from Monday, calendar months. */
export const BudgetPeriod = z.enum(['hour', 'day', 'week', 'month']);
export type BudgetPeriod = z.infer<typeof BudgetPeriod>;

/** `token:7`, `user:3` or `channel:5`. */
const subjectShape = /^(token|user|channel):[1-9]\d{0,8}$/;
const subject = z.string().check(z.regex(subjectShape));
/** So many may be asked for at once. */
export const mostBudgetSubjects = 100;
const subjects = z.string().check(
  z.regex(/^(token|user|channel):[1-9]\d{0,8}(,(token|user|channel):[1-9]\d{0,8})*$/),
  z.refine((list) => list.split(',').length <= mostBudgetSubjects),
);

/** The highest budget that can be set: amounts stay exact. */
export const highestBudget = 1_000_000_000_000_000;

export const BudgetView = z.object({
  /** Whose it is: `token:7`, `user:3` or `channel:5`. */
  on: z.string(),
  /** Name of the key, the account or the channel. */
  name: z.string(),
  kind: BudgetKind,
  per: BudgetPeriod,
  /** Quota units, tokens or calls. */
  limit: z.int(),
  /** Taken in the period that runs, by calls that have ended. */
  used: z.int(),
  /** Unix seconds at which the next period begins. */
  resets_at: z.int(),
});
export type BudgetView = z.infer<typeof BudgetView>;

const limit = z.int().check(z.minimum(1), z.maximum(highestBudget));

/** Budgets that something new begins with: one of each kind and period at most. */
export const FirstBudgets = z
  .array(z.object({ kind: BudgetKind, per: BudgetPeriod, limit }))
  .check(z.refine((list) => new Set(list.map(({ kind, per }) => `${kind}/${per}`)).size === list.length));

const which = { on: subject, kind: BudgetKind, per: BudgetPeriod };
const refusals = ['token_not_found', 'user_not_found', 'channel_not_found', 'user_same_level'] as const;

export const budgets = {
  list: endpoint({
    method: 'GET',
    path: '/api/budget/',
    access: 'user',
    scope: 'user:read',
    shape: 'page',
    paging: { first: 1, size: 'page_size', defaultSize: 50, maxSize: 500 },
    description: {
      en: "Budgets with what is used and when they begin anew: the caller's own, an administrator's all but those of peers; `on` names keys, accounts or channels, up to 100 cut by commas.",
      zh: '列出预算、已用量与重置时间：普通用户仅限本人，管理员为全部，同级或更高级别用户的除外；`on` 指定令牌、账户或渠道，以逗号分隔，最多 100 个。',
    },
    input: z.object({
      /** One that the caller may not see is refused; of several, those are left out. */
      on: z.pipe(filterText, z.optional(subjects)),
    }),
    output: BudgetView,
    errors: refusals,
  }),
  set: endpoint({
    method: 'PUT',
    path: '/api/budget/',
    access: 'user',
    scope: 'user:write',
    shape: 'data',
    description: {
      en: 'Sets a budget; what was used in the period stays. Users set those of their own keys.',
      zh: '设置预算，本周期已用量保留。普通用户只能设置自己令牌的预算。',
    },
    input: z.object({ ...which, limit }),
    output: BudgetView,
    errors: refusals,
    example: { input: { on: 'token:7', kind: 'quota', per: 'month', limit: 10_000_000 } },
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/api/budget/',
    access: 'user',
    scope: 'user:write',
    shape: 'data',
    description: { en: 'Removes a budget.', zh: '删除预算。' },
    input: z.object(which),
    errors: [...refusals, 'budget_not_found'],
  }),
};

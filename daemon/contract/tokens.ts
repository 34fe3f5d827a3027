/** Relay keys: what callers of the relay authenticate with (management-api.md 3.11, 4.2). */
import * as z from 'zod/mini';
import { FirstBudgets } from './budgets.ts';
import { endpoint } from './endpoint.ts';
import { filterText, idList, looseRowId, rowId } from './loose.ts';

/**
 * What becomes of a request whose fields the chosen channel's protocol has no word for: `strict` refuses it, `warn`
 * names them in the header `Tollgate-Dropped-Fields`, `drop` in the log row alone, where they stand in any case.
 */
export const ConversionPolicy = z.enum(['strict', 'warn', 'drop']);
export type ConversionPolicy = z.infer<typeof ConversionPolicy>;

/** A relay key of the caller. */
export const TokenView = z.object({
  id: z.int(),
  user_id: z.int(),
  /** 48 characters without `sk-`; masked where keys are shown once only. */
  key: z.string(),
  /** 1 enabled, 2 disabled, 3 expired, 4 exhausted. */
  status: z.int(),
  name: z.string(),
  created_time: z.int(),
  accessed_time: z.int(),
  /** Unix seconds; -1 = never. */
  expired_time: z.int(),
  remain_quota: z.int(),
  used_quota: z.int(),
  unlimited_quota: z.boolean(),
  model_limits_enabled: z.boolean(),
  /** Comma list. */
  model_limits: z.string(),
  /** JSON object, from the names that calls may use to the models that they stand for; "" = none. */
  model_mapping: z.string(),
  /** One address or network a line; "" = any. */
  allow_ips: z.string(),
  /** "" = the group of the account. */
  group: z.string(),
  conversion: ConversionPolicy,
  /** The owner is told when less is left, in quota units; -1 = the threshold of the account, 0 = never told. */
  quota_warning_threshold: z.int(),
  /** Requests and tokens a minute that the key may use, and calls at once; 0 = as many as come. */
  rpm_limit: z.int(),
  tpm_limit: z.int(),
  concurrency_limit: z.int(),
  DeletedAt: z.null(),
});
export type TokenView = z.infer<typeof TokenView>;

const text = z.optional(z.nullable(z.string()));
const flag = z.optional(z.nullable(z.boolean()));
const number = z.optional(z.nullable(z.union([z.number(), z.string()])));

/** What an owner may write. */
const tokenFields = {
  name: text,
  expired_time: number,
  remain_quota: number,
  unlimited_quota: flag,
  model_limits_enabled: flag,
  /** Comma list, or a list. */
  model_limits: z.optional(z.nullable(z.union([z.string(), z.array(z.string())]))),
  /** JSON object, or its text. */
  model_mapping: z.optional(z.nullable(z.union([z.string(), z.record(z.string(), z.unknown())]))),
  allow_ips: text,
  group: text,
  conversion: z.optional(z.nullable(ConversionPolicy)),
  quota_warning_threshold: number,
  rpm_limit: number,
  tpm_limit: number,
  concurrency_limit: number,
};

const id = z.object({ id: rowId });
const fieldErrors = [
  'token_expired_in_past',
  'token_group_refused',
  'token_ips_invalid',
  'token_mapping_circular',
  'token_mapping_invalid',
  'token_mapping_name_invalid',
  'token_name_long',
  'token_name_required',
  'token_quota_invalid',
  'token_rate_invalid',
  'token_threshold_invalid',
] as const;

export const tokens = {
  list: endpoint({
    method: 'GET',
    path: '/api/token/',
    access: 'user',
    scope: 'token:read',
    shape: 'list',
    paging: { first: 0, size: 'size', defaultSize: 10, maxSize: 100 },
    description: { en: "Lists the caller's keys, newest first.", zh: '列出调用者的令牌，最新的在前。' },
    output: TokenView,
  }),
  search: endpoint({
    method: 'GET',
    path: '/api/token/search',
    access: 'user',
    scope: 'token:read',
    shape: 'list',
    rate: 'search',
    description: {
      en: "Finds the caller's keys by name and by the key or a part of it: the newest 100, and in `total` how many there are.",
      zh: '按名称、完整令牌或其中一部分搜索调用者的令牌：返回最新的 100 个，`total` 为符合条件的总数。',
    },
    input: z.object({ keyword: filterText, token: filterText }),
    output: TokenView,
    siblings: z.object({ total: z.int() }),
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/token/:id',
    access: 'user',
    scope: 'token:read',
    shape: 'data',
    description: { en: 'One key of the caller.', zh: '查看调用者的一个令牌。' },
    input: id,
    output: TokenView,
    errors: ['token_not_found'],
  }),
  revealKey: endpoint({
    method: 'POST',
    path: '/api/token/:id/key',
    aliases: [{ method: 'GET' }],
    access: 'user',
    scope: 'token:write',
    shape: 'data',
    description: { en: 'The key itself, without `sk-`.', zh: '令牌本身，不含 `sk-`。' },
    input: id,
    output: z.object({ key: z.string() }),
    errors: ['token_not_found', 'token_key_hidden'],
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/token/',
    access: 'user',
    scope: 'token:write',
    shape: 'data',
    idempotency: 'key',
    description: {
      en: 'Creates a key; where keys are shown once only, this answer is the one place that holds it.',
      zh: '创建令牌；若令牌仅显示一次，则只有此响应中包含它。',
    },
    input: z.object({
      ...tokenFields,
      /** What the key has from its first call on. */
      budgets: z.optional(z.nullable(FirstBudgets)),
    }),
    output: TokenView,
    errors: [...fieldErrors, 'token_limit_reached'],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/token/',
    access: 'user',
    scope: 'token:write',
    shape: 'data',
    description: {
      en: 'Changes the members that are present; with `status_only` the status alone.',
      zh: '修改所提交的字段；带 `status_only` 时仅修改状态。',
    },
    input: z.object({ id: looseRowId, ...tokenFields, status: number, status_only: filterText }),
    query: ['status_only'],
    output: TokenView,
    errors: [
      ...fieldErrors,
      'token_not_found',
      'token_status_invalid',
      'token_cannot_enable_exhausted',
      'token_cannot_enable_expired',
    ],
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/api/token/:id',
    access: 'user',
    scope: 'token:write',
    shape: 'data',
    description: { en: 'Deletes a key.', zh: '删除令牌。' },
    input: id,
    errors: ['token_not_found'],
  }),
  deleteBatch: endpoint({
    method: 'POST',
    path: '/api/token/batch',
    access: 'user',
    scope: 'token:write',
    shape: 'data',
    description: {
      en: 'Deletes keys of the caller; foreign ids are ignored. Answers how many there were.',
      zh: '批量删除调用者的令牌；忽略他人的编号。返回删除的数量。',
    },
    input: z.object({ ids: z.optional(idList) }),
    output: z.int(),
    errors: ['token_ids_required'],
  }),
};

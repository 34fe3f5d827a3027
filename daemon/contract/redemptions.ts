/** Redemption codes: made by administrators, redeemed by users (management-api.md 3.12, 3.13, 4.5). */
import * as z from 'zod/mini';
import { endpoint, pagedFromOne } from './endpoint.ts';
import { filterText, idList, looseRowId, optionalColumnNumber, rowId } from './loose.ts';

/** A code as administrators see it. */
export const RedemptionView = z.object({
  id: z.int(),
  /** Creator. */
  user_id: z.int(),
  key: z.string(),
  /** 1 unused, 2 disabled, 3 used. */
  status: z.int(),
  name: z.string(),
  quota: z.int(),
  created_time: z.int(),
  redeemed_time: z.int(),
  /** 0 = nobody; stays 0 for gift codes. */
  used_user_id: z.int(),
  is_gift: z.boolean(),
  /** -1 = unlimited. */
  max_uses: z.int(),
  used_count: z.int(),
  /** Unix seconds; 0 = open. */
  valid_from: z.int(),
  valid_until: z.int(),
  /** Always 0; older clients expect the member. */
  count: z.literal(0),
  DeletedAt: z.null(),
});
export type RedemptionView = z.infer<typeof RedemptionView>;

const number = z.optional(z.nullable(z.union([z.number(), z.string()])));
const text = z.optional(z.nullable(z.string()));
const id = z.object({ id: rowId });
const ids = z.object({ ids: z.optional(idList) });
const named = z.object({ name: filterText });
const count = z.int();

const fieldErrors = [
  'redemption_max_uses_invalid',
  'redemption_name_invalid',
  'redemption_quota_invalid',
  'redemption_window_invalid',
] as const;

const filters = {
  /** An id, the start of a name, or a whole code. */
  keyword: filterText,
  status: optionalColumnNumber,
  /** Exactly this name. */
  name: filterText,
  is_gift: z.optional(z.nullable(z.boolean())),
};

/** One use of a gift code. */
export const RedemptionUseView = z.object({
  user_id: z.int(),
  /** "" when the account was purged. */
  username: z.string(),
  used_time: z.int(),
  quota: z.int(),
});
export type RedemptionUseView = z.infer<typeof RedemptionUseView>;

/** The codes of one name. */
export const RedemptionBatchView = z.object({
  name: z.string(),
  codes: z.int(),
  /** Of the codes, by status. */
  unused: z.int(),
  disabled: z.int(),
  used: z.int(),
  /** Times that a code was used; more than `used` where gift codes are among them. */
  used_count: z.int(),
  /** Least and most that one of the codes is worth. */
  least_quota: z.int(),
  most_quota: z.int(),
  /** Of the newest, unix seconds. */
  created_time: z.int(),
});
export type RedemptionBatchView = z.infer<typeof RedemptionBatchView>;

export const redemptions = {
  list: endpoint({
    method: 'GET',
    path: '/api/redemption/',
    access: 'admin',
    scope: 'redemption:read',
    shape: 'page',
    paging: pagedFromOne,
    description: { en: 'Codes, newest first.', zh: '列出兑换码，最新的在前。' },
    input: z.object(filters),
    output: RedemptionView,
  }),
  search: endpoint({
    method: 'GET',
    path: '/api/redemption/search',
    access: 'admin',
    scope: 'redemption:read',
    shape: 'page',
    rate: 'search',
    paging: pagedFromOne,
    description: {
      en: 'Codes by id, by the start of their name, or by the whole code.',
      zh: '按编号、名称开头或完整的码搜索兑换码。',
    },
    input: z.object(filters),
    output: RedemptionView,
  }),
  batches: endpoint({
    method: 'GET',
    path: '/api/redemption/batches',
    access: 'admin',
    scope: 'redemption:read',
    shape: 'page',
    paging: pagedFromOne,
    description: {
      en: 'Codes counted by their name, the name of the newest code first.',
      zh: '按名称汇总兑换码数量，最近生成的名称在前。',
    },
    input: z.object({
      /** The start of a name. */
      keyword: filterText,
    }),
    output: RedemptionBatchView,
  }),
  export: endpoint({
    method: 'GET',
    path: '/api/redemption/export',
    access: 'admin',
    scope: 'redemption:read',
    shape: 'file',
    rate: 'download',
    description: {
      en: 'Codes of the filter as a file, one a line, or as CSV or JSON; streamed.',
      zh: '以流式方式导出筛选出的兑换码：每行一个，或为 CSV、JSON。',
    },
    input: z.object({
      ...filters,
      format: z.catch(z._default(z.enum(['text', 'csv', 'json', 'ndjson']), 'text'), 'text'),
    }),
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/redemption/:id',
    access: 'admin',
    scope: 'redemption:read',
    shape: 'data',
    description: { en: 'One code.', zh: '查看一个兑换码。' },
    input: id,
    output: RedemptionView,
    errors: ['redemption_not_found'],
  }),
  uses: endpoint({
    method: 'GET',
    path: '/api/redemption/:id/uses',
    access: 'admin',
    scope: 'redemption:read',
    shape: 'page',
    paging: pagedFromOne,
    description: { en: 'Who used a gift code, newest first.', zh: '礼品码的使用记录，最新的在前。' },
    input: id,
    output: RedemptionUseView,
    errors: ['redemption_not_found'],
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/redemption/',
    access: 'admin',
    scope: 'redemption:write',
    shape: 'data',
    idempotency: 'key',
    description: {
      en: 'Makes up to 10,000 codes in one transaction, all or none, or one code with a text of your choice.',
      zh: '一次最多生成 10000 个兑换码，要么全部成功要么全部不变；也可生成一个自定义内容的兑换码。',
    },
    input: z.object({
      name: text,
      quota: number,
      count: number,
      is_gift: z.optional(z.nullable(z.boolean())),
      max_uses: number,
      /** 4-32 characters of `[0-9A-Za-z_-]`; `count` is then ignored. */
      key: text,
      valid_from: number,
      valid_until: number,
    }),
    output: z.array(z.string()),
    errors: [
      ...fieldErrors,
      'redemption_count_invalid',
      'redemption_count_max',
      'redemption_key_invalid',
      'redemption_key_taken',
    ],
    example: {
      input: { name: 'spring', quota: 500000, count: 2 },
      output: ['0f4c1d9e5b7a4c2e8d6f3b1a9c7e5d42', '9b1e7f3a5c2d4e6f8a0b1c3d5e7f9a2b'],
    },
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/redemption/',
    access: 'admin',
    scope: 'redemption:write',
    shape: 'data',
    description: {
      en: 'Changes an unused code; with `status_only` its status alone, between 1 and 2.',
      zh: '修改未使用的兑换码；带 `status_only` 时仅在 1 与 2 之间切换状态。',
    },
    input: z.object({
      id: looseRowId,
      name: text,
      quota: number,
      valid_from: number,
      valid_until: number,
      max_uses: number,
      status: number,
      status_only: filterText,
    }),
    query: ['status_only'],
    output: RedemptionView,
    errors: [...fieldErrors, 'redemption_not_found', 'redemption_used_readonly'],
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/api/redemption/:id',
    access: 'admin',
    scope: 'redemption:write',
    shape: 'data',
    description: { en: 'Deletes a code.', zh: '删除兑换码。' },
    input: id,
    errors: ['redemption_not_found'],
  }),
  disableBatch: endpoint({
    method: 'PUT',
    path: '/api/redemption/batch-disable',
    access: 'admin',
    scope: 'redemption:write',
    shape: 'data',
    description: {
      en: 'Disables those of the codes that are unused; answers how many.',
      zh: '禁用其中未使用的兑换码；返回数量。',
    },
    input: ids,
    output: count,
    errors: ['redemption_ids_required'],
  }),
  deleteDisabled: endpoint({
    method: 'DELETE',
    path: '/api/redemption/delete-disabled',
    access: 'admin',
    scope: 'redemption:write',
    shape: 'data',
    description: { en: 'Deletes every disabled code; answers how many.', zh: '删除全部已禁用的兑换码；返回数量。' },
    output: count,
  }),
  countByName: endpoint({
    method: 'GET',
    path: '/api/redemption/count-by-name',
    access: 'admin',
    scope: 'redemption:read',
    shape: 'data',
    description: { en: 'Number of codes with exactly this name.', zh: '名称完全相同的兑换码数量。' },
    input: named,
    output: count,
    errors: ['redemption_name_required'],
  }),
  deleteByName: endpoint({
    method: 'DELETE',
    path: '/api/redemption/delete-by-name',
    access: 'admin',
    scope: 'redemption:write',
    shape: 'data',
    description: {
      en: 'Deletes every code with exactly this name; answers how many.',
      zh: '删除名称完全相同的全部兑换码；返回数量。',
    },
    input: named,
    output: count,
    errors: ['redemption_name_required'],
  }),
  redeem: endpoint({
    method: 'POST',
    path: '/api/user/topup',
    access: 'user',
    scope: 'order:write',
    shape: 'data',
    rate: 'critical-redeem',
    idempotency: 'key',
    description: { en: 'Redeems a code for the own balance.', zh: '使用兑换码为本人充值。' },
    input: z.object({ key: text }),
    output: z.object({ quota: z.int(), is_gift: z.boolean() }),
    errors: [
      'redeem_empty',
      'redeem_invalid',
      'redeem_used',
      'redeem_not_yet',
      'redeem_expired',
      'gift_exhausted',
      'gift_repeat',
      'busy',
    ],
  }),
};

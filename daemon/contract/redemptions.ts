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

export const redemptions = {
  list: endpoint({
    method: 'GET',
    path: '/api/redemption/',
    access: 'admin',
    shape: 'page',
    paging: pagedFromOne,
    description: 'Codes, newest first.',
    input: z.object(filters),
    output: RedemptionView,
  }),
  search: endpoint({
    method: 'GET',
    path: '/api/redemption/search',
    access: 'admin',
    shape: 'page',
    rate: 'search',
    paging: pagedFromOne,
    description: 'Codes by id, by the start of their name, or by the whole code.',
    input: z.object(filters),
    output: RedemptionView,
  }),
  export: endpoint({
    method: 'GET',
    path: '/api/redemption/export',
    access: 'admin',
    shape: 'file',
    rate: 'download',
    description: 'Codes of the filter as a file, one a line, or as CSV or JSON; streamed.',
    input: z.object({
      ...filters,
      format: z.catch(z._default(z.enum(['text', 'csv', 'json', 'ndjson']), 'text'), 'text'),
    }),
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/redemption/:id',
    access: 'admin',
    shape: 'data',
    description: 'One code.',
    input: id,
    output: RedemptionView,
    errors: ['redemption_not_found'],
  }),
  uses: endpoint({
    method: 'GET',
    path: '/api/redemption/:id/uses',
    access: 'admin',
    shape: 'page',
    paging: pagedFromOne,
    description: 'Who used a gift code, newest first.',
    input: id,
    output: RedemptionUseView,
    errors: ['redemption_not_found'],
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/redemption/',
    access: 'admin',
    shape: 'data',
    idempotency: 'key',
    description: 'Makes up to 10,000 codes in one transaction, all or none, or one code with a text of your choice.',
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
    shape: 'data',
    description: 'Changes an unused code; with `status_only` its status alone, between 1 and 2.',
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
    shape: 'data',
    description: 'Deletes a code.',
    input: id,
    errors: ['redemption_not_found'],
  }),
  disableBatch: endpoint({
    method: 'PUT',
    path: '/api/redemption/batch-disable',
    access: 'admin',
    shape: 'data',
    description: 'Disables those of the codes that are unused; answers how many.',
    input: ids,
    output: count,
    errors: ['redemption_ids_required'],
  }),
  deleteDisabled: endpoint({
    method: 'DELETE',
    path: '/api/redemption/delete-disabled',
    access: 'admin',
    shape: 'data',
    description: 'Deletes every disabled code; answers how many.',
    output: count,
  }),
  countByName: endpoint({
    method: 'GET',
    path: '/api/redemption/count-by-name',
    access: 'admin',
    shape: 'data',
    description: 'Number of codes with exactly this name.',
    input: named,
    output: count,
    errors: ['redemption_name_required'],
  }),
  deleteByName: endpoint({
    method: 'DELETE',
    path: '/api/redemption/delete-by-name',
    access: 'admin',
    shape: 'data',
    description: 'Deletes every code with exactly this name; answers how many.',
    input: named,
    output: count,
    errors: ['redemption_name_required'],
  }),
  redeem: endpoint({
    method: 'POST',
    path: '/api/user/topup',
    access: 'user',
    shape: 'data',
    rate: 'critical-redeem',
    idempotency: 'key',
    description: 'Redeems a code for the own balance.',
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

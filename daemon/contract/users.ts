/** User administration (management-api.md 3.8). */
import * as z from 'zod/mini';
import { accountMembers } from './account.ts';
import { endpoint, pagedFromOne } from './endpoint.ts';
import { rowId } from './loose.ts';

/** A user as administrators see it; `setting` holds only the members that are theirs to know. */
export const UserView = z.object(accountMembers);
export type UserView = z.output<typeof UserView>;

/**
 * One user, with how many relay keys are theirs, deleted ones not counted, and what administrators have written down for
 * themselves (`notes`).
 */
export const UserDetailView = z.extend(UserView, { token_count: z.int(), notes: z.string() });
export type UserDetailView = z.output<typeof UserDetailView>;

const userActions = ['promote', 'demote', 'disable', 'enable', 'delete', 'add_quota'] as const;
const quotaModes = ['add', 'subtract', 'override'] as const;
export type QuotaMode = (typeof quotaModes)[number];

/** Absent and null both mean "unchanged". */
const optionalText = z.optional(z.nullable(z.string()));
const smallInteger = z.int().check(z.minimum(-1), z.maximum(1000));
const optionalInteger = z.optional(z.nullable(z.int()));

export const users = {
  list: endpoint({
    method: 'GET',
    path: '/api/user/',
    access: 'admin',
    scope: 'user:read',
    shape: 'page',
    paging: pagedFromOne,
    description: { en: 'Users, newest first, deleted ones included.', zh: '列出用户，最新的在前，包含已删除的用户。' },
    output: UserView,
  }),
  search: endpoint({
    method: 'GET',
    path: '/api/user/search',
    access: 'admin',
    scope: 'user:read',
    shape: 'page',
    rate: 'search',
    paging: pagedFromOne,
    description: {
      en: 'Users whose name, e-mail address or display name contains the keyword, or whose id it is.',
      zh: '用户名、邮箱或显示名称包含关键字，或编号与其相同的用户。',
    },
    input: z.object({
      keyword: z.optional(z.string()),
      group: z.optional(z.string()),
      role: z.optional(smallInteger),
      /** -1 for deleted users. */
      status: z.optional(smallInteger),
    }),
    output: UserView,
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/user/:id',
    access: 'admin',
    scope: 'user:read',
    shape: 'data',
    description: { en: 'One user, with the number of their keys.', zh: '查看一个用户及其令牌数。' },
    input: z.object({ id: rowId }),
    output: UserDetailView,
    errors: ['user_not_found', 'user_same_level'],
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/user/',
    access: 'admin',
    scope: 'user:write',
    shape: 'data',
    rate: 'critical',
    idempotency: 'key',
    description: {
      en: 'Creates a user; only root may create an administrator.',
      zh: '创建用户；只有超级管理员可以创建管理员。',
    },
    input: z.object({
      username: z.string(),
      password: z.string(),
      display_name: optionalText,
      role: optionalInteger,
      group: optionalText,
      quota: optionalInteger,
    }),
    output: UserView,
    errors: [
      'username_invalid',
      'username_taken',
      'password_invalid',
      'user_same_level',
      'group_unknown',
      'quota_negative',
      'step_up_required',
    ],
    example: { input: { username: 'alice', password: 'correct horse', group: 'default' } },
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/user/',
    access: 'admin',
    scope: 'user:write',
    shape: 'data',
    description: {
      en: 'Changes name, display name, group, balance, password or notes; absent and equal members stay as they are.',
      zh: '修改用户名、显示名称、分组、余额、密码或备注；缺省或相同的字段保持不变。',
    },
    input: z.object({
      id: rowId,
      username: optionalText,
      display_name: optionalText,
      group: optionalText,
      quota: optionalInteger,
      password: optionalText,
      /** "" for none. */
      notes: z.optional(z.nullable(z.string().check(z.maxLength(2000)))),
    }),
    errors: [
      'user_not_found',
      'user_same_level',
      'username_invalid',
      'username_taken',
      'password_invalid',
      'login_failed',
      'group_unknown',
      'quota_negative',
      'user_deleted_readonly',
      'step_up_required',
    ],
  }),
  manage: endpoint({
    method: 'POST',
    path: '/api/user/manage',
    access: 'admin',
    scope: 'user:write',
    shape: 'data',
    idempotency: 'key',
    description: {
      en: 'Promotes, demotes, disables, enables or deletes a user, or changes the balance atomically.',
      zh: '提升、降级、禁用、启用或删除用户，或以原子方式调整余额。',
    },
    input: z.object({
      id: rowId,
      action: z.enum(userActions),
      value: z.optional(z.int()),
      mode: z.optional(z.enum(quotaModes)),
      /** Why the balance is changed, for operators: it stands in the log row and the audit row. */
      note: z.optional(z.nullable(z.string().check(z.maxLength(500)))),
    }),
    output: z.union([z.object({ role: z.int(), status: z.int() }), z.object({ quota: z.int() })]),
    errors: [
      'user_not_found',
      'user_same_level',
      'user_root_protected',
      'user_promote_root_only',
      'user_already_admin',
      'user_already_common',
      'user_deleted_readonly',
      'quota_negative',
      'step_up_required',
    ],
    example: { input: { id: 7, action: 'add_quota', mode: 'add', value: 500000 }, output: { quota: 500000 } },
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/api/user/:id',
    access: 'admin',
    scope: 'user:write',
    shape: 'data',
    description: {
      en: 'Deletes a user softly; with purge, root removes a deleted user for good.',
      zh: '软删除用户；带 purge 时，超级管理员可彻底移除已删除的用户。',
    },
    input: z.object({ id: rowId, purge: z.optional(z.boolean()) }),
    errors: ['user_not_found', 'user_same_level', 'user_root_protected', 'user_deleted_readonly'],
  }),
};

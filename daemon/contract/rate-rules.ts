/** Rate rules: ratios of their own for users, user groups and keys (relay.md 15.3). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { rowId } from './loose.ts';

export const RateSubjectKind = z.enum(['user', 'group', 'token']);
export type RateSubjectKind = z.infer<typeof RateSubjectKind>;

export const RateRuleView = z.object({
  id: z.int(),
  subject_kind: RateSubjectKind,
  /** The id of a user or key as text, or the name of a user group. */
  subject: z.string(),
  /** Username, name of the key, or the group; "" where it is gone. */
  subject_name: z.string(),
  /** A name, `prefix*` or `*` for all models. */
  model: z.string(),
  ratio: z.number(),
  /** Unix seconds. */
  updated_at: z.int(),
  updated_by: z.string(),
});
export type RateRuleView = z.infer<typeof RateRuleView>;

const modelNames = /^(?:[^*\s](?:[^*]*(?:\*|[^*\s]))?|\*)$/;
const modelPattern = z.string().check(z.maxLength(255), z.regex(modelNames));

/** A name, a prefix with its star, or the star alone; without spaces around, as models are called. */
export const isModelPattern = (text: string): boolean => modelNames.test(text);

export const rateRules = {
  list: endpoint({
    method: 'GET',
    path: '/api/rate_rule/',
    access: 'admin',
    scope: 'price:read',
    shape: 'data',
    description: {
      en: 'Ratios that replace the group ratio for a user, a user group or a key, by subject and model.',
      zh: '针对用户、用户分组或令牌的费率规则，替代分组倍率；按对象与模型排列。',
    },
    output: z.array(RateRuleView),
  }),
  set: endpoint({
    method: 'POST',
    path: '/api/rate_rule/',
    access: 'admin',
    scope: 'price:write',
    shape: 'data',
    description: {
      en: 'Sets the ratio of a user, user group or key on a model, on a prefix, or on all models.',
      zh: '设置某个用户、用户分组或令牌在某模型、某前缀或全部模型上的倍率。',
    },
    input: z.object({
      subject_kind: RateSubjectKind,
      /** An id as text or number, or the name of a user group. */
      subject: z.pipe(z.union([z.string(), z.number()]), z.transform(String)),
      model: modelPattern,
      ratio: z.number().check(z.minimum(0), z.maximum(1_000_000)),
      /** The ratio that the caller saw and replaces, null for none; another one is refused. Absent: whatever stands there. */
      expected_ratio: z.optional(z.nullable(z.number())),
    }),
    output: RateRuleView,
    errors: ['group_unknown', 'rate_rule_changed', 'rate_rules_full', 'token_not_found', 'user_not_found'],
    example: { input: { subject_kind: 'group', subject: 'vip', model: 'gpt-*', ratio: 0.8 } },
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/api/rate_rule/:id',
    access: 'admin',
    scope: 'price:write',
    shape: 'data',
    description: { en: 'Removes a rate rule; the group ratio holds again.', zh: '删除费率规则，恢复使用分组倍率。' },
    input: z.object({ id: rowId }),
    errors: ['rate_rule_not_found'],
  }),
};

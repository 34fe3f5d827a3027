/** Limits by the minute and of calls at once, whoever they are for, with what is used of them (REQ-23, cli.md E14). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { highestRate } from './rate-limits.ts';

/**
 * `token:7`, `user:alice`, `group:vip`, `model:gpt-4o`, `channel-key:3/HASH`; `token:*`, `user:*` and so on for each
 * that has none of its own, `model:gpt-*` for the beginning of names.
 */
const subject = z
  .string()
  .check(
    z.maxLength(300),
    z.regex(/^(token:([1-9]\d{0,8}|\*)|(user|group|model):.+|channel-key:[1-9]\d{0,8}\/[0-9a-f]{16})$/),
  );

/** Requests a minute, tokens a minute, calls at once. */
export const limitKinds = ['rpm', 'tpm', 'concurrency'] as const;

export const LimitView = z.object({
  on: z.string(),
  kind: z.enum(limitKinds),
  limit: z.int(),
  /** In the last minute; null where that is not counted for one alone. Without Redis, what this node knows. */
  used: z.nullable(z.int()),
  /** Unix seconds at which a part comes back; null where nothing is known to be used. */
  resets_at: z.nullable(z.int()),
});
export type LimitView = z.infer<typeof LimitView>;

/** Absent stays, 0 lifts. */
const figure = z.optional(z.nullable(z.int().check(z.minimum(0), z.maximum(highestRate))));
const refusals = ['token_not_found', 'channel_not_found', 'channel_key_not_found'] as const;

export const limits = {
  list: endpoint({
    method: 'GET',
    path: '/api/limit/',
    access: 'user',
    scope: 'user:read',
    shape: 'data',
    description: {
      en: "Limits by the minute with what is used: of the caller's own keys, for administrators also of users, groups, models and channel keys.",
      zh: '列出限流与已用量：本人的令牌；管理员还包括用户、分组、模型与渠道密钥。',
    },
    output: z.array(LimitView),
  }),
  set: endpoint({
    method: 'PUT',
    path: '/api/limit/',
    access: 'user',
    scope: 'user:write',
    shape: 'data',
    description: {
      en: 'Sets limits; what is absent stays, 0 lifts. Users set those of their own keys.',
      zh: '设置限流；缺省的保持不变，0 表示不限。普通用户只能设置自己的令牌。',
    },
    input: z.object({ on: subject, rpm: figure, tpm: figure, concurrency: figure }),
    errors: [...refusals, 'user_not_found', 'group_unknown', 'option_invalid'],
    example: { input: { on: 'user:alice', rpm: 60, tpm: 90_000 } },
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/api/limit/',
    access: 'user',
    scope: 'user:write',
    shape: 'data',
    description: { en: 'Lifts every limit of one.', zh: '取消某对象的全部限流。' },
    input: z.object({ on: subject }),
    errors: [...refusals, 'limit_not_found'],
  }),
};

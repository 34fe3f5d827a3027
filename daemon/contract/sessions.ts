/** Where an account is signed in, and ending that (console.md N4, cli.md E5). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { rowId } from './loose.ts';

export const SessionView = z.object({
  /** Names the session to its owner; it is not the secret in the cookie. */
  id: z.string(),
  /** True for the session of this very call. */
  current: z.boolean(),
  ip: z.string(),
  user_agent: z.string(),
  /** Unix seconds. */
  created_at: z.int(),
  /** Unix seconds, noted about once a minute. */
  last_seen_at: z.int(),
  /** Unix seconds. */
  expires_at: z.int(),
});
export type SessionView = z.output<typeof SessionView>;

/** Whose; the caller's own when absent. */
const whose = { user_id: z.optional(rowId) };
const managing = ['user_not_found', 'user_same_level', 'user_deleted_readonly', 'forbidden_role'] as const;

export const sessions = {
  list: endpoint({
    method: 'GET',
    path: '/api/session/',
    access: 'user',
    shape: 'data',
    description: {
      en: 'Where the own account, or for administrators that of a user, is signed in; last seen first.',
      zh: '本人账户的登录会话；管理员可查看某个用户的会话。最近活动的在前。',
    },
    input: z.object(whose),
    output: z.array(SessionView),
    errors: managing,
  }),
  end: endpoint({
    method: 'DELETE',
    path: '/api/session/:session',
    access: 'user',
    shape: 'data',
    description: { en: 'Ends one session.', zh: '结束一个会话。' },
    input: z.object({ session: z.string().check(z.maxLength(64)), ...whose }),
    errors: ['session_not_found', ...managing],
  }),
  endAll: endpoint({
    method: 'DELETE',
    path: '/api/session/',
    access: 'user',
    shape: 'data',
    description: {
      en: 'Ends every session, or with `others` every one but that of this call; answers how many.',
      zh: '结束全部会话；带 `others` 时保留当前会话。返回结束的数量。',
    },
    input: z.object({ others: z.optional(z.boolean()), ...whose }),
    output: z.object({ ended: z.int() }),
    errors: managing,
  }),
};

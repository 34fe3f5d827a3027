/** Machine tokens: credentials of programs, with scopes and an end (D25, cli.md E1, console.md N5). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { rowId } from './loose.ts';
import { ScopeName } from './scopes.ts';

/** Days that a machine token lives at most. */
export const longestMachineTokenDays = 365;
/** Seconds that the secret before a rotation is still taken at most: a week. */
const longestGraceSeconds = 604_800;

export const MachineTokenView = z.object({
  id: z.int(),
  name: z.string(),
  scopes: z.array(ScopeName),
  /** One address or network a line; "" = any. */
  allow_ips: z.string(),
  /** Role of its user when it was made; it never acts as more. */
  role: z.int(),
  /** Unix seconds, as are the next two. */
  created_at: z.int(),
  expires_at: z.int(),
  /** 0 = never; noted about once a minute. */
  last_used_at: z.int(),
  /** Unix seconds until which the secret before the last rotation is taken; 0 = it is not. */
  previous_until: z.int(),
});
export type MachineTokenView = z.output<typeof MachineTokenView>;

/** The same with the secret, at the only moment when it is known. */
export const NewMachineTokenView = z.extend(MachineTokenView, { secret: z.string() });
export type NewMachineTokenView = z.output<typeof NewMachineTokenView>;

export const machineTokens = {
  list: endpoint({
    method: 'GET',
    path: '/api/machine_token/',
    access: 'user',
    scope: 'any',
    shape: 'data',
    description: {
      en: 'The own machine tokens, newest first, without their secrets. A machine token sees itself alone.',
      zh: '本人的机器令牌，最新的在前，不含密文。以机器令牌调用时仅返回其自身。',
    },
    output: z.array(MachineTokenView),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/machine_token/',
    access: 'user',
    shape: 'data',
    description: {
      en: 'Makes a machine token; its secret is in this answer and nowhere else.',
      zh: '创建机器令牌；密文只在本次响应中出现。',
    },
    input: z.object({
      name: z.string(),
      scopes: z.array(ScopeName).check(z.minLength(1), z.maxLength(100)),
      /** Unix seconds, within 365 days. */
      expires_at: z.int(),
      /** One address or network a line; absent or empty = any. */
      allow_ips: z.optional(z.nullable(z.string())),
    }),
    freshProof: 'machine_token',
    output: NewMachineTokenView,
    errors: [
      'step_up_required',
      'token_name_required',
      'token_name_long',
      'token_ips_invalid',
      'machine_token_expiry_invalid',
      'machine_token_limit',
      'scope_beyond_role',
    ],
    example: { input: { name: 'ci-codes', scopes: ['redemption:write'], expires_at: 1_798_761_600 } },
  }),
  rotate: endpoint({
    method: 'POST',
    path: '/api/machine_token/:id/rotate',
    access: 'user',
    scope: 'any',
    shape: 'data',
    description: {
      en: 'Gives a machine token a new secret, shown once; the one before is taken for the grace asked for, at most a week. A machine token may rotate itself alone.',
      zh: '为机器令牌更换密文，新密文仅显示一次；旧密文在指定的宽限期内（最长一周）仍然有效。机器令牌只能更换自身的密文。',
    },
    input: z.object({
      id: rowId,
      /** 0 when absent: the secret before is refused at once. */
      grace_seconds: z.optional(z.int().check(z.minimum(0), z.maximum(longestGraceSeconds))),
    }),
    freshProof: 'machine_token',
    output: NewMachineTokenView,
    errors: ['step_up_required', 'machine_token_not_found', 'machine_token_not_supported', 'busy'],
  }),
  revoke: endpoint({
    method: 'DELETE',
    path: '/api/machine_token/:id',
    access: 'user',
    scope: 'any',
    shape: 'data',
    description: {
      en: 'Ends a machine token for good. A machine token may end itself alone.',
      zh: '永久吊销机器令牌。机器令牌只能吊销自身。',
    },
    input: z.object({ id: rowId }),
    errors: ['machine_token_not_found'],
  }),
};

/** What users earn: the daily check-in in both dialects, and invites (management-api.md 3.7). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

const checkInErrors = ['checkin_off', 'checkin_config', 'checkin_done'] as const;

export const CheckInStatusView = z.object({
  can_check_in: z.boolean(),
  enabled: z.boolean(),
  min_quota: z.int(),
  max_quota: z.int(),
  checked_in_today: z.boolean(),
  /** Unix seconds. */
  next_time: z.int(),
});
export type CheckInStatusView = z.output<typeof CheckInStatusView>;

export const CheckInMonthView = z.object({
  enabled: z.boolean(),
  min_quota: z.int(),
  max_quota: z.int(),
  stats: z.object({
    checked_in_today: z.boolean(),
    /** Of the month asked for. */
    checkin_count: z.int(),
    total_checkins: z.int(),
    total_quota: z.int(),
    records: z.array(z.object({ checkin_date: z.string(), quota_awarded: z.int() })),
  }),
});
export type CheckInMonthView = z.output<typeof CheckInMonthView>;

export const rewards = {
  checkInStatus: endpoint({
    method: 'GET',
    path: '/api/user/check_in_status',
    access: 'user',
    scope: 'user:read',
    shape: 'data',
    description: {
      en: 'Whether the caller may check in now, what it brings, and when the next day begins.',
      zh: '调用者当前能否签到、可得额度，以及下一天的开始时间。',
    },
    output: CheckInStatusView,
  }),
  checkIn: endpoint({
    method: 'POST',
    path: '/api/user/check_in',
    access: 'user',
    scope: 'user:write',
    shape: 'data',
    rate: 'critical-money',
    notice: 'checkin_ok',
    description: { en: "Credits today's reward.", zh: '领取今天的签到奖励。' },
    output: z.object({ quota: z.int() }),
    errors: checkInErrors,
  }),
  checkInMonth: endpoint({
    method: 'GET',
    path: '/api/user/checkin',
    access: 'user',
    scope: 'user:read',
    shape: 'data',
    description: {
      en: 'Check-ins of a month (`YYYY-MM`), the running one by default.',
      zh: '某月（`YYYY-MM`）的签到记录，默认为当月。',
    },
    input: z.object({ month: z.optional(z.string()) }),
    output: CheckInMonthView,
    errors: ['checkin_off'],
  }),
  checkInAlias: endpoint({
    method: 'POST',
    path: '/api/user/checkin',
    access: 'user',
    scope: 'user:write',
    shape: 'data',
    rate: 'critical-money',
    notice: 'checkin_ok',
    description: {
      en: "Credits today's reward, as clients of the sister dialect call it.",
      zh: '领取今天的签到奖励，供使用另一种接口形式的客户端调用。',
    },
    output: z.object({ quota_awarded: z.int(), checkin_date: z.string(), quota: z.int() }),
    errors: checkInErrors,
  }),
  inviteCode: endpoint({
    method: 'GET',
    path: '/api/user/aff',
    access: 'user',
    scope: 'user:write',
    shape: 'data',
    effect: 'changes',
    description: {
      en: 'The own invite code, made at the first call when missing.',
      zh: '本人的邀请码；首次查询时自动生成。',
    },
    output: z.string(),
  }),
  transferInviteEarnings: endpoint({
    method: 'POST',
    path: '/api/user/aff_transfer',
    access: 'user',
    scope: 'user:write',
    shape: 'data',
    rate: 'critical-money',
    notice: 'aff_ok',
    idempotency: 'key',
    description: { en: 'Moves invite earnings to the balance.', zh: '将邀请收益划转到余额。' },
    input: z.object({ quota: z.int() }),
    errors: ['aff_min', 'aff_short'],
  }),
};

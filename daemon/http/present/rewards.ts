/** Check-ins as their owner sees them. */
import type { CheckInMonthView, CheckInStatusView } from '../../contract/rewards.ts';
import type { CheckInMonth, CheckInStatus } from '../../domain/check-in.ts';

export function presentCheckInStatus(status: CheckInStatus): CheckInStatusView {
  return {
    can_check_in: status.enabled && !status.checkedInToday,
    enabled: status.enabled,
    min_quota: status.minQuota,
    max_quota: status.maxQuota,
    checked_in_today: status.checkedInToday,
    next_time: status.nextTime,
  };
}

export function presentCheckInMonth({ status, records, totalCount, totalQuota }: CheckInMonth): CheckInMonthView {
  return {
    enabled: status.enabled,
    min_quota: status.minQuota,
    max_quota: status.maxQuota,
    stats: {
      checked_in_today: status.checkedInToday,
      checkin_count: records.length,
      total_checkins: totalCount,
      total_quota: totalQuota,
      records: records.map(({ checkinDate, quotaAwarded }) => ({
        checkin_date: checkinDate,
        quota_awarded: quotaAwarded,
      })),
    },
  };
}

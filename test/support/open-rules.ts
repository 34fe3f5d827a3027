/** Limits of the management API that hold nobody up. */
import type { RateRules } from '../../daemon/domain/api-limits.ts';

export const unlimited = { enabled: false, count: 1, seconds: 1 };
export const openRules: RateRules = {
  globalApi: unlimited,
  globalWeb: unlimited,
  critical: unlimited,
  search: unlimited,
  download: unlimited,
  perUser: unlimited,
};

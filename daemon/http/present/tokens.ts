/** Relay keys as their owners see them. */
import type { TokenView } from '../../contract/tokens.ts';
import type { OwnedToken } from '../../domain/tokens.ts';

export function presentToken({ record, key }: OwnedToken): TokenView {
  return {
    id: record.id,
    user_id: record.userId,
    key,
    status: record.status,
    name: record.name,
    created_time: record.createdTime,
    accessed_time: record.accessedTime,
    expired_time: record.expiredTime,
    remain_quota: record.remainQuota,
    used_quota: record.usedQuota,
    unlimited_quota: record.unlimitedQuota,
    model_limits_enabled: record.modelLimitsEnabled,
    model_limits: record.modelLimits,
    model_mapping: record.modelMapping,
    allow_ips: record.allowIps ?? '',
    group: record.group,
    conversion: record.conversion,
    quota_warning_threshold: record.quotaWarningThreshold,
    rpm_limit: record.rpmLimit,
    tpm_limit: record.tpmLimit,
    concurrency_limit: record.concurrencyLimit,
    DeletedAt: null,
  };
}

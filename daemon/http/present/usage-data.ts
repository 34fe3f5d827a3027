/** Hourly figures on the wire. */
import type { UsageDataView } from '../../contract/usage-data.ts';
import type { UsageDataRow } from '../../domain/usage-data.ts';

export function presentUsageData(row: UsageDataRow): UsageDataView {
  return {
    id: row.id,
    user_id: row.userId,
    username: row.username,
    model_name: row.modelName,
    created_at: row.createdAt,
    token_used: row.tokenUsed,
    count: row.count,
    quota: row.quota,
    ...(row.cachedTokens === undefined ? {} : { cached_tokens: row.cachedTokens }),
    ...(row.failed === undefined ? {} : { failed: row.failed }),
  };
}

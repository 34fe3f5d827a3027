/** Reports of usage on the wire. */
import type { SiteTotalsView, UsageReportRow } from '../../contract/usage-reports.ts';
import type { SiteTotals, UsageReport } from '../../domain/usage-report.ts';
import type { ReportFigures, ReportRow } from '../../store/log-reports.ts';

/** @param channelName "" for a channel that is gone */
export function presentReport(report: UsageReport, channelName: (id: number) => string) {
  return {
    items: report.rows.map((row) => presentRow(row, { timed: report.period !== undefined, channelName })),
    totals: presentFigures(report.totals),
    start_timestamp: report.range.from,
    end_timestamp: report.range.until,
  };
}

export function presentSiteTotals(totals: SiteTotals): SiteTotalsView {
  return {
    ...presentFigures(totals),
    active_users: totals.activeUsers,
    users: totals.users,
    new_users: totals.newUsers,
    topped_up: totals.toppedUp,
    paid_orders: totals.paidOrders,
  };
}

function presentRow(
  row: ReportRow,
  { timed, channelName }: { timed: boolean; channelName: (id: number) => string },
): UsageReportRow {
  return {
    time: timed ? row.periodStart : null,
    user_id: row.userId,
    username: row.username,
    model_name: row.modelName,
    channel: row.channelId,
    channel_name: row.channelId === 0 ? '' : channelName(row.channelId),
    token_name: row.tokenName,
    group: row.group,
    ...presentFigures(row),
  };
}

function presentFigures(figures: ReportFigures) {
  return {
    requests: figures.requests,
    failures: figures.failures,
    quota: figures.quota,
    prompt_tokens: figures.promptTokens,
    completion_tokens: figures.completionTokens,
    cached_tokens: figures.cachedTokens,
  };
}

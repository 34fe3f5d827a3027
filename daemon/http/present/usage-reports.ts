/** Reports of usage on the wire. */
import type { ChannelTotalsView, SiteTotalsView, UsageReportRow } from '../../contract/usage-reports.ts';
import type { SiteTotals, UsageReport } from '../../domain/usage-report.ts';
import type { ReportFigures, ReportRow } from '../../store/log-reports.ts';

/** Who reads a report: what users see says nothing of channels and costs. */
export interface ReportReader {
  /** "" for a channel that is gone. */
  readonly channelName: (id: number) => string;
}

/** @param operator set where the reader may know of channels and costs */
export function presentReport(report: UsageReport, operator?: ReportReader) {
  return {
    items: report.rows.map((row) => presentRow(row, { timed: report.period !== undefined, operator })),
    totals: presentFigures(report.totals, operator),
    start_timestamp: report.range.from,
    end_timestamp: report.range.until,
  };
}

export function presentChannelTotals({ totals, range }: UsageReport): ChannelTotalsView {
  return {
    ...presentFigures(totals),
    cost: totals.cost,
    start_timestamp: range.from,
    end_timestamp: range.until,
  };
}

export function presentSiteTotals(totals: SiteTotals): SiteTotalsView {
  return {
    ...presentFigures(totals),
    cost: totals.cost,
    active_users: totals.activeUsers,
    users: totals.users,
    new_users: totals.newUsers,
    topped_up: totals.toppedUp,
    paid_orders: totals.paidOrders,
  };
}

function presentRow(
  row: ReportRow,
  { timed, operator }: { timed: boolean; operator: ReportReader | undefined },
): UsageReportRow {
  return {
    time: timed ? row.periodStart : null,
    user_id: row.userId,
    username: row.username,
    model_name: row.modelName,
    channel: row.channelId,
    channel_name: row.channelId === 0 ? '' : (operator?.channelName(row.channelId) ?? ''),
    token_name: row.tokenName,
    group: row.group,
    ...presentFigures(row, operator),
  };
}

function presentFigures(figures: ReportFigures, operator?: ReportReader) {
  return {
    requests: figures.requests,
    failures: figures.failures,
    quota: figures.quota,
    prompt_tokens: figures.promptTokens,
    completion_tokens: figures.completionTokens,
    cached_tokens: figures.cachedTokens,
    ...(operator === undefined ? {} : { cost: figures.cost }),
  };
}

/** Routes of usage reports (cli.md E15). */
import { contract } from '../../../contract/index.ts';
import type { UsageReportService } from '../../../domain/usage-report.ts';
import { implement, type Route } from '../../implement.ts';
import { presentChannelTotals, presentReport, presentSiteTotals } from '../../present/usage-reports.ts';

export interface UsageReportRouteDeps {
  readonly reports: UsageReportService;
  /** "" for a channel that is gone. */
  readonly channelName: (id: number) => string;
}

export const usageReportRoutes = ({ reports, channelName }: UsageReportRouteDeps): Route[] => [
  implement(contract.usageReports.report, async ({ input }) =>
    presentReport(await reports.report(input), { channelName }),
  ),
  implement(contract.usageReports.ofChannel, async ({ input }) =>
    presentChannelTotals(await reports.report({ channel: input.id })),
  ),
  implement(contract.usageReports.reportOwn, async ({ actor, input }) =>
    presentReport(await reports.reportOwn(actor, input)),
  ),
  implement(contract.usageReports.site, async ({ input }) => presentSiteTotals(await reports.site(input))),
];

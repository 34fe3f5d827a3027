/** Routes of the usage log (management-api.md 3.14). */
import { contract } from '../../../contract/index.ts';
import type { LogService } from '../../../domain/logs.ts';
import type { LogRecord } from '../../../store/logs.ts';
import { implement, type Route } from '../../implement.ts';
import { logFile } from '../../present/log-file.ts';
import { presentFigures, presentLog, presentOwnLog } from '../../present/logs.ts';

export interface LogRouteDeps {
  readonly logs: LogService;
  /** "" for a channel that is gone. */
  readonly channelName: (id: number) => string;
}

export const logRoutes = ({ logs, channelName }: LogRouteDeps): Route[] => {
  const presentNamed = (row: LogRecord) => presentLog(row, channelName);
  return [
    implement(contract.logs.list, async ({ actor, input, page }) => {
      const contents = input.with_content ? 'shown' : 'hidden';
      const { items, total } = await logs.list(actor, input, { window: page, contents });
      return { items: items.map(presentNamed), total };
    }),
    implement(contract.logs.listOwn, async ({ actor, input, page }) => {
      const { items, total } = await logs.listOwn(actor, input, page);
      return { items: items.map(presentOwnLog), total };
    }),
    implement(contract.logs.export, async ({ input }) => {
      const pages = await logs.export(input, input.resume_after);
      return logFile(pages, { format: input.format, reader: 'operator', present: presentNamed });
    }),
    implement(contract.logs.exportOwn, async ({ actor, input }) => {
      const pages = await logs.exportOwn(actor, input, input.resume_after);
      return logFile(pages, { format: input.format, reader: 'user', present: presentOwnLog });
    }),
    implement(contract.logs.stat, async ({ input }) => presentFigures(await logs.stat(input))),
    implement(contract.logs.statOwn, async ({ actor, input }) => presentFigures(await logs.statOwn(actor, input))),
    implement(contract.logs.search, async ({ input }) => ({
      items: (await logs.search(input.keyword)).map(presentNamed),
    })),
    implement(contract.logs.searchOwn, async ({ actor, input }) => ({
      items: (await logs.searchOwn(actor, input.keyword)).map(presentOwnLog),
    })),
    implement(contract.logs.listByKey, async ({ caller }) => ({
      items: (await logs.listByToken(caller.token)).map(presentOwnLog),
    })),
    implement(contract.logs.deleteBefore, async ({ actor, input, request }) =>
      logs.deleteBefore(actor, Number(input.target_timestamp ?? 0), request.requestId),
    ),
  ];
};

/** Routes of live events (cli.md 7.2, E20). */
import { contract } from '../../../contract/index.ts';
import type { LiveEvents } from '../../../domain/live-events.ts';
import type { LogRecord } from '../../../store/logs.ts';
import type { RequestFacts } from '../../call.ts';
import { mapEvents } from '../../event-stream.ts';
import { implement, type Route } from '../../implement.ts';
import { presentEvent, presentOwnEvent } from '../../present/events.ts';
import { presentLog, presentOwnLog } from '../../present/logs.ts';

export interface EventRouteDeps {
  readonly live: Pick<LiveEvents, 'follow' | 'followOwn'>;
  /** "" for a channel that is gone. */
  readonly channelName: (id: number) => string;
}

export const eventRoutes = ({ live, channelName }: EventRouteDeps): Route[] => {
  const presentNamed = (row: LogRecord) => presentLog(row, channelName);
  return [
    implement(contract.events.follow, async ({ actor, input, request }) => {
      const events = await live.follow(actor, input, lastSeen(request));
      return { events: mapEvents(events, (event) => presentEvent(event, presentNamed)) };
    }),
    implement(contract.events.followOwn, async ({ actor, input, request }) => {
      const events = await live.followOwn(actor, input, lastSeen(request));
      return { events: mapEvents(events, (event) => presentOwnEvent(event, presentOwnLog)) };
    }),
  ];
};

/** The last event that a returning reader has seen. */
function lastSeen(request: RequestFacts): string | undefined {
  return request.header('last-event-id')?.slice(0, 500);
}

/** Live events: the feed of the log, the watch over channels, and their routes. */
import type { ChannelCooling } from '../domain/channel-cooling.ts';
import { ChannelWatch } from '../domain/channel-watch.ts';
import { LiveEvents } from '../domain/live-events.ts';
import { LogFeed } from '../domain/log-feed.ts';
import type { LogService } from '../domain/logs.ts';
import type { Route } from '../http/implement.ts';
import { eventRoutes } from '../http/routes/management/events.ts';
import type { Foundation } from './foundation.ts';

export interface EventParts {
  readonly events: LiveEvents;
  readonly routes: readonly Route[];
}

export interface EventNeeds {
  readonly cooling: ChannelCooling;
  readonly logs: LogService;
  /** "" for a channel that is gone. */
  readonly channelName: (id: number) => string;
  readonly report: (cause: unknown) => void;
}

/** Builds live events; nothing runs until somebody listens. */
export function buildEvents(foundation: Foundation, { cooling, logs, channelName, report }: EventNeeds): EventParts {
  const { config, clock, keyring, database, snapshots } = foundation;
  const placeOf = (userId: number) => ({ table: 'logs', column: 'id', row: `user:${userId}` });
  const events = new LiveEvents({
    feed: new LogFeed({ logs: database.stores.logs, now: clock.monotonic, report }),
    logs: database.stores.logs,
    watch: new ChannelWatch({ channels: () => snapshots.current().channels, cooling }),
    asUser: (rows) => logs.asUser(rows),
    sealPosition: (userId, id) => keyring.seal(placeOf(userId), String(id)),
    openPosition: (userId, text) => {
      try {
        return Number(keyring.open(placeOf(userId), text));
      } catch {
        // Another user's position, or an invented one, is worth as much as none.
        return undefined;
      }
    },
    streamsPerUser: config.limits.event_streams_per_user,
  });
  return { events, routes: eventRoutes({ live: events, channelName }) };
}

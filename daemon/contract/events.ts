/** What happens, as it happens: rows of the usage log and the health of channels (cli.md 7.2, E20). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { allFilters, LogView, ownFilters } from './logs.ts';
import { optionalWholeNumber } from './loose.ts';

/** A channel, or one of its keys, that calls go to or no longer go to. */
export const ChannelChangeView = z.object({
  id: z.int(),
  name: z.string(),
  /** `cooling` is left alone for a while, `resumed` no longer; `disabled` until somebody or a test takes it back. */
  change: z.enum(['disabled', 'recovered', 'cooling', 'resumed']),
  /** The key that it is about; "" for the whole channel. */
  key_hash: z.string(),
  /** Of the channel or key now: 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  status: z.int(),
  /** Seconds until calls go there again; 0 = not cooling on this node. */
  cooling: z.int(),
  /** Why it was disabled automatically; "" where that is not known. */
  reason: z.string(),
});
export type ChannelChangeView = z.infer<typeof ChannelChangeView>;

/** `id` goes into `Last-Event-ID` of the next call, which then starts behind this row. */
const LogEvent = z.object({ event: z.literal('log'), id: z.string(), data: LogView });
const ChannelEvent = z.object({ event: z.literal('channel'), data: ChannelChangeView });
/** From here on rows come as they are written. */
const ReadyEvent = z.object({ event: z.literal('ready'), data: z.object({}) });
/** Rows that were not sent, because there were too many or the reader was too slow; null = nobody counted them. */
const SkippedEvent = z.object({ event: z.literal('skipped'), data: z.object({ rows: z.nullable(z.int()) }) });
/** The daemon ends the stream; the code says why: `shutting_down`, or what a new call would be refused for. */
const EndedEvent = z.object({ event: z.literal('ended'), data: z.object({ code: z.string() }) });

export const EventView = z.union([LogEvent, ChannelEvent, ReadyEvent, SkippedEvent, EndedEvent]);
export type EventView = z.infer<typeof EventView>;
export const OwnEventView = z.union([LogEvent, ReadyEvent, SkippedEvent, EndedEvent]);
export type OwnEventView = z.infer<typeof OwnEventView>;

export const events = {
  follow: endpoint({
    method: 'GET',
    path: '/api/events',
    access: 'admin',
    scope: 'log:read',
    shape: 'events',
    description: {
      en: 'Rows of the usage log and changes of channels of all nodes as they happen, until somebody hangs up.',
      zh: '实时推送所有节点的使用日志与渠道变化，直到连接断开。',
    },
    input: z.object({
      ...allFilters,
      /** Only rows of the log, or only channels. */
      only: z.optional(z.enum(['log', 'channel'])),
      /** Begins behind the row of this id; `Last-Event-ID` wins over it. Only the newest 1,000 rows are made up for. */
      after_id: optionalWholeNumber,
    }),
    output: EventView,
    errors: ['event_streams_full', 'shutting_down'],
  }),
  followOwn: endpoint({
    method: 'GET',
    path: '/api/events/self',
    access: 'user',
    scope: 'log:read',
    shape: 'events',
    description: {
      en: "The caller's rows of the usage log on all nodes as they are written, until somebody hangs up.",
      zh: '实时推送调用者在所有节点上的使用日志，直到连接断开。',
    },
    input: z.object(ownFilters),
    output: OwnEventView,
    errors: ['event_streams_full', 'shutting_down'],
  }),
};

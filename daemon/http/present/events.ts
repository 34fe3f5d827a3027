/** Live events on the wire; rows of the log look as they do in lists. */
import type { ChannelChangeView, EventView, OwnEventView } from '../../contract/events.ts';
import type { LogView } from '../../contract/logs.ts';
import type { ChannelChange } from '../../domain/channel-watch.ts';
import type { LiveEvent, LiveRowEvent } from '../../domain/live-events.ts';
import type { LogRecord } from '../../store/logs.ts';

/** What those are told who hear of channels. */
export function presentEvent(event: LiveEvent, presentRow: (row: LogRecord) => LogView): EventView {
  return event.kind === 'channel'
    ? { event: 'channel', data: presentChange(event.change) }
    : presentOwnEvent(event, presentRow);
}

/** What those are told who see their own rows alone. */
export function presentOwnEvent(event: LiveRowEvent, presentRow: (row: LogRecord) => LogView): OwnEventView {
  switch (event.kind) {
    case 'log':
      return { event: 'log', id: event.position, data: presentRow(event.row) };
    case 'ready':
      return { event: 'ready', data: {} };
    case 'skipped':
      return { event: 'skipped', data: { rows: event.rows ?? null } };
    case 'ended':
      return { event: 'ended', data: { code: event.code } };
  }
}

function presentChange(change: ChannelChange): ChannelChangeView {
  return {
    id: change.channelId,
    name: change.channelName,
    change: change.change,
    key_hash: change.keyHash,
    status: change.status,
    cooling: change.cooling,
    reason: change.reason,
  };
}

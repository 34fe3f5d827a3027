/** Channels gathered by their tag (console.md 6.9, tag aggregation). */
import type { ChannelView } from '../../../daemon/contract/channels.ts';
import { splitCommaList } from '../../../daemon/contract/comma-list.ts';

export interface TagRow {
  readonly tag: string;
  readonly channels: readonly ChannelView[];
  readonly groups: readonly string[];
  readonly usedQuota: number;
  /** Milliseconds, averaged over the channels that were tested; 0 when none was. */
  readonly responseTime: number;
  /** Undefined where the channels differ. */
  readonly priority: number | undefined;
  readonly weight: number | undefined;
  readonly enabled: number;
}

/** One row for each tag by name, as the server pages them, whatever order their channels have. */
export function tagRows(channels: readonly ChannelView[]): TagRow[] {
  const byTag = new Map<string, ChannelView[]>();
  for (const channel of channels) {
    const tag = channel.tag ?? '';
    if (tag === '') continue;
    const members = byTag.get(tag);
    if (members) members.push(channel);
    else byTag.set(tag, [channel]);
  }
  return [...byTag].sort(([one], [other]) => (one < other ? -1 : 1)).map(([tag, members]) => rowOf(tag, members));
}

function rowOf(tag: string, channels: readonly ChannelView[]): TagRow {
  const tested = channels.filter((channel) => channel.response_time > 0);
  const sum = tested.reduce((total, channel) => total + channel.response_time, 0);
  return {
    tag,
    channels,
    groups: [...new Set(channels.flatMap((channel) => splitCommaList(channel.group)))],
    usedQuota: channels.reduce((total, channel) => total + channel.used_quota, 0),
    responseTime: tested.length === 0 ? 0 : Math.round(sum / tested.length),
    priority: agreed(channels.map((channel) => channel.priority)),
    weight: agreed(channels.map((channel) => channel.weight)),
    enabled: channels.filter((channel) => channel.status === 1).length,
  };
}

function agreed(values: readonly number[]): number | undefined {
  const [first] = values;
  return values.every((value) => value === first) ? first : undefined;
}

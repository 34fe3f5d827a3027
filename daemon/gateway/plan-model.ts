/** The names one call goes by on a channel (relay.md 12.1, 12.2). */
import type { ChannelView } from '../snapshots/channel-view.ts';

export interface ModelNames {
  /** The client's name without the channel's prefix. */
  readonly bare: string;
  /** Name sent upstream. */
  readonly upstream: string;
  /** Effort that a suffix of the name asked for. */
  readonly reasoningEffort: string | undefined;
}

const MAX_HOPS = 10;

/** Cuts the prefix and follows the mapping; undefined for a mapping that is invalid or runs in a circle. */
export function upstreamModel(channel: ChannelView, client: string): ModelNames | undefined {
  const prefix = channel.record.modelPrefix ?? '';
  const bare = prefix !== '' && client.startsWith(prefix) ? client.slice(prefix.length) : client;
  const { modelMapping } = channel;
  if (modelMapping === 'invalid') return undefined;
  let name = bare;
  for (let hop = 0; ; hop += 1) {
    const target = modelMapping[name] ?? (hop === 0 ? modelMapping['*'] : undefined);
    if (target === undefined || target === name) return { bare, upstream: name, reasoningEffort: undefined };
    if (hop === MAX_HOPS) return undefined;
    name = target;
  }
}

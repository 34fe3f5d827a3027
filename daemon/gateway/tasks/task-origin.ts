/** Where a task is known: what goes on with it is sent to that channel and key (relay.md 8.4). */
import type { AffinityTarget } from '../../domain/affinity.ts';
import type { ChannelPick } from '../../domain/channel-selection.ts';
import type { Snapshot } from '../../snapshots/snapshots.ts';
import { TaskRefused } from './task-refused.ts';

/** The platform's words for a channel that is gone, and for one that is switched off. */
export interface OriginWords {
  readonly gone: string;
  readonly disabled: string;
}

/**
 * The channel and key of an earlier task. A channel of one key goes on with that: where it was renewed, the upstream
 * still has its tasks, and else it says so. Throws `TaskRefused` when they can no longer be asked.
 */
export function originOf(view: Snapshot, { channelId, keyHash }: AffinityTarget, words: OriginWords): ChannelPick {
  const channel = view.channels.get(channelId);
  const [only, ...others] = channel?.keys ?? [];
  const key = channel?.keys.find(({ hash }) => hash === keyHash) ?? (others.length === 0 ? only : undefined);
  if (channel === undefined || key === undefined) throw new TaskRefused(400, words.gone);
  if (channel.record.status !== 1 || key.status !== 1) throw new TaskRefused(400, words.disabled);
  return { channel, key };
}

/** Channel keys as administrators see them: never the key itself. */
import type { ChannelKeyView } from '../../contract/channel-keys.ts';
import type { ChannelKeyRow } from '../../domain/channel-key-rows.ts';

export function presentChannelKey({ record, tail, coolUntil }: ChannelKeyRow): ChannelKeyView {
  return {
    id: record.id,
    key_hash: record.keyHash,
    position: record.position,
    tail,
    status: record.status,
    reason: record.reason,
    status_time: record.statusTime,
    last_error: record.lastError,
    last_used: record.lastUsed,
    cool_until: coolUntil,
    cap: record.cap,
    tpm: record.tpm,
    concurrency: record.concurrency,
  };
}

/** Tells which calls failed for an upstream's reason: each try by its channel, and the call as a whole. */
import type { AttemptEntry } from '../domain/usage-log-facts.ts';
import type { FinishListener } from './record.ts';
import type { Outcome } from './settle.ts';

/** Told of every try and, with channel 0, of every call that reached an upstream. */
export type CallCounter = (channelId: number, result: 'answered' | 'failed') => void;

const wholeCall = 0;
/** Refusals that speak of the channel's account or of the upstream's state, not of what the client sent. */
const upstreamsFault = new Set([401, 402, 403, 408, 429]);

/** A listener that counts. */
export function errorListener(count: CallCounter): FinishListener {
  return ({ account, outcome }) => countCall(account.trail.attempts, outcome.reason, count);
}

/** Counts one call by its tries, the last of which answered if any did, and by how it ended. */
export function countCall(
  attempts: readonly Pick<AttemptEntry, 'channel' | 'status'>[],
  reason: Outcome['reason'],
  count: CallCounter,
): void {
  const isCut = reason === 'upstream_error' || reason === 'upstream_eof';
  let last: 'answered' | 'failed' | undefined;
  for (const { channel, status } of attempts) {
    // What a client got wrong says nothing about the channel.
    if (status !== 200 && status < 500 && !upstreamsFault.has(status)) continue;
    last = status === 200 && !isCut ? 'answered' : 'failed';
    count(channel, last);
  }
  if (last) count(wholeCall, last);
}
